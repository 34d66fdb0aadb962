-- Whom an alert is for: what administrators alone are told may name what is restricted to them.
-- Rows that change here are told to the ledger again, by the trigger that notes changes.
ALTER TABLE alerts ADD COLUMN everyone INTEGER NOT NULL DEFAULT 0 CHECK (everyone IN (0, 1));
UPDATE alerts SET everyone = 1 WHERE kind = 'restoration-ready' AND NOT EXISTS (
    SELECT 1 FROM work_items AS i JOIN objects AS o ON o.identifier = i.object_identifier
    WHERE i.id = alerts.item_id AND o.access = 'restricted');
CREATE INDEX alerts_for_everyone ON alerts (institution_id, created_at) WHERE everyone;

-- Deposits that ask to be restricted, by the object they are to become: from when they were read,
-- whether or not they were preserved. Their items are for administrators, as the object will be.
CREATE TABLE restricted_deposits (identifier TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
