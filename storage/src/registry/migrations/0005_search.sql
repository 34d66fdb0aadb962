-- What lists are asked for and what people search by, so that both cost the same at a million files.
--
-- A list is walked along one index, in the order of that index, and ends when its page is full. So
-- every filter has an index that begins with it and goes on in an order that the list can be shown
-- in. Where only some rows are seen by who asks, the owner stands first in an index of its own for
-- what is counted in millions, and last for the rest, where it is compared without a look at the row.

-- Whose a deposit and a version of a file are: their object's, and here once more.
ALTER TABLE deposits ADD COLUMN institution_id INTEGER NOT NULL DEFAULT 0;
UPDATE deposits SET institution_id =
    (SELECT o.institution_id FROM objects AS o WHERE o.id = object_id);
CREATE TRIGGER deposits_owner AFTER INSERT ON deposits
BEGIN
    UPDATE deposits SET institution_id =
        (SELECT o.institution_id FROM objects AS o WHERE o.id = NEW.object_id)
    WHERE id = NEW.id;
END;
CREATE INDEX deposits_by_date ON deposits (recorded_at, object_id, version);
CREATE INDEX deposits_by_institution ON deposits
    (institution_id, recorded_at, object_id, version);

ALTER TABLE file_versions ADD COLUMN institution_id INTEGER NOT NULL DEFAULT 0;
ALTER TABLE file_versions ADD COLUMN object_id INTEGER NOT NULL DEFAULT 0;
UPDATE file_versions SET (institution_id, object_id) =
    (SELECT d.institution_id, d.object_id FROM deposits AS d WHERE d.id = deposit_id);
-- These stand for every file, so there are few: about 20 bytes in each. They end in what says
-- whether a version is the current one, so that only objects have to be looked at.
CREATE INDEX file_versions_by_size ON file_versions
    (size, file_id, version, institution_id, object_id, superseded_by);
CREATE INDEX file_versions_by_owner_and_size ON file_versions
    (institution_id, size, file_id, version, object_id, superseded_by);
DROP INDEX file_versions_by_format;
CREATE INDEX file_versions_by_format ON file_versions
    (format_id, institution_id, file_id, version, object_id, superseded_by);
CREATE INDEX file_versions_deleted ON file_versions (institution_id)
    WHERE deleted_at IS NOT NULL;
CREATE INDEX file_versions_warned ON file_versions (institution_id)
    WHERE format_warnings IS NOT NULL;

CREATE INDEX formats_by_mime ON formats (mime);

-- Between when and when the copies of an object's files were last looked at: no file was before the
-- first, none after the second.
ALTER TABLE objects ADD COLUMN oldest_check INTEGER;
ALTER TABLE objects ADD COLUMN newest_check INTEGER;
UPDATE objects SET
    oldest_check = (SELECT min(n.oldest_checked_at) FROM object_copies AS n
                    WHERE n.object_id = objects.id),
    newest_check = (SELECT max(n.last_checked_at) FROM object_copies AS n
                    WHERE n.object_id = objects.id);
CREATE TRIGGER object_checks_new AFTER INSERT ON object_copies
BEGIN
    UPDATE objects SET
        oldest_check = (SELECT min(n.oldest_checked_at) FROM object_copies AS n
                        WHERE n.object_id = NEW.object_id),
        newest_check = (SELECT max(n.last_checked_at) FROM object_copies AS n
                        WHERE n.object_id = NEW.object_id)
    WHERE id = NEW.object_id;
END;
CREATE TRIGGER object_checks_changed
AFTER UPDATE OF oldest_checked_at, last_checked_at ON object_copies
BEGIN
    UPDATE objects SET
        oldest_check = (SELECT min(n.oldest_checked_at) FROM object_copies AS n
                        WHERE n.object_id = NEW.object_id),
        newest_check = (SELECT max(n.last_checked_at) FROM object_copies AS n
                        WHERE n.object_id = NEW.object_id)
    WHERE id = NEW.object_id;
END;

-- Objects: what is asked for, then the order of the list, then who may see it.
DROP INDEX objects_by_date;
DROP INDEX objects_by_institution;
DROP INDEX objects_by_creation;
DROP INDEX objects_by_size;
DROP INDEX objects_by_file_count;
DROP INDEX objects_by_title;
DROP INDEX objects_by_bag_name;
DROP INDEX objects_by_etag;
DROP INDEX objects_by_storage_option;
DROP INDEX objects_by_alt_identifier;
DROP INDEX objects_by_bag_group;
DROP INDEX objects_by_state;
DROP INDEX objects_by_access;
CREATE INDEX objects_by_date ON objects
    (updated_at, id, institution_id, access, state, storage_option)
    WHERE version > 0;
