-- What is looked for, and what is added up. All of it follows from the other tables: it is here so
-- that a page costs the same with ten files and with ten million.

-- The beginnings people look for an object by: its identifier, and its title, its bag's name and
-- its other identifier from the start of every word; in small letters, cut to a length.
CREATE TABLE object_names (
    name TEXT NOT NULL,
    object_id INTEGER NOT NULL,
    PRIMARY KEY (name, object_id)
) STRICT, WITHOUT ROWID;

-- The names of files without their folders, in small letters, cut to a length. Written sorted
-- before a seal, as the starts of digests are; entries of what was abandoned do no harm.
CREATE TABLE file_names (
    name TEXT NOT NULL,
    file_id INTEGER NOT NULL,
    PRIMARY KEY (name, file_id)
) STRICT, WITHOUT ROWID;

-- The files of an object's sealed version that are there, by format. No checks: a seal adds what
-- may be less than nothing.
CREATE TABLE object_formats (
    object_id INTEGER NOT NULL,
    format_id INTEGER NOT NULL,
    file_count INTEGER NOT NULL,
    size INTEGER NOT NULL,
    PRIMARY KEY (object_id, format_id)
) STRICT, WITHOUT ROWID;

-- The copies of all sealed versions of an object's files, by replica.
CREATE TABLE object_copies (
    object_id INTEGER NOT NULL,
    replica_id INTEGER NOT NULL,
    copy_count INTEGER NOT NULL CHECK (copy_count >= 0),
    unsound_count INTEGER NOT NULL CHECK (unsound_count >= 0),
    -- When a copy of it was last looked at.
    last_checked_at INTEGER NOT NULL,
    PRIMARY KEY (object_id, replica_id)
) STRICT, WITHOUT ROWID;

-- One row: what is held altogether.
CREATE TABLE held_sums (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    object_count INTEGER NOT NULL,
    file_count INTEGER NOT NULL,
    size INTEGER NOT NULL
) STRICT;

CREATE TRIGGER held_sums_insert AFTER INSERT ON objects
BEGIN
    UPDATE held_sums SET
        object_count = object_count + (NEW.version > 0 AND NEW.state = 'A'),
        file_count = file_count + NEW.file_count, size = size + NEW.size;
END;

CREATE TRIGGER held_sums_update AFTER UPDATE OF version, state, file_count, size ON objects
BEGIN
    UPDATE held_sums SET
        object_count = object_count + (NEW.version > 0 AND NEW.state = 'A')
            - (OLD.version > 0 AND OLD.state = 'A'),
        file_count = file_count + NEW.file_count - OLD.file_count,
        size = size + NEW.size - OLD.size;
END;

INSERT INTO held_sums (id, object_count, file_count, size)
    SELECT 1, coalesce(sum(version > 0 AND state = 'A'), 0), coalesce(sum(file_count), 0),
        coalesce(sum(size), 0)
    FROM objects;

-- Lists are newest first: with the index of what they are asked for, none has to be sorted or read
-- to its end. The kind of an event stands in its wording, and here once more for that.
ALTER TABLE events ADD COLUMN event_type TEXT NOT NULL DEFAULT '';
UPDATE events SET event_type = (SELECT w.event_type FROM wordings AS w WHERE w.id = wording_id);
DROP INDEX events_by_wording;
DROP INDEX events_unsuccessful;
CREATE INDEX events_by_type ON events (event_type, date_time);
CREATE INDEX events_by_outcome ON events (outcome, date_time);
CREATE INDEX objects_by_state ON objects (state, updated_at);
CREATE INDEX objects_by_access ON objects (access, updated_at);

DROP VIEW held_events;
CREATE VIEW held_events AS
SELECT e.id, e.identifier, e.event_type, e.date_time, w.detail, e.outcome, e.outcome_detail,
    w.outcome_information, w.object, w.agent, e.scope, e.institution_id,
    e.object_id AS intellectual_object_id, o.identifier AS intellectual_object_identifier,
    e.deposit_id, d.version, e.file_id AS generic_file_id,
    o.identifier || '/' || f.path AS generic_file_identifier, e.wording_id
FROM events AS e
    LEFT JOIN deposits AS d ON d.id = e.deposit_id
    LEFT JOIN objects AS o ON o.id = e.object_id
    LEFT JOIN wordings AS w ON w.id = e.wording_id
    LEFT JOIN files AS f ON f.id = e.file_id
WHERE e.deposit_id IS NULL OR d.sealed_at IS NOT NULL;
