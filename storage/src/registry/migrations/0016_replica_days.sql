-- What every replica has, by the day (since 1970) of the oldest look at an object's copies there:
-- figures of replicas add up days, and not a row for every object.
CREATE TABLE replica_days (
    replica_id INTEGER NOT NULL REFERENCES replicas (id),
    day INTEGER NOT NULL,
    object_count INTEGER NOT NULL,
    copy_count INTEGER NOT NULL,
    unsound_count INTEGER NOT NULL,
    -- Of the files of these objects, in their newest version.
    size INTEGER NOT NULL,
    PRIMARY KEY (replica_id, day)
) STRICT, WITHOUT ROWID;

INSERT INTO replica_days (replica_id, day, object_count, copy_count, unsound_count, size)
    SELECT n.replica_id, n.oldest_checked_at / 86400000, count(*), sum(n.copy_count),
        sum(n.unsound_count), sum(o.size)
    FROM object_copies AS n JOIN objects AS o ON o.id = n.object_id
    WHERE n.copy_count > 0 GROUP BY 1, 2;

CREATE TRIGGER replica_days_in AFTER INSERT ON object_copies WHEN NEW.copy_count > 0
BEGIN
    INSERT INTO replica_days (replica_id, day, object_count, copy_count, unsound_count, size)
        SELECT NEW.replica_id, NEW.oldest_checked_at / 86400000, 1, NEW.copy_count,
            NEW.unsound_count, o.size
        FROM objects AS o WHERE o.id = NEW.object_id
        ON CONFLICT (replica_id, day) DO UPDATE SET object_count = object_count + 1,
            copy_count = copy_count + excluded.copy_count,
            unsound_count = unsound_count + excluded.unsound_count, size = size + excluded.size;
END;

CREATE TRIGGER replica_days_out AFTER DELETE ON object_copies WHEN OLD.copy_count > 0
BEGIN
    UPDATE replica_days SET object_count = object_count - 1,
            copy_count = copy_count - OLD.copy_count,
            unsound_count = unsound_count - OLD.unsound_count,
            size = size - (SELECT o.size FROM objects AS o WHERE o.id = OLD.object_id)
        WHERE replica_id = OLD.replica_id AND day = OLD.oldest_checked_at / 86400000;
END;

CREATE TRIGGER replica_days_change
AFTER UPDATE OF copy_count, unsound_count, oldest_checked_at ON object_copies
BEGIN
    UPDATE replica_days SET object_count = object_count - 1,
            copy_count = copy_count - OLD.copy_count,
            unsound_count = unsound_count - OLD.unsound_count,
            size = size - (SELECT o.size FROM objects AS o WHERE o.id = OLD.object_id)
        WHERE OLD.copy_count > 0
            AND replica_id = OLD.replica_id AND day = OLD.oldest_checked_at / 86400000;
    INSERT INTO replica_days (replica_id, day, object_count, copy_count, unsound_count, size)
        SELECT NEW.replica_id, NEW.oldest_checked_at / 86400000, 1, NEW.copy_count,
            NEW.unsound_count, o.size
        FROM objects AS o WHERE o.id = NEW.object_id AND NEW.copy_count > 0
        ON CONFLICT (replica_id, day) DO UPDATE SET object_count = object_count + 1,
            copy_count = copy_count + excluded.copy_count,
            unsound_count = unsound_count + excluded.unsound_count, size = size + excluded.size;
END;

CREATE TRIGGER replica_days_size AFTER UPDATE OF size ON objects WHEN NEW.size <> OLD.size
BEGIN
    UPDATE replica_days SET size = size + NEW.size - OLD.size
        WHERE (replica_id, day) IN (SELECT n.replica_id, n.oldest_checked_at / 86400000
            FROM object_copies AS n WHERE n.object_id = NEW.id AND n.copy_count > 0);
END;
