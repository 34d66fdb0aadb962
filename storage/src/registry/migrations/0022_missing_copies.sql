-- Which replicas every storage option asks for, by name, as told at the last start: a replica that was
-- never used has no row of its own.
CREATE TABLE wanted_replicas (
    storage_option TEXT NOT NULL,
    replica TEXT NOT NULL,
    PRIMARY KEY (storage_option, replica)
) STRICT, WITHOUT ROWID;

-- Objects that a replica of their storage option does not have every copy of. This follows from other
-- tables, and is empty where every replica has everything.
CREATE TABLE missing_copies (
    replica TEXT NOT NULL,
    object_id INTEGER NOT NULL REFERENCES objects (id),
    copy_count INTEGER NOT NULL CHECK (copy_count > 0),
    since TEXT NOT NULL,
    PRIMARY KEY (replica, object_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX missing_copies_by_object ON missing_copies (object_id);
