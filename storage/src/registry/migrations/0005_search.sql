-- What lists are asked for and what people search by, so that both cost the same at a million files.

-- The digests of a file version, each of them a row of its own. An id holds the file, the version in
-- 18 bits and the algorithm in two: it is computed, and stays what it is.
CREATE TABLE algorithms (
    id INTEGER PRIMARY KEY CHECK (id BETWEEN 0 AND 3),
    name TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO algorithms (id, name) VALUES (0, 'md5'), (1, 'sha1'), (2, 'sha256'), (3, 'sha512');

CREATE VIEW held_checksums AS
SELECT (v.file_id << 20) | (v.version << 2) | a.id AS id, a.name AS algorithm,
    CASE a.id WHEN 0 THEN v.md5 WHEN 1 THEN v.sha1 WHEN 2 THEN v.sha256 ELSE v.sha512 END
        AS digest,
    d.recorded_at AS datetime, v.file_id AS generic_file_id,
    o.identifier || '/' || f.path AS generic_file_identifier,
    f.object_id AS intellectual_object_id, o.institution_id, o.access, v.version,
    CASE WHEN v.deleted_at IS NULL THEN 'A' ELSE 'D' END AS state
FROM file_versions AS v CROSS JOIN algorithms AS a
    CROSS JOIN files AS f ON f.id = v.file_id
    CROSS JOIN objects AS o ON o.id = f.object_id
    LEFT JOIN deposits AS d ON d.id = v.deposit_id
WHERE v.version <= o.version;

-- The copies of all sealed versions. An id holds the file, the version in 18 bits and the replica
-- in eight.
CREATE VIEW held_copies AS
SELECT (c.file_id << 26) | (c.version << 8) | c.replica_id AS id, c.file_id AS generic_file_id,
    c.version, r.name AS replica, r.url AS replica_url, o.identifier AS object_identifier,
    coalesce(v.content_path, 'v' || c.version || '/content/' || f.path) AS content_path,
    f.object_id AS intellectual_object_id, o.institution_id, o.access
FROM copies AS c CROSS JOIN files AS f ON f.id = c.file_id
    CROSS JOIN objects AS o ON o.id = f.object_id
    LEFT JOIN file_versions AS v ON v.file_id = c.file_id AND v.version = c.version
    LEFT JOIN replicas AS r ON r.id = c.replica_id
WHERE c.version <= o.version;