CREATE INDEX objects_by_institution ON objects
    (institution_id, updated_at, id, access, state, storage_option)
    WHERE version > 0;
CREATE INDEX objects_by_identifier ON objects
    (identifier, id, institution_id, access)
    WHERE version > 0;
CREATE INDEX objects_by_creation ON objects
    (created_at, updated_at, id, institution_id, access)
    WHERE version > 0;
CREATE INDEX objects_by_size ON objects
    (size, updated_at, id, institution_id, access)
    WHERE version > 0;
CREATE INDEX objects_by_file_count ON objects
    (file_count, updated_at, id, institution_id, access)
    WHERE version > 0;
CREATE INDEX objects_by_title ON objects
    (title, updated_at, id, institution_id, access)
    WHERE version > 0;
CREATE INDEX objects_by_bag_name ON objects
    (bag_name, updated_at, id, institution_id, access)
    WHERE version > 0;
CREATE INDEX objects_by_etag ON objects
    (etag, updated_at, id, institution_id, access)
    WHERE version > 0;
CREATE INDEX objects_by_storage_option ON objects
    (storage_option, updated_at, id, institution_id, access)
    WHERE version > 0;
CREATE INDEX objects_by_state ON objects
    (state, updated_at, id, institution_id, access)
    WHERE version > 0;
CREATE INDEX objects_by_access ON objects
    (access, updated_at, id, institution_id)
    WHERE version > 0;
CREATE INDEX objects_by_profile ON objects
    (bagit_profile_identifier, updated_at, id, institution_id, access)
    WHERE version > 0;
CREATE INDEX objects_by_alt_identifier ON objects
    (alt_identifier, updated_at, id, institution_id, access)
    WHERE version > 0 AND alt_identifier IS NOT NULL;
CREATE INDEX objects_by_bag_group ON objects
    (bag_group_identifier, updated_at, id, institution_id, access)
    WHERE version > 0 AND bag_group_identifier IS NOT NULL;
CREATE INDEX objects_by_source ON objects
    (source_organization, updated_at, id, institution_id, access)
    WHERE version > 0 AND source_organization IS NOT NULL;
CREATE INDEX objects_by_sender_identifier ON objects
    (internal_sender_identifier, updated_at, id, institution_id, access)
    WHERE version > 0 AND internal_sender_identifier IS NOT NULL;
CREATE INDEX objects_by_sender_description ON objects
    (internal_sender_description, updated_at, id, institution_id, access)
    WHERE version > 0 AND internal_sender_description IS NOT NULL;
-- The same for lists of files, which go from object to object in the order they were made.
CREATE INDEX objects_in_order ON objects
    (id, institution_id, access, storage_option, version, file_count, oldest_check, newest_check)
    WHERE version > 0;
CREATE INDEX objects_of_institution ON objects
    (institution_id, id, access, storage_option, version, file_count, oldest_check, newest_check)
    WHERE version > 0;
CREATE INDEX objects_of_access ON objects
    (access, id, institution_id, storage_option, version, file_count, oldest_check, newest_check)
    WHERE version > 0;
CREATE INDEX objects_of_option ON objects
    (storage_option, id, institution_id, access, version, file_count, oldest_check, newest_check)
    WHERE version > 0;

-- Every version of every file, sealed or not.
DROP VIEW held_files;
DROP VIEW file_facts;
CREATE VIEW file_facts AS
SELECT v.file_id AS id, f.object_id AS intellectual_object_id, v.institution_id,
    o.identifier AS object_identifier, o.access, o.storage_option, f.path, f.uuid,
    f.first_version, v.version, v.deposit_id,
    CASE WHEN v.deleted_at IS NULL THEN 'A' ELSE 'D' END AS state, v.size, v.modified_at,
    v.deleted_at, v.content_path, m.puid, m.name AS format_name, m.version AS format_version,
    m.mime AS file_format, m.basis AS format_basis, v.format_warnings, v.md5, v.sha1, v.sha256,
    v.sha512, b.recorded_at AS created_at, d.recorded_at AS updated_at,
    (SELECT min(max(c.last_checked_at, coalesce((SELECT k.checked_at FROM checks AS k
            WHERE k.object_id = f.object_id AND k.replica_id = c.replica_id), 0)))
     FROM copies AS c WHERE c.file_id = v.file_id AND c.version = v.version) AS last_fixity_check,
    v.format_id, v.superseded_by, o.version AS sealed_version,
    o.file_count AS object_file_count, o.oldest_check, o.newest_check
