-- Second factors, tokens, sessions that can be told apart, and the log of who did what.

-- A session has a number that may be shown, and says where it was begun.
ALTER TABLE sessions RENAME TO sessions_before;
DROP INDEX sessions_by_user;
DROP INDEX sessions_by_end;
CREATE TABLE sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    token_sha256 BLOB NOT NULL UNIQUE CHECK (length(token_sha256) = 32),
    user_id INTEGER NOT NULL REFERENCES users (id),
    -- Where it was begun, and what the browser called itself.
    address TEXT NOT NULL DEFAULT '',
    browser TEXT NOT NULL DEFAULT '',
    created_at TEXT NOT NULL,
    seen_at TEXT NOT NULL,
    expires_at TEXT NOT NULL
) STRICT;
INSERT INTO sessions (token_sha256, user_id, created_at, seen_at, expires_at)
    SELECT token_sha256, user_id, created_at, seen_at, expires_at FROM sessions_before
    ORDER BY created_at;
DROP TABLE sessions_before;
CREATE INDEX sessions_by_user ON sessions (user_id);
CREATE INDEX sessions_by_end ON sessions (expires_at);

-- The password was right and the code is awaited. Opens nothing by itself.
CREATE TABLE half_sign_ins (
    token_sha256 BLOB PRIMARY KEY CHECK (length(token_sha256) = 32),
    user_id INTEGER NOT NULL REFERENCES users (id),
    expires_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX half_sign_ins_by_user ON half_sign_ins (user_id);

-- What a user's second factor is computed from. It must be readable to be used; so it is never
-- exported and never told to a vault.
CREATE TABLE factors (
    user_id INTEGER PRIMARY KEY REFERENCES users (id),
    secret BLOB NOT NULL CHECK (length(secret) = 20),
    created_at TEXT NOT NULL,
    -- Counts from the first right code on.
    confirmed_at TEXT,
    -- The last step of thirty seconds whose code was taken: none is taken twice.
    last_step INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE backup_codes (
    user_id INTEGER NOT NULL REFERENCES users (id),
    code_sha256 BLOB NOT NULL CHECK (length(code_sha256) = 32),
    used_at TEXT,
    PRIMARY KEY (user_id, code_sha256)
) STRICT, WITHOUT ROWID;

-- What programs of a user prove themselves with.
CREATE TABLE tokens (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id INTEGER NOT NULL REFERENCES users (id),
    name TEXT NOT NULL,
    token_sha256 BLOB NOT NULL UNIQUE CHECK (length(token_sha256) = 32),
    scope TEXT NOT NULL CHECK (scope IN ('read', 'write')),
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    used_at TEXT,
    revoked_at TEXT
) STRICT;
CREATE INDEX tokens_by_user ON tokens (user_id);

-- Who has forgotten the password and waits for an administrator.
CREATE TABLE password_wishes (
    user_id INTEGER PRIMARY KEY REFERENCES users (id),
    asked_at TEXT NOT NULL
) STRICT;

-- Letters to one person that are no alerts. The text may hold a link: it is blanked when it was
-- sent, and never exported.
CREATE TABLE letters (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    recipient TEXT NOT NULL,
    subject TEXT NOT NULL,
    content TEXT NOT NULL,
    created_at TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    due_at TEXT NOT NULL,
    sent_at TEXT,
    given_up_at TEXT,
    trouble TEXT
) STRICT;
CREATE INDEX letters_due ON letters (due_at) WHERE sent_at IS NULL AND given_up_at IS NULL;

-- Who did what, and what came of it. Rows are added and never touched again.
CREATE TABLE audit (
    id INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    -- The user's number, and the e-mail as it was then; no number for the command line and nobody.
    user_id INTEGER,
    who TEXT NOT NULL,
    how TEXT NOT NULL,
    token_id INTEGER,
    address TEXT NOT NULL,
    deed TEXT NOT NULL,
    about_kind TEXT NOT NULL,
    about TEXT NOT NULL,
    -- Whose affair it is; absent for the house's own.
    institution_id INTEGER,
    outcome TEXT NOT NULL CHECK (outcome IN ('done', 'refused', 'failed')),
    detail TEXT NOT NULL
) STRICT;
CREATE INDEX audit_by_date ON audit (at);
CREATE INDEX audit_by_institution ON audit (institution_id, at);
CREATE INDEX audit_by_user ON audit (user_id, at);
CREATE INDEX audit_by_deed ON audit (deed, at);
CREATE INDEX audit_by_outcome ON audit (outcome, at);
CREATE INDEX audit_by_about ON audit (about_kind, about, at);

CREATE TRIGGER audit_stays BEFORE UPDATE ON audit
BEGIN
    SELECT RAISE(ABORT, 'the audit log is added to and never changed');
END;
CREATE TRIGGER audit_is_kept BEFORE DELETE ON audit
BEGIN
    SELECT RAISE(ABORT, 'the audit log is added to and never changed');
END;
CREATE TRIGGER untold_audit AFTER INSERT ON audit
BEGIN
    DELETE FROM untold WHERE kind = 'audit' AND a = NEW.id;
    INSERT INTO untold (kind, a) VALUES ('audit', NEW.id);
END;
