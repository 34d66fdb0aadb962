-- What reports are made of: how much was held at the beginning of each month, sums that would be slow
-- to add up for every page, and what people declare about things that a program cannot know.

-- The beginning of a month, once it was written down. Rows of both tables are never changed: what is
-- deleted later was held then all the same.
CREATE TABLE statistics_months (
    id INTEGER PRIMARY KEY,
    -- Its first moment.
    month TEXT NOT NULL UNIQUE,
    -- Whether it was worked out afterwards from what the registry still knew.
    is_derived INTEGER NOT NULL CHECK (is_derived IN (0, 1)),
    recorded_at TEXT NOT NULL
) STRICT;

-- What an institution held then. Who held nothing has no row.
CREATE TABLE statistics (
    month_id INTEGER NOT NULL REFERENCES statistics_months (id),
    institution_id INTEGER NOT NULL REFERENCES institutions (id),
    storage_option TEXT NOT NULL,
    -- Whether it is about what only administrators of the institution see.
    is_restricted INTEGER NOT NULL CHECK (is_restricted IN (0, 1)),
    object_count INTEGER NOT NULL CHECK (object_count >= 0),
    file_count INTEGER NOT NULL CHECK (file_count >= 0),
    size INTEGER NOT NULL CHECK (size >= 0),
    PRIMARY KEY (month_id, institution_id, storage_option, is_restricted)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER statistics_months_stay BEFORE UPDATE ON statistics_months
BEGIN
    SELECT RAISE(ABORT, 'statistics are never rewritten');
END;
CREATE TRIGGER statistics_months_remain BEFORE DELETE ON statistics_months
BEGIN
    SELECT RAISE(ABORT, 'statistics are never removed');
END;
CREATE TRIGGER statistics_stay BEFORE UPDATE ON statistics
BEGIN
    SELECT RAISE(ABORT, 'statistics are never rewritten');
END;
CREATE TRIGGER statistics_remain BEFORE DELETE ON statistics
BEGIN
    SELECT RAISE(ABORT, 'statistics are never removed');
END;

-- What somebody says is so, in their own words. It is withdrawn, never changed.
CREATE TABLE declarations (
    id INTEGER PRIMARY KEY,
    -- Which requirement it answers.
    requirement TEXT NOT NULL,
    sentence TEXT NOT NULL,
    declared_by_id INTEGER NOT NULL REFERENCES users (id),
    declared_at TEXT NOT NULL,
    withdrawn_by_id INTEGER REFERENCES users (id),
    withdrawn_at TEXT,
    CHECK ((withdrawn_by_id IS NULL) = (withdrawn_at IS NULL))
) STRICT;
CREATE INDEX declarations_by_requirement ON declarations (requirement, declared_at);

-- A month is told with its rows, which are written with it.
CREATE TRIGGER untold_statistics AFTER INSERT ON statistics_months
BEGIN
    DELETE FROM untold WHERE kind = 'statistics_months' AND a = NEW.id;
    INSERT INTO untold (kind, a) VALUES ('statistics_months', NEW.id);
END;
CREATE TRIGGER untold_declaration AFTER INSERT ON declarations
BEGIN
    DELETE FROM untold WHERE kind = 'declarations' AND a = NEW.id;
    INSERT INTO untold (kind, a) VALUES ('declarations', NEW.id);
END;
CREATE TRIGGER untold_declaration_change AFTER UPDATE ON declarations
BEGIN
    DELETE FROM untold WHERE kind = 'declarations' AND a = NEW.id;
    INSERT INTO untold (kind, a) VALUES ('declarations', NEW.id);
END;

-- How many versions of files of an object are kept, and in which replicas there is a sound copy of
-- each of them: their numbers in order, with commas. Both follow from other tables.
ALTER TABLE objects ADD COLUMN kept_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE objects ADD COLUMN sound_in TEXT NOT NULL DEFAULT '';

-- All that figures are added up from, without the objects themselves.
CREATE INDEX objects_by_figures
    ON objects (institution_id, storage_option, access, sound_in, file_count, size)
    WHERE version > 0 AND state = 'A';
-- What the describing of objects has left out.
CREATE INDEX objects_with_gaps ON objects (institution_id, title)
    WHERE version > 0 AND state = 'A' AND (title = '' OR coalesce(description, '') = '');
-- Deposits of which some step has no date. There are none, but for those of old.
CREATE INDEX deposits_with_gaps ON deposits (object_id)
    WHERE validated_at IS NULL OR identified_at IS NULL OR verified_at IS NULL;
CREATE INDEX file_versions_with_warnings ON file_versions (file_id, version)
    WHERE format_warnings IS NOT NULL AND deleted_at IS NULL;

-- The files that are there by format, of each institution; restricted ones apart.
CREATE TABLE format_sums (
    institution_id INTEGER NOT NULL,
    is_restricted INTEGER NOT NULL,
    format_id INTEGER NOT NULL,
    file_count INTEGER NOT NULL,
    size INTEGER NOT NULL,
    PRIMARY KEY (institution_id, is_restricted, format_id)
) STRICT, WITHOUT ROWID;

INSERT INTO format_sums (institution_id, is_restricted, format_id, file_count, size)
    SELECT o.institution_id, o.access = 'restricted', f.format_id, sum(f.file_count), sum(f.size)
    FROM object_formats AS f JOIN objects AS o ON o.id = f.object_id GROUP BY 1, 2, 3;

CREATE TRIGGER format_sums_insert AFTER INSERT ON object_formats
BEGIN
    INSERT INTO format_sums (institution_id, is_restricted, format_id, file_count, size)
        SELECT o.institution_id, o.access = 'restricted', NEW.format_id, NEW.file_count, NEW.size
        FROM objects AS o WHERE o.id = NEW.object_id
        ON CONFLICT DO UPDATE SET file_count = file_count + excluded.file_count,
            size = size + excluded.size;
END;
CREATE TRIGGER format_sums_update AFTER UPDATE ON object_formats
BEGIN
    UPDATE format_sums SET file_count = file_count + NEW.file_count - OLD.file_count,
            size = size + NEW.size - OLD.size
        WHERE format_id = NEW.format_id AND (institution_id, is_restricted) =
            (SELECT o.institution_id, o.access = 'restricted' FROM objects AS o
             WHERE o.id = NEW.object_id);
END;
CREATE TRIGGER format_sums_delete AFTER DELETE ON object_formats
BEGIN
    UPDATE format_sums SET file_count = file_count - OLD.file_count, size = size - OLD.size
        WHERE format_id = OLD.format_id AND (institution_id, is_restricted) =
            (SELECT o.institution_id, o.access = 'restricted' FROM objects AS o
             WHERE o.id = OLD.object_id);
END;
-- A new version may be restricted where the one before was not.
CREATE TRIGGER format_sums_access AFTER UPDATE OF access ON objects
WHEN (OLD.access = 'restricted') <> (NEW.access = 'restricted')
BEGIN
    INSERT INTO format_sums (institution_id, is_restricted, format_id, file_count, size)
        SELECT NEW.institution_id, OLD.access = 'restricted', f.format_id, -f.file_count, -f.size
        FROM object_formats AS f WHERE f.object_id = NEW.id
        ON CONFLICT DO UPDATE SET file_count = file_count + excluded.file_count,
            size = size + excluded.size;
    INSERT INTO format_sums (institution_id, is_restricted, format_id, file_count, size)
        SELECT NEW.institution_id, NEW.access = 'restricted', f.format_id, f.file_count, f.size
        FROM object_formats AS f WHERE f.object_id = NEW.id
        ON CONFLICT DO UPDATE SET file_count = file_count + excluded.file_count,
            size = size + excluded.size;
END;