FROM files AS f JOIN file_versions AS v ON v.file_id = f.id
    CROSS JOIN objects AS o ON o.id = f.object_id
    LEFT JOIN formats AS m ON m.id = v.format_id
    LEFT JOIN deposits AS d ON d.id = v.deposit_id
    LEFT JOIN deposits AS b ON b.object_id = f.object_id AND b.version = f.first_version;

-- The current version of every file; and the same files found one by one, from object to
-- object, by the deposit that brought what they hold, and by the one that first had them.
CREATE VIEW held_files AS
SELECT * FROM file_facts
WHERE version <= sealed_version AND (superseded_by IS NULL OR superseded_by > sealed_version);

CREATE VIEW files_by_version AS
SELECT v.file_id AS id, v.object_id AS intellectual_object_id, v.institution_id, o.access,
    o.storage_option, v.size, v.format_id
FROM file_versions AS v CROSS JOIN objects AS o ON o.id = v.object_id
WHERE v.version <= o.version AND (v.superseded_by IS NULL OR v.superseded_by > o.version);

CREATE VIEW files_by_object AS
SELECT f.id, o.id AS intellectual_object_id, o.institution_id, o.access, o.storage_option, f.path,
    v.version, v.deleted_at, v.format_warnings,
    (SELECT min(max(c.last_checked_at, coalesce((SELECT k.checked_at FROM checks AS k
            WHERE k.object_id = o.id AND k.replica_id = c.replica_id), 0)))
     FROM copies AS c WHERE c.file_id = v.file_id AND c.version = v.version) AS last_fixity_check,
    o.file_count AS object_file_count, o.oldest_check, o.newest_check
FROM objects AS o CROSS JOIN files AS f ON f.object_id = o.id
    CROSS JOIN file_versions AS v ON v.file_id = f.id
WHERE o.version > 0 AND v.version <= o.version
    AND (v.superseded_by IS NULL OR v.superseded_by > o.version);

CREATE VIEW files_by_deposit AS
SELECT v.file_id AS id, d.object_id AS intellectual_object_id, d.institution_id, o.access,
    o.storage_option, f.path, d.version, d.recorded_at AS updated_at
FROM deposits AS d CROSS JOIN objects AS o ON o.id = d.object_id
    CROSS JOIN file_versions AS v ON v.deposit_id = d.id
    CROSS JOIN files AS f ON f.id = v.file_id
WHERE v.version <= o.version AND (v.superseded_by IS NULL OR v.superseded_by > o.version);

CREATE VIEW files_by_creation AS
SELECT v.file_id AS id, b.object_id AS intellectual_object_id, b.institution_id, o.access,
    o.storage_option, f.path, b.version AS first_version, b.recorded_at AS created_at
FROM deposits AS b CROSS JOIN objects AS o ON o.id = b.object_id
    CROSS JOIN file_versions AS w ON w.deposit_id = b.id
    CROSS JOIN files AS f ON f.id = w.file_id AND f.first_version = b.version
    CROSS JOIN file_versions AS v ON v.file_id = f.id
WHERE v.version <= o.version AND (v.superseded_by IS NULL OR v.superseded_by > o.version);

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
    f.object_id AS intellectual_object_id, v.institution_id, o.access, v.version,
    CASE WHEN v.deleted_at IS NULL THEN 'A' ELSE 'D' END AS state, f.path,
    v.deleted_at, o.file_count AS object_file_count
FROM file_versions AS v CROSS JOIN algorithms AS a
    CROSS JOIN files AS f ON f.id = v.file_id
    CROSS JOIN objects AS o ON o.id = f.object_id
    LEFT JOIN deposits AS d ON d.id = v.deposit_id
WHERE v.version <= o.version;

CREATE VIEW checksums_by_object AS
SELECT (v.file_id << 20) | (v.version << 2) | a.id AS id, a.name AS algorithm,
    v.file_id AS generic_file_id, o.id AS intellectual_object_id, o.institution_id, o.access,
    f.path, v.deleted_at, o.file_count AS object_file_count
