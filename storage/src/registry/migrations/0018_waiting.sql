-- What items wait for, and since when.
ALTER TABLE work_items ADD COLUMN waiting_since TEXT;
ALTER TABLE work_items ADD COLUMN waiting_for TEXT;
CREATE INDEX work_items_waiting ON work_items (waiting_for, date_processed)
    WHERE waiting_for IS NOT NULL;

-- What it takes to make items again that no scheduled task finds, and to pause topics again, when the
-- work state was lost.
ALTER TABLE work_items ADD COLUMN unique_name TEXT;
CREATE TABLE paused_topics (
    topic TEXT PRIMARY KEY
) STRICT;
