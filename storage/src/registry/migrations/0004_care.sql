-- What becomes of objects after they are held: checks, deletions, messages to people; who people
-- are; and which rows the vaults have not been told of yet.

-- An event may be about every file that an object held at that moment: a check of a whole object is
-- one row, however many files it has.
DROP VIEW held_events;
ALTER TABLE events RENAME TO events_before;
CREATE TABLE events (
    id INTEGER PRIMARY KEY,
    identifier BLOB NOT NULL UNIQUE CHECK (length(identifier) = 16),
    wording_id INTEGER NOT NULL REFERENCES wordings (id),
    date_time INTEGER NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome IN ('Success', 'Failure', 'Warning')),
    outcome_detail TEXT NOT NULL,
    -- Which files it is about: none but the object; every file that was held at the moment; all
    -- that the deposit saved; of those the payload; of those the files never seen before; or one.
    scope TEXT NOT NULL CHECK (scope IN ('object', 'held', 'files', 'payload', 'new', 'file')),
    event_type TEXT NOT NULL,
    institution_id INTEGER NOT NULL REFERENCES institutions (id),
    object_id INTEGER NOT NULL REFERENCES objects (id),
    deposit_id INTEGER REFERENCES deposits (id),
    file_id INTEGER REFERENCES files (id),
    CHECK ((scope = 'file') = (file_id IS NOT NULL)),
    CHECK (scope IN ('object', 'held', 'file') OR deposit_id IS NOT NULL)
) STRICT;
INSERT INTO events (id, identifier, wording_id, date_time, outcome, outcome_detail, scope,
        event_type, institution_id, object_id, deposit_id, file_id)
    SELECT id, identifier, wording_id, date_time, outcome, outcome_detail, scope, event_type,
        institution_id, object_id, deposit_id, file_id
    FROM events_before;
DROP TABLE events_before;

CREATE INDEX events_by_date ON events (date_time);
CREATE INDEX events_by_institution ON events (institution_id, date_time);
CREATE INDEX events_by_object ON events (object_id, date_time);
CREATE INDEX events_by_type ON events (event_type, date_time);
CREATE INDEX events_by_outcome ON events (outcome, date_time);
CREATE INDEX events_by_deposit ON events (deposit_id) WHERE deposit_id IS NOT NULL;
CREATE INDEX events_by_file ON events (file_id, date_time) WHERE file_id IS NOT NULL;

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

-- When all copies of an object in a replica were last looked at, in one row instead of one for each
-- copy. A copy itself says when it was last looked at alone; the later of the two counts.
CREATE TABLE checks (
    object_id INTEGER NOT NULL REFERENCES objects (id),
    replica_id INTEGER NOT NULL REFERENCES replicas (id),
    checked_at INTEGER NOT NULL,
    PRIMARY KEY (object_id, replica_id)
) STRICT, WITHOUT ROWID;

-- When the copy that was not looked at for longest was looked at; derived as its neighbours are.
ALTER TABLE object_copies ADD COLUMN oldest_checked_at INTEGER NOT NULL DEFAULT 0;
CREATE INDEX object_copies_by_check ON object_copies (replica_id, oldest_checked_at);
DROP INDEX copies_by_check;

DROP VIEW held_files;
DROP VIEW file_facts;
CREATE VIEW file_facts AS
SELECT v.file_id AS id, f.object_id AS intellectual_object_id, o.institution_id,
    o.identifier AS object_identifier, o.access, o.storage_option, f.path, f.uuid,
    f.first_version, v.version, v.deposit_id,
    CASE WHEN v.deleted_at IS NULL THEN 'A' ELSE 'D' END AS state, v.size, v.modified_at,
    v.deleted_at, v.content_path, m.puid, m.name AS format_name, m.version AS format_version,
    m.mime AS file_format, m.basis AS format_basis, v.format_warnings, v.md5, v.sha1, v.sha256,
    v.sha512, b.recorded_at AS created_at, d.recorded_at AS updated_at,
    (SELECT min(max(c.last_checked_at, coalesce((SELECT k.checked_at FROM checks AS k
            WHERE k.object_id = f.object_id AND k.replica_id = c.replica_id), 0)))
     FROM copies AS c WHERE c.file_id = v.file_id AND c.version = v.version) AS last_fixity_check,
    v.format_id, v.superseded_by, o.version AS sealed_version
FROM files AS f JOIN file_versions AS v ON v.file_id = f.id
    CROSS JOIN objects AS o ON o.id = f.object_id
    LEFT JOIN formats AS m ON m.id = v.format_id
    LEFT JOIN deposits AS d ON d.id = v.deposit_id
    LEFT JOIN deposits AS b ON b.object_id = f.object_id AND b.version = f.first_version;