FROM objects AS o CROSS JOIN files AS f ON f.object_id = o.id
    CROSS JOIN file_versions AS v ON v.file_id = f.id
    CROSS JOIN algorithms AS a
WHERE o.version > 0 AND v.version <= o.version;

CREATE VIEW checksums_by_deposit AS
SELECT (v.file_id << 20) | (v.version << 2) | a.id AS id, a.name AS algorithm,
    v.file_id AS generic_file_id, d.object_id AS intellectual_object_id, d.institution_id,
    o.access, d.version, d.recorded_at AS datetime
FROM deposits AS d CROSS JOIN objects AS o ON o.id = d.object_id
    CROSS JOIN file_versions AS v ON v.deposit_id = d.id
    CROSS JOIN algorithms AS a
WHERE v.version <= o.version;

-- The copies of all sealed versions. An id holds the file, the version in 18 bits and the replica
-- in eight.
CREATE VIEW held_copies AS
SELECT (c.file_id << 26) | (c.version << 8) | c.replica_id AS id, c.file_id AS generic_file_id,
    c.version, r.name AS replica, r.url AS replica_url, o.identifier AS object_identifier,
    coalesce(v.content_path, 'v' || c.version || '/content/' || f.path) AS content_path,
    f.object_id AS intellectual_object_id, o.institution_id, o.access, f.path
FROM copies AS c CROSS JOIN files AS f ON f.id = c.file_id
    CROSS JOIN objects AS o ON o.id = f.object_id
    LEFT JOIN file_versions AS v ON v.file_id = c.file_id AND v.version = c.version
    LEFT JOIN replicas AS r ON r.id = c.replica_id
WHERE c.version <= o.version;

CREATE VIEW copies_by_object AS
SELECT (c.file_id << 26) | (c.version << 8) | c.replica_id AS id, c.file_id AS generic_file_id,
    o.id AS intellectual_object_id, o.institution_id, o.access, f.path
FROM objects AS o CROSS JOIN files AS f ON f.object_id = o.id
    CROSS JOIN copies AS c ON c.file_id = f.id
WHERE o.version > 0 AND c.version <= o.version;

-- Events: every filter by itself, and within one owner.
CREATE INDEX events_by_scope ON events (scope, date_time);
CREATE INDEX events_by_owner_and_type ON events (institution_id, event_type, date_time);
CREATE INDEX events_by_owner_and_outcome ON events (institution_id, outcome, date_time);
CREATE INDEX events_by_owner_and_scope ON events (institution_id, scope, date_time);
CREATE INDEX events_of_files ON events (date_time) WHERE file_id IS NOT NULL;
CREATE INDEX events_of_files_by_owner ON events (institution_id, date_time)
    WHERE file_id IS NOT NULL;

-- Items: as before, and whose they are.
DROP INDEX work_items_by_date;
DROP INDEX work_items_by_institution;
DROP INDEX work_items_by_action;
DROP INDEX work_items_by_stage;
DROP INDEX work_items_by_topic;
DROP INDEX work_items_by_status;
DROP INDEX work_items_by_state;
DROP INDEX work_items_by_review;
DROP INDEX work_items_by_retry;
DROP INDEX work_items_by_flow;
DROP INDEX work_items_by_bucket;
DROP INDEX work_items_by_user;
DROP INDEX work_items_by_storage_option;
DROP INDEX work_items_by_profile;
DROP INDEX work_items_by_name;
DROP INDEX work_items_by_etag;
DROP INDEX work_items_by_object;
DROP INDEX work_items_by_file;
DROP INDEX work_items_by_bag_date;
DROP INDEX work_items_by_size;
DROP INDEX work_items_by_object_identifier;
DROP INDEX work_items_by_file_identifier;
DROP INDEX work_items_by_alt_identifier;
DROP INDEX work_items_by_bag_group;
DROP INDEX work_items_by_deletion;
DROP INDEX work_items_owned;
DROP INDEX work_items_never_queued;
DROP INDEX work_items_parked;
CREATE INDEX work_items_by_date ON work_items
    (date_processed, id, institution_id, flow, topic, state, action, stage, status, storage_option,
    size, bag_date);
CREATE INDEX work_items_by_institution ON work_items
    (institution_id, date_processed, id, flow, topic, state, action, stage, status, storage_option);
