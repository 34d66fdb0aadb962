-- Files that stayed in their object although the bags of these versions did not have them; one row for
-- versions in a row. What a deposit brings unchanged is in no row at all, so this cannot be derived.
CREATE TABLE kept_files (
    file_id INTEGER NOT NULL REFERENCES files (id),
    from_version INTEGER NOT NULL CHECK (from_version > 1),
    to_version INTEGER NOT NULL CHECK (to_version >= from_version),
    PRIMARY KEY (file_id, from_version)
) STRICT, WITHOUT ROWID;
