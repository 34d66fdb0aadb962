-- Copies of all sealed versions as before, each with whether it is of its file's current version: the
-- described registry lists no others unless it is asked to.
DROP VIEW held_copies;
CREATE VIEW held_copies AS
SELECT (c.file_id << 26) | (c.version << 8) | c.replica_id AS id, c.file_id AS generic_file_id,
    c.version, r.name AS replica, r.url AS replica_url, o.identifier AS object_identifier,
    coalesce(v.content_path, 'v' || c.version || '/content/' || f.path) AS content_path,
    f.object_id AS intellectual_object_id, o.institution_id, o.access, f.path,
    v.superseded_by IS NULL OR v.superseded_by > o.version AS is_current
FROM copies AS c CROSS JOIN files AS f ON f.id = c.file_id
    CROSS JOIN objects AS o ON o.id = f.object_id
    LEFT JOIN file_versions AS v ON v.file_id = c.file_id AND v.version = c.version
    LEFT JOIN replicas AS r ON r.id = c.replica_id
WHERE c.version <= o.version;

DROP VIEW copies_by_object;
CREATE VIEW copies_by_object AS
SELECT (c.file_id << 26) | (c.version << 8) | c.replica_id AS id, c.file_id AS generic_file_id,
    o.id AS intellectual_object_id, o.institution_id, o.access, f.path,
    v.superseded_by IS NULL OR v.superseded_by > o.version AS is_current
FROM objects AS o CROSS JOIN files AS f ON f.object_id = o.id
    CROSS JOIN copies AS c ON c.file_id = f.id
    LEFT JOIN file_versions AS v ON v.file_id = c.file_id AND v.version = c.version
WHERE o.version > 0 AND c.version <= o.version;
