-- What people keep for themselves: filters of lists, under names of their own. Never exported and
-- never told to a vault: nothing that is held depends on it.
CREATE TABLE saved_filters (
    id INTEGER PRIMARY KEY,
    user_id INTEGER NOT NULL REFERENCES users (id),
    -- The page that it is of: its path.
    page TEXT NOT NULL,
    name TEXT NOT NULL,
    -- What stands behind the question mark.
    query TEXT NOT NULL,
    created_at TEXT NOT NULL,
    UNIQUE (user_id, page, name)
) STRICT;

-- Whether an item is of a restricted object is asked by its object: counts stay within the index.
DROP INDEX work_items_by_flow;
CREATE INDEX work_items_by_flow ON work_items
    (flow, date_processed, id, institution_id, object_identifier);
