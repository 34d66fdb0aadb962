-- Assessments of sites: what was asked, what came of it, how it is told to those who wait for it.

CREATE TABLE assessments (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid BLOB NOT NULL UNIQUE CHECK (length(uuid) = 16),
    -- What the asker calls it.
    reference TEXT NOT NULL,
    name TEXT NOT NULL,
    institution_id INTEGER NOT NULL REFERENCES institutions (id),
    -- The e-mail, or a word for who it was.
    asked_by TEXT NOT NULL,
    -- The item that works on it.
    item_id INTEGER,
    method TEXT NOT NULL,
    -- Of the reference data; of the moment of asking until it is assessed.
    data_version TEXT NOT NULL,
    dwellings INTEGER NOT NULL,
    -- Hectares, and kilograms a year with two decimals.
    area_ha TEXT,
    nitrogen_kg TEXT,
    phosphorus_kg TEXT,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'assessed', 'cancelled')),
    outcome TEXT,
    created_at TEXT NOT NULL,
    ended_at TEXT,
    -- Digest of reference, site, data version and method: what is asked again is answered from here.
    same TEXT NOT NULL,
    -- Whoever has the token may read the result; it never leaves the registry.
    token_sha256 BLOB CHECK (length(token_sha256) = 32),
    -- The site and what else was asked, and the whole result, as JSON. Last, because lists do not
    -- read them.
    wish TEXT NOT NULL,
    result TEXT
) STRICT;
CREATE INDEX assessments_by_date ON assessments (created_at, institution_id);
CREATE INDEX assessments_by_institution ON assessments (institution_id, created_at);
CREATE INDEX assessments_by_reference ON assessments (reference, created_at, institution_id);
CREATE INDEX assessments_by_state ON assessments (state, created_at, institution_id);
CREATE INDEX assessments_by_outcome ON assessments (outcome, created_at, institution_id);
CREATE INDEX assessments_by_method ON assessments (method, created_at, institution_id);
CREATE INDEX assessments_by_data ON assessments (data_version, created_at, institution_id);
CREATE INDEX assessments_by_asker ON assessments (asked_by, created_at, institution_id);
CREATE INDEX assessments_by_item ON assessments (item_id, created_at, institution_id);
CREATE INDEX assessments_same ON assessments (same);
CREATE INDEX assessments_waiting ON assessments (id) WHERE state = 'waiting';

-- Results on their way to whoever waits for them.
CREATE TABLE deliveries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    assessment_id INTEGER NOT NULL REFERENCES assessments (id),
    channel TEXT NOT NULL CHECK (channel IN ('callback', 'email')),
    -- The address, or the path below the configured one.
    target TEXT NOT NULL,
    subject TEXT NOT NULL,
    body TEXT NOT NULL,
    -- What the other side follows a request by.
    trace TEXT,
    -- The same at every attempt, and never that of another.
    mark TEXT NOT NULL UNIQUE,
    created_at TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    due_at TEXT NOT NULL,
    sent_at TEXT,
    given_up_at TEXT,
    trouble TEXT,
    UNIQUE (assessment_id, channel, target)
) STRICT;
CREATE INDEX deliveries_due ON deliveries (channel, due_at)
    WHERE sent_at IS NULL AND given_up_at IS NULL;
CREATE INDEX deliveries_given_up ON deliveries (given_up_at) WHERE given_up_at IS NOT NULL;

CREATE TABLE delivery_attempts (
    delivery_id INTEGER NOT NULL REFERENCES deliveries (id),
    number INTEGER NOT NULL,
    at TEXT NOT NULL,
    -- What went wrong; absent when it was taken.
    trouble TEXT,
    PRIMARY KEY (delivery_id, number)
) STRICT, WITHOUT ROWID;

-- Every price that was worked out, with all that went into it. Rows are added, and stamped when the
-- price was sent.
CREATE TABLE levies (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    assessment_id INTEGER NOT NULL UNIQUE REFERENCES assessments (id),
    -- Pounds and pence.
    total_gbp TEXT NOT NULL,
    -- Inputs, rows used and the version of the rule, as JSON.
    record TEXT NOT NULL,
    calculated_at TEXT NOT NULL,
    sent_at TEXT
) STRICT;

CREATE TRIGGER untold_assessment AFTER INSERT ON assessments
BEGIN
    DELETE FROM untold WHERE kind = 'assessments' AND a = NEW.id;
    INSERT INTO untold (kind, a) VALUES ('assessments', NEW.id);
END;
CREATE TRIGGER untold_assessment_change AFTER UPDATE ON assessments
BEGIN
    DELETE FROM untold WHERE kind = 'assessments' AND a = NEW.id;
    INSERT INTO untold (kind, a) VALUES ('assessments', NEW.id);
END;
CREATE TRIGGER untold_delivery AFTER INSERT ON deliveries
BEGIN
    DELETE FROM untold WHERE kind = 'deliveries' AND a = NEW.id;
    INSERT INTO untold (kind, a) VALUES ('deliveries', NEW.id);
END;
CREATE TRIGGER untold_delivery_change AFTER UPDATE ON deliveries
BEGIN
    DELETE FROM untold WHERE kind = 'deliveries' AND a = NEW.id;
    INSERT INTO untold (kind, a) VALUES ('deliveries', NEW.id);
END;
CREATE TRIGGER untold_levy AFTER INSERT ON levies
BEGIN
    DELETE FROM untold WHERE kind = 'levies' AND a = NEW.id;
    INSERT INTO untold (kind, a) VALUES ('levies', NEW.id);
END;
CREATE TRIGGER untold_levy_change AFTER UPDATE ON levies
BEGIN
    DELETE FROM untold WHERE kind = 'levies' AND a = NEW.id;
    INSERT INTO untold (kind, a) VALUES ('levies', NEW.id);
END;
