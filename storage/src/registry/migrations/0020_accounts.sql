-- Where the sign-ins of a user come from, and how many of them were wrong. A browser is known by the
-- digest of a secret in its cookie, an address by its text (of IPv6 by its first 64 bits). The one row
-- of the kind 'others' counts for all browsers and addresses from which the user never signed in.
CREATE TABLE sign_in_sources (
    user_id INTEGER NOT NULL REFERENCES users (id),
    kind TEXT NOT NULL CHECK (kind IN ('browser', 'address', 'others')),
    name TEXT NOT NULL,
    -- The last sign-in from there; absent where there was none.
    signed_in_at TEXT,
    -- Wrong passwords and codes since, when the last of them came, and until when none is looked at.
    failure_count INTEGER NOT NULL DEFAULT 0 CHECK (failure_count >= 0),
    failed_at TEXT,
    locked_until TEXT,
    PRIMARY KEY (user_id, kind, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX sign_in_sources_by_browser ON sign_in_sources (name) WHERE kind = 'browser';

-- Failures were counted for the account as a whole until now; these columns are not used any more.
UPDATE credentials SET failure_count = 0, locked_until = NULL;

-- A secret of a second factor is 20 bytes, or 49 when it is sealed.
ALTER TABLE factors RENAME TO factors_before;
CREATE TABLE factors (
    user_id INTEGER PRIMARY KEY REFERENCES users (id),
    secret BLOB NOT NULL CHECK (length(secret) IN (20, 49)),
    created_at TEXT NOT NULL,
    -- Counts from the first right code on.
    confirmed_at TEXT,
    -- The last step of thirty seconds whose code was taken: none is taken twice.
    last_step INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO factors (user_id, secret, created_at, confirmed_at, last_step)
    SELECT user_id, secret, created_at, confirmed_at, last_step FROM factors_before;
DROP TABLE factors_before;