CREATE INDEX work_items_by_action ON work_items
    (action, date_processed, id, institution_id);
CREATE INDEX work_items_by_stage ON work_items
    (stage, date_processed, id, institution_id);
CREATE INDEX work_items_by_topic ON work_items
    (topic, date_processed, id, institution_id);
CREATE INDEX work_items_by_status ON work_items
    (status, date_processed, id, institution_id);
CREATE INDEX work_items_by_state ON work_items
    (state, date_processed, id, institution_id);
CREATE INDEX work_items_by_review ON work_items
    (needs_admin_review, date_processed, id, institution_id);
CREATE INDEX work_items_by_retry ON work_items
    (retry, date_processed, id, institution_id);
CREATE INDEX work_items_by_flow ON work_items
    (flow, date_processed, id, institution_id);
CREATE INDEX work_items_by_bucket ON work_items
    (bucket, date_processed, id, institution_id);
CREATE INDEX work_items_by_user ON work_items
    (user, date_processed, id, institution_id);
CREATE INDEX work_items_by_storage_option ON work_items
    (storage_option, date_processed, id, institution_id);
CREATE INDEX work_items_by_profile ON work_items
    (bagit_profile_identifier, date_processed, id, institution_id);
CREATE INDEX work_items_by_name ON work_items
    (name, date_processed, id, institution_id);
CREATE INDEX work_items_by_etag ON work_items
    (etag, date_processed, id, institution_id);
CREATE INDEX work_items_by_object ON work_items
    (intellectual_object_id, date_processed, id, institution_id);
CREATE INDEX work_items_by_file ON work_items
    (generic_file_id, date_processed, id, institution_id);
CREATE INDEX work_items_by_bag_date ON work_items
    (bag_date, date_processed, id, institution_id);
CREATE INDEX work_items_by_size ON work_items
    (size, date_processed, id, institution_id);
CREATE INDEX work_items_by_object_identifier ON work_items
    (object_identifier, date_processed, id, institution_id)
    WHERE object_identifier IS NOT NULL;
CREATE INDEX work_items_by_file_identifier ON work_items
    (generic_file_identifier, date_processed, id, institution_id)
    WHERE generic_file_identifier IS NOT NULL;
CREATE INDEX work_items_by_alt_identifier ON work_items
    (alt_identifier, date_processed, id, institution_id)
    WHERE alt_identifier IS NOT NULL;
CREATE INDEX work_items_by_bag_group ON work_items
    (bag_group_identifier, date_processed, id, institution_id)
    WHERE bag_group_identifier IS NOT NULL;
CREATE INDEX work_items_by_deletion ON work_items
    (deletion_request_id, date_processed, id, institution_id)
    WHERE deletion_request_id IS NOT NULL;
CREATE INDEX work_items_owned ON work_items (date_processed, id, institution_id)
    WHERE node IS NOT NULL;
CREATE INDEX work_items_never_queued ON work_items (date_processed, id, institution_id)
    WHERE queued_at IS NULL;
CREATE INDEX work_items_of_files ON work_items (date_processed, id, institution_id)
    WHERE generic_file_id IS NOT NULL;
CREATE INDEX work_items_parked ON work_items (reason, date_processed, id, institution_id)
    WHERE reason IS NOT NULL;

CREATE INDEX alerts_by_deletion ON alerts (deletion_request_id, created_at)
    WHERE deletion_request_id IS NOT NULL;
CREATE INDEX alerts_by_item ON alerts (item_id, created_at) WHERE item_id IS NOT NULL;
CREATE INDEX alerts_not_over ON alerts (created_at, id, institution_id) WHERE ended_at IS NULL;

-- The words of objects, files and items, and which rows have them. Not the texts, and not where in
-- them: both stand in the rows. Beginnings of two to eight letters have lists of their own, because
-- one that a million words share would have to be put together from all of theirs. These take the
-- place of the tables of names.
DROP TABLE object_names;
DROP TABLE file_names;
CREATE VIRTUAL TABLE object_words USING fts5(words, content='', detail='none',
    tokenize='ascii', prefix='2 3 4 5 6 7 8');
CREATE VIRTUAL TABLE file_words USING fts5(words, content='', detail='none',
    tokenize='ascii', prefix='2 3 4 5 6 7 8');
CREATE VIRTUAL TABLE item_words USING fts5(words, content='', detail='none',
    tokenize='ascii', prefix='2 3 4 5 6 7 8');
