-- Deletions take two people: whose account an act was about is known by number, an approved request
-- waits before anything is erased, and a token deletes only when it was made for that.

-- An e-mail changes; the number of a user does not. Rows of before get the number of the user who bears
-- the e-mail now, or who acted under it.
ALTER TABLE audit ADD COLUMN about_user_id INTEGER;
DROP TRIGGER audit_stays;
CREATE TABLE audit_names (email TEXT PRIMARY KEY COLLATE NOCASE, user_id INTEGER NOT NULL) STRICT;
INSERT OR IGNORE INTO audit_names (email, user_id) SELECT email, id FROM users;
INSERT OR IGNORE INTO audit_names (email, user_id)
    SELECT who, max(user_id) FROM audit WHERE user_id IS NOT NULL GROUP BY who;
UPDATE audit SET about_user_id = (SELECT n.user_id FROM audit_names AS n WHERE n.email = about)
    WHERE about_kind = 'user';
UPDATE audit SET about_user_id =
        (SELECT t.user_id FROM tokens AS t WHERE t.id = CAST(about AS INTEGER))
    WHERE about_kind = 'token';
DROP TABLE audit_names;
CREATE TRIGGER audit_stays BEFORE UPDATE ON audit
BEGIN
    SELECT RAISE(ABORT, 'the audit log is added to and never changed');
END;
CREATE INDEX audit_by_about_user ON audit (about_user_id, at);

-- An approved request may be cancelled until `erase_after`, so both can be set. SQLite changes no rule of
-- a table in place: the rows go aside and come back.
PRAGMA defer_foreign_keys = ON;
DROP VIEW deletions;
CREATE TABLE deletion_requests_before AS SELECT * FROM deletion_requests;
DROP TABLE deletion_requests;
CREATE TABLE deletion_requests (
    id INTEGER PRIMARY KEY,
    -- Drawn when it was made: the name by which vaults know it.
    uuid BLOB NOT NULL UNIQUE CHECK (length(uuid) = 16),
    institution_id INTEGER NOT NULL REFERENCES institutions (id),
    reason TEXT NOT NULL,
    requested_by_id INTEGER NOT NULL REFERENCES users (id),
    -- The user who entered it in the requester's name; absent when the requester did.
    entered_by_id INTEGER REFERENCES users (id),
    requested_at TEXT NOT NULL,
    -- Not approved by then, it is as if cancelled.
    expires_at TEXT NOT NULL,
    confirmed_by_id INTEGER REFERENCES users (id),
    confirmed_at TEXT,
    -- Nothing is erased before this moment. It is set by the approval and never changed.
    erase_after TEXT,
    cancelled_by_id INTEGER REFERENCES users (id),
    cancelled_at TEXT,
    -- When the last of its parts was gone from every replica.
    completed_at TEXT,
    CHECK ((confirmed_by_id IS NULL) = (confirmed_at IS NULL)),
    CHECK ((confirmed_at IS NULL) = (erase_after IS NULL)),
    CHECK ((cancelled_by_id IS NULL) = (cancelled_at IS NULL)),
    CHECK (completed_at IS NULL OR (confirmed_at IS NOT NULL AND cancelled_at IS NULL))
) STRICT;
-- What was approved before had no time to wait for.
INSERT INTO deletion_requests (id, uuid, institution_id, reason, requested_by_id, requested_at,
        expires_at, confirmed_by_id, confirmed_at, erase_after, cancelled_by_id, cancelled_at,
        completed_at)
    SELECT id, uuid, institution_id, reason, requested_by_id, requested_at, expires_at,
        confirmed_by_id, confirmed_at, confirmed_at, cancelled_by_id, cancelled_at, completed_at
    FROM deletion_requests_before;
DROP TABLE deletion_requests_before;
CREATE INDEX deletion_requests_by_date ON deletion_requests (requested_at);
CREATE INDEX deletion_requests_by_institution ON deletion_requests (institution_id, requested_at);
CREATE INDEX deletion_requests_open ON deletion_requests (requested_at)
    WHERE cancelled_at IS NULL AND completed_at IS NULL;
CREATE TRIGGER erase_after_stays BEFORE UPDATE OF erase_after ON deletion_requests
WHEN OLD.erase_after IS NOT NULL AND NEW.erase_after IS NOT OLD.erase_after
BEGIN
    SELECT RAISE(ABORT, 'the end of a cooling-off period is never changed');
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

CREATE VIEW deletions AS
SELECT r.id, r.uuid, r.institution_id, i.name AS institution_name,
    i.identifier AS institution_identifier, r.reason, r.requested_by_id,
    q.name AS requested_by_name, q.email AS requested_by_email, r.requested_at, r.expires_at,
    r.confirmed_by_id, a.name AS confirmed_by_name, a.email AS confirmed_by_email,
    r.confirmed_at, r.erase_after, r.cancelled_by_id, c.name AS cancelled_by_name,
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
     WHERE p.request_id = r.id) AS size,
    r.entered_by_id
FROM deletion_requests AS r
    LEFT JOIN institutions AS i ON i.id = r.institution_id
    LEFT JOIN users AS q ON q.id = r.requested_by_id
    LEFT JOIN users AS a ON a.id = r.confirmed_by_id
    LEFT JOIN users AS c ON c.id = r.cancelled_by_id;

-- A fourth use of a token: deletions and users besides what `write` may.
ALTER TABLE tokens RENAME TO tokens_before;
DROP INDEX tokens_by_user;
CREATE TABLE tokens (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id INTEGER NOT NULL REFERENCES users (id),
    name TEXT NOT NULL,
    token_sha256 BLOB NOT NULL UNIQUE CHECK (length(token_sha256) = 32),
    scope TEXT NOT NULL CHECK (scope IN ('read', 'write', 'research', 'manage')),
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    used_at TEXT,
    revoked_at TEXT
) STRICT;
INSERT INTO tokens (id, user_id, name, token_sha256, scope, created_at, expires_at, used_at,
        revoked_at)
    SELECT id, user_id, name, token_sha256, scope, created_at, expires_at, used_at, revoked_at
    FROM tokens_before;
DROP TABLE tokens_before;
CREATE INDEX tokens_by_user ON tokens (user_id);

-- A change of one's own e-mail that the old address has not confirmed yet. One for each user.
CREATE TABLE email_changes (
    user_id INTEGER PRIMARY KEY REFERENCES users (id),
    email TEXT NOT NULL,
    token_sha256 BLOB NOT NULL UNIQUE CHECK (length(token_sha256) = 32),
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL
) STRICT;