CREATE VIEW held_files AS
SELECT * FROM file_facts
WHERE version <= sealed_version AND (superseded_by IS NULL OR superseded_by > sealed_version);

-- What proves who somebody is. Never exported, never told to a vault.
CREATE TABLE credentials (
    user_id INTEGER PRIMARY KEY REFERENCES users (id),
    password_hash TEXT NOT NULL,
    changed_at TEXT NOT NULL,
    -- Wrong passwords since the last right one, and until when none is looked at.
    failure_count INTEGER NOT NULL DEFAULT 0 CHECK (failure_count >= 0),
    locked_until TEXT
) STRICT;

CREATE TABLE sessions (
    token_sha256 BLOB PRIMARY KEY CHECK (length(token_sha256) = 32),
    user_id INTEGER NOT NULL REFERENCES users (id),
    created_at TEXT NOT NULL,
    seen_at TEXT NOT NULL,
    expires_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_by_user ON sessions (user_id);
CREATE INDEX sessions_by_end ON sessions (expires_at);

-- Links that set a password, once.
CREATE TABLE one_time_links (
    token_sha256 BLOB PRIMARY KEY CHECK (length(token_sha256) = 32),
    user_id INTEGER NOT NULL REFERENCES users (id),
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    used_at TEXT
) STRICT, WITHOUT ROWID;

-- A wish to delete, and what two people made of it.
CREATE TABLE deletion_requests (
    id INTEGER PRIMARY KEY,
    -- Drawn when it was made: the name by which vaults know it.
    uuid BLOB NOT NULL UNIQUE CHECK (length(uuid) = 16),
    institution_id INTEGER NOT NULL REFERENCES institutions (id),
    reason TEXT NOT NULL,
    requested_by_id INTEGER NOT NULL REFERENCES users (id),
    requested_at TEXT NOT NULL,
    -- Not approved by then, it is as if cancelled.
    expires_at TEXT NOT NULL,
    confirmed_by_id INTEGER REFERENCES users (id),
    confirmed_at TEXT,
    cancelled_by_id INTEGER REFERENCES users (id),
    cancelled_at TEXT,
    -- When the last of its parts was gone from every replica.
    completed_at TEXT,
    CHECK ((confirmed_by_id IS NULL) = (confirmed_at IS NULL)),
    CHECK ((cancelled_by_id IS NULL) = (cancelled_at IS NULL)),
    CHECK (confirmed_at IS NULL OR cancelled_at IS NULL),
    CHECK (completed_at IS NULL OR confirmed_at IS NOT NULL)
) STRICT;
CREATE INDEX deletion_requests_by_date ON deletion_requests (requested_at);
CREATE INDEX deletion_requests_by_institution ON deletion_requests (institution_id, requested_at);
CREATE INDEX deletion_requests_open ON deletion_requests (requested_at)
    WHERE cancelled_at IS NULL AND completed_at IS NULL;

-- What a request is about: a whole object, or one file of it.
CREATE TABLE deletion_parts (
    id INTEGER PRIMARY KEY,
    request_id INTEGER NOT NULL REFERENCES deletion_requests (id),
    object_id INTEGER NOT NULL REFERENCES objects (id),
    file_id INTEGER REFERENCES files (id),
    -- The item that does it, once it is approved and there is one.
    item_id INTEGER,
    -- When it was gone from every replica.
    done_at TEXT,
    -- How much that is: as asked for, and once it is done, as it went.
    file_count INTEGER NOT NULL DEFAULT 0,
    size INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX deletion_parts_once
    ON deletion_parts (request_id, object_id, coalesce(file_id, 0));
CREATE INDEX deletion_parts_by_object ON deletion_parts (object_id);
CREATE INDEX deletion_parts_undone ON deletion_parts (request_id) WHERE done_at IS NULL;

-- From which replicas a part is gone, proved by a look at each.
CREATE TABLE deletion_copies (
    part_id INTEGER NOT NULL REFERENCES deletion_parts (id),
    replica_id INTEGER NOT NULL REFERENCES replicas (id),
    gone_at TEXT NOT NULL,
    PRIMARY KEY (part_id, replica_id)
) STRICT, WITHOUT ROWID;

CREATE VIEW deletions AS
SELECT r.id, r.uuid, r.institution_id, i.name AS institution_name,
    i.identifier AS institution_identifier, r.reason, r.requested_by_id,
    q.name AS requested_by_name, q.email AS requested_by_email, r.requested_at, r.expires_at,
    r.confirmed_by_id, a.name AS confirmed_by_name, a.email AS confirmed_by_email,
    r.confirmed_at, r.cancelled_by_id, c.name AS cancelled_by_name,
    c.email AS cancelled_by_email, r.cancelled_at, r.completed_at,
    (SELECT count(*) FROM deletion_parts AS p
     WHERE p.request_id = r.id AND p.file_id IS NULL) AS object_count,
    (SELECT count(*) FROM deletion_parts AS p
     WHERE p.request_id = r.id AND p.file_id IS NOT NULL) AS file_count,
    (SELECT count(*) FROM deletion_parts AS p
     WHERE p.request_id = r.id AND p.done_at IS NOT NULL) AS done_count,
    (SELECT coalesce(sum(p.file_count), 0) FROM deletion_parts AS p
     WHERE p.request_id = r.id) AS deleted_file_count,
    (SELECT coalesce(sum(p.size), 0) FROM deletion_parts AS p
     WHERE p.request_id = r.id) AS size
FROM deletion_requests AS r
    LEFT JOIN institutions AS i ON i.id = r.institution_id
    LEFT JOIN users AS q ON q.id = r.requested_by_id
    LEFT JOIN users AS a ON a.id = r.confirmed_by_id
    LEFT JOIN users AS c ON c.id = r.cancelled_by_id;

-- Messages to people.
CREATE TABLE alerts (
    id INTEGER PRIMARY KEY,
    -- What it is about: the same thing is told once.
    name TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    -- Absent for what concerns the house.
    institution_id INTEGER REFERENCES institutions (id),
    subject TEXT NOT NULL,
    content TEXT NOT NULL,
    -- The page of ours to go to, if there is one.
    page TEXT,
    deletion_request_id INTEGER REFERENCES deletion_requests (id),
    item_id INTEGER,
    created_at TEXT NOT NULL,
    -- When it was no longer so.
    ended_at TEXT
) STRICT;
CREATE INDEX alerts_by_date ON alerts (created_at);
CREATE INDEX alerts_by_institution ON alerts (institution_id, created_at);
CREATE INDEX alerts_by_kind ON alerts (kind, created_at);
CREATE INDEX alerts_open ON alerts (kind) WHERE ended_at IS NULL;

CREATE TABLE alert_readings (
    alert_id INTEGER NOT NULL REFERENCES alerts (id),
    user_id INTEGER NOT NULL REFERENCES users (id),
    read_at TEXT NOT NULL,
    PRIMARY KEY (alert_id, user_id)
) STRICT, WITHOUT ROWID;

-- What is to be sent, until it was.
CREATE TABLE outbox (
    id INTEGER PRIMARY KEY,
    alert_id INTEGER NOT NULL REFERENCES alerts (id),
    channel TEXT NOT NULL CHECK (channel IN ('email', 'webhook')),
    recipient TEXT NOT NULL,
    created_at TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    due_at TEXT NOT NULL,
    sent_at TEXT,
    given_up_at TEXT,
    trouble TEXT,
    UNIQUE (alert_id, channel, recipient)
) STRICT;
CREATE INDEX outbox_due ON outbox (due_at) WHERE sent_at IS NULL AND given_up_at IS NULL;

-- Rows that the vaults' ledgers do not tell yet, in the order they changed. What a deposit brings
-- stands in its chronicle; everything else that must survive the loss of this file comes here.
CREATE TABLE untold (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    a INTEGER NOT NULL,
    b INTEGER NOT NULL DEFAULT 0,
    c INTEGER NOT NULL DEFAULT 0,
    UNIQUE (kind, a, b, c)
) STRICT;

-- The newest page of the ledger; the earlier ones are full.
CREATE TABLE ledger (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    page INTEGER NOT NULL CHECK (page > 0),
    line_count INTEGER NOT NULL,
    sha512 BLOB NOT NULL CHECK (length(sha512) = 64)
) STRICT;

-- A row that changes again moves to the end. Not by a conflict clause: that of the statement which
-- fires a trigger would take its place.
CREATE TRIGGER untold_institution AFTER INSERT ON institutions
BEGIN
    DELETE FROM untold WHERE kind = 'institutions' AND a = NEW.id;
    INSERT INTO untold (kind, a) VALUES ('institutions', NEW.id);
END;
CREATE TRIGGER untold_institution_change AFTER UPDATE ON institutions
BEGIN
    DELETE FROM untold WHERE kind = 'institutions' AND a = NEW.id;
    INSERT INTO untold (kind, a) VALUES ('institutions', NEW.id);
END;
CREATE TRIGGER untold_user AFTER INSERT ON users
BEGIN
    DELETE FROM untold WHERE kind = 'users' AND a = NEW.id;
    INSERT INTO untold (kind, a) VALUES ('users', NEW.id);
END;
CREATE TRIGGER untold_user_change AFTER UPDATE ON users
BEGIN
    DELETE FROM untold WHERE kind = 'users' AND a = NEW.id;
    INSERT INTO untold (kind, a) VALUES ('users', NEW.id);
END;
CREATE TRIGGER untold_item AFTER INSERT ON work_items
WHEN NEW.state IN ('finished', 'failed', 'cancelled', 'expired')
BEGIN
    DELETE FROM untold WHERE kind = 'work_items' AND a = NEW.id;
    INSERT INTO untold (kind, a) VALUES ('work_items', NEW.id);
END;
CREATE TRIGGER untold_item_end AFTER UPDATE ON work_items
WHEN NEW.state IN ('finished', 'failed', 'cancelled', 'expired')
BEGIN
    DELETE FROM untold WHERE kind = 'work_items' AND a = NEW.id;
    INSERT INTO untold (kind, a) VALUES ('work_items', NEW.id);
END;
CREATE TRIGGER untold_event AFTER INSERT ON events WHEN NEW.deposit_id IS NULL
BEGIN
    DELETE FROM untold WHERE kind = 'events' AND a = NEW.id;
    INSERT INTO untold (kind, a) VALUES ('events', NEW.id);
END;
CREATE TRIGGER untold_check AFTER INSERT ON checks
BEGIN
    DELETE FROM untold WHERE kind = 'checks' AND a = NEW.object_id AND b = NEW.replica_id;
    INSERT INTO untold (kind, a, b) VALUES ('checks', NEW.object_id, NEW.replica_id);
END;
CREATE TRIGGER untold_check_again AFTER UPDATE ON checks
BEGIN
    DELETE FROM untold WHERE kind = 'checks' AND a = NEW.object_id AND b = NEW.replica_id;
    INSERT INTO untold (kind, a, b) VALUES ('checks', NEW.object_id, NEW.replica_id);
END;
CREATE TRIGGER untold_copy AFTER UPDATE OF last_checked_at, state ON copies
BEGIN
    DELETE FROM untold WHERE kind = 'copies' AND a = NEW.file_id AND b = NEW.version AND c = NEW.replica_id;
    INSERT INTO untold (kind, a, b, c) VALUES ('copies', NEW.file_id, NEW.version, NEW.replica_id);
END;
CREATE TRIGGER untold_request AFTER INSERT ON deletion_requests
BEGIN
    DELETE FROM untold WHERE kind = 'deletion_requests' AND a = NEW.id;
    INSERT INTO untold (kind, a) VALUES ('deletion_requests', NEW.id);
END;
CREATE TRIGGER untold_request_change AFTER UPDATE ON deletion_requests
BEGIN
    DELETE FROM untold WHERE kind = 'deletion_requests' AND a = NEW.id;
    INSERT INTO untold (kind, a) VALUES ('deletion_requests', NEW.id);
END;
CREATE TRIGGER untold_part AFTER INSERT ON deletion_parts
BEGIN
    DELETE FROM untold WHERE kind = 'deletion_parts' AND a = NEW.id;
    INSERT INTO untold (kind, a) VALUES ('deletion_parts', NEW.id);
END;
CREATE TRIGGER untold_part_change AFTER UPDATE ON deletion_parts
BEGIN
    DELETE FROM untold WHERE kind = 'deletion_parts' AND a = NEW.id;
    INSERT INTO untold (kind, a) VALUES ('deletion_parts', NEW.id);
END;
CREATE TRIGGER untold_deletion_copy AFTER INSERT ON deletion_copies
BEGIN
    DELETE FROM untold WHERE kind = 'deletion_copies' AND a = NEW.part_id AND b = NEW.replica_id;
    INSERT INTO untold (kind, a, b) VALUES ('deletion_copies', NEW.part_id, NEW.replica_id);
END;
CREATE TRIGGER untold_alert AFTER INSERT ON alerts
BEGIN
    DELETE FROM untold WHERE kind = 'alerts' AND a = NEW.id;
    INSERT INTO untold (kind, a) VALUES ('alerts', NEW.id);
END;
CREATE TRIGGER untold_alert_end AFTER UPDATE ON alerts
BEGIN
    DELETE FROM untold WHERE kind = 'alerts' AND a = NEW.id;
    INSERT INTO untold (kind, a) VALUES ('alerts', NEW.id);
END;

INSERT INTO untold (kind, a) SELECT 'institutions', id FROM institutions;
INSERT INTO untold (kind, a) SELECT 'users', id FROM users;
INSERT INTO untold (kind, a) SELECT 'work_items', id FROM work_items
    WHERE state IN ('finished', 'failed', 'cancelled', 'expired');
INSERT INTO untold (kind, a) SELECT 'events', id FROM events WHERE deposit_id IS NULL;
INSERT INTO untold (kind, a, b, c) SELECT 'copies', file_id, version, replica_id FROM copies
    WHERE last_checked_at <> verified_at OR state <> 0;
