-- The journal that every replica keeps of this registry, in series of chained pages. Pages of before
-- have no series: their newest one stays noted in `ledger`.
CREATE TABLE journal (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    series INTEGER NOT NULL CHECK (series > 0),
    -- The newest page of the series; zero when it has none yet.
    page INTEGER NOT NULL CHECK (page >= 0),
    line_count INTEGER NOT NULL CHECK (line_count >= 0),
    sha512 BLOB NOT NULL CHECK (length(sha512) = 64),
    -- By which key its pages are signed: the beginning of the key's digest.
    key_id TEXT NOT NULL,
    -- 'partial': older series are needed besides it. 'copying': every row is being written to it, up
    -- to the key below. 'whole': it has every row.
    phase TEXT NOT NULL CHECK (phase IN ('partial', 'copying', 'whole')),
    kind TEXT NOT NULL DEFAULT '',
    a INTEGER NOT NULL DEFAULT 0,
    b INTEGER NOT NULL DEFAULT 0,
    c INTEGER NOT NULL DEFAULT 0,
    -- Whether older series may still be in replicas.
    has_older INTEGER NOT NULL CHECK (has_older IN (0, 1))
) STRICT;

-- The role that an administrator had before the registry was rebuilt. The user has none until the role
-- is confirmed at the console; any change of the role ends the wait.
CREATE TABLE unconfirmed_roles (
    user_id INTEGER PRIMARY KEY REFERENCES users (id),
    role TEXT NOT NULL CHECK (role IN ('admin', 'institutional_admin'))
) STRICT;
CREATE TRIGGER role_confirmed AFTER UPDATE OF role ON users WHEN NEW.role <> OLD.role
BEGIN
    DELETE FROM unconfirmed_roles WHERE user_id = NEW.id;
END;
