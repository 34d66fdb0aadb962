-- Feeds that are read from time to time, tokens for researchers, and recordings that have changed.

CREATE TABLE research_feeds (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL CHECK (kind IN ('episode', 'clip')),
    url TEXT NOT NULL,
    -- How often it is read.
    every_h INTEGER NOT NULL CHECK (every_h BETWEEN 1 AND 8760),
    added_by TEXT NOT NULL,
    added_at TEXT NOT NULL,
    -- What its first page was marked with when it was last read whole.
    etag TEXT,
    modified TEXT,
    read_at TEXT,
    -- What came of that, in a sentence, and whether all of it could be read.
    outcome TEXT NOT NULL DEFAULT '',
    is_well INTEGER NOT NULL DEFAULT 1 CHECK (is_well IN (0, 1)),
    next_at TEXT NOT NULL,
    -- A row stays, so that its removal can be told.
    removed_at TEXT
) STRICT;
CREATE UNIQUE INDEX research_feeds_by_name ON research_feeds (kind, url) WHERE removed_at IS NULL;
CREATE INDEX research_feeds_due ON research_feeds (next_at) WHERE removed_at IS NULL;

CREATE TRIGGER untold_feed AFTER INSERT ON research_feeds
BEGIN
    DELETE FROM untold WHERE kind = 'research_feeds' AND a = NEW.id;
    INSERT INTO untold (kind, a) VALUES ('research_feeds', NEW.id);
END;
CREATE TRIGGER untold_feed_change AFTER UPDATE ON research_feeds
BEGIN
    DELETE FROM untold WHERE kind = 'research_feeds' AND a = NEW.id;
    INSERT INTO untold (kind, a) VALUES ('research_feeds', NEW.id);
END;

-- A pair that is searched anew in other bytes has another finding under the same number, here and
-- when it is told back: what stood below the one before goes with it.
CREATE TRIGGER research_finding_anew AFTER INSERT ON research_findings
BEGIN
    DELETE FROM research_occurrences WHERE finding_id = NEW.id;
END;

-- A token may also be for taking part in research, and nothing else.
ALTER TABLE tokens RENAME TO tokens_before;
DROP INDEX tokens_by_user;
CREATE TABLE tokens (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id INTEGER NOT NULL REFERENCES users (id),
    name TEXT NOT NULL,
    token_sha256 BLOB NOT NULL UNIQUE CHECK (length(token_sha256) = 32),
    scope TEXT NOT NULL CHECK (scope IN ('read', 'write', 'research')),
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
