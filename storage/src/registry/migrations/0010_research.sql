-- Research: where short recordings, clips, occur in long ones, episodes. Numbers of both are below
-- 2^32, because sets of them are kept as bitmaps; nothing is deleted, so none is ever given twice.
CREATE TABLE research_episodes (
    id INTEGER PRIMARY KEY CHECK (id BETWEEN 1 AND 4294967295),
    title TEXT NOT NULL,
    description TEXT NOT NULL,
    -- With the title, what an episode is known by.
    date_aired TEXT,
    -- Where the bytes are: an object and a file of ours, a file on this machine, or an address.
    location_kind TEXT NOT NULL CHECK (location_kind IN ('vault', 'file', 'url')),
    location_object TEXT,
    location TEXT NOT NULL,
    media_type TEXT NOT NULL,
    curator TEXT NOT NULL,
    priority INTEGER NOT NULL,
    -- Never changed: work is given out in this order.
    first_curated_at TEXT NOT NULL,
    last_curated_at TEXT NOT NULL,
    -- What an analyst has measured last.
    duration_ns INTEGER,
    sha256 TEXT,
    CHECK ((location_kind = 'vault') = (location_object IS NOT NULL))
) STRICT;
CREATE UNIQUE INDEX research_episodes_by_name
    ON research_episodes (title, coalesce(date_aired, ''));

CREATE TABLE research_clips (
    id INTEGER PRIMARY KEY CHECK (id BETWEEN 1 AND 4294967295),
    -- What a clip is known by.
    title TEXT NOT NULL UNIQUE,
    description TEXT NOT NULL,
    date_aired TEXT,
    location_kind TEXT NOT NULL CHECK (location_kind IN ('vault', 'file', 'url')),
    location_object TEXT,
    location TEXT NOT NULL,
    media_type TEXT NOT NULL,
    curator TEXT NOT NULL,
    priority INTEGER NOT NULL,
    first_curated_at TEXT NOT NULL,
    last_curated_at TEXT NOT NULL,
    duration_ns INTEGER,
    sha256 TEXT,
    CHECK ((location_kind = 'vault') = (location_object IS NOT NULL))
) STRICT;

-- Lists on pages are walked in these orders; titles have theirs already.
CREATE INDEX research_episodes_by_priority
    ON research_episodes (priority, first_curated_at DESC, id);
CREATE INDEX research_episodes_by_first ON research_episodes (first_curated_at, id);
CREATE INDEX research_episodes_by_aired ON research_episodes (date_aired, id);
CREATE INDEX research_clips_by_priority ON research_clips (priority, first_curated_at DESC, id);
CREATE INDEX research_clips_by_first ON research_clips (first_curated_at, id);
CREATE INDEX research_clips_by_aired ON research_clips (date_aired, id);

-- How an episode sounds: of up to 400 stretches the lowest and the highest sample, a byte each. Drawn
-- anew by whoever searches it next, so that it is not told.
CREATE TABLE research_outlines (
    episode_id INTEGER PRIMARY KEY REFERENCES research_episodes (id),
    pairs BLOB NOT NULL CHECK (length(pairs) <= 800)
) STRICT;

-- Which clips were looked for in an episode, by which version of the analyst, found or not: a
-- compressed bitmap. Those that were found have a row below, all others were not found.
CREATE TABLE research_searched (
    episode_id INTEGER NOT NULL REFERENCES research_episodes (id),
    analyst INTEGER NOT NULL,
    clips BLOB NOT NULL,
    PRIMARY KEY (episode_id, analyst)
) STRICT, WITHOUT ROWID;

CREATE TABLE research_researchers (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    first_heard_at TEXT NOT NULL
) STRICT;

CREATE TABLE research_findings (
    id INTEGER PRIMARY KEY,
    episode_id INTEGER NOT NULL REFERENCES research_episodes (id),
    clip_id INTEGER NOT NULL REFERENCES research_clips (id),
    analyst INTEGER NOT NULL,
    researcher_id INTEGER NOT NULL REFERENCES research_researchers (id),
    recorded_at TEXT NOT NULL,
    -- Of the bytes that were compared.
    episode_sha256 TEXT,
    clip_sha256 TEXT,
    UNIQUE (episode_id, clip_id, analyst)
) STRICT;
CREATE INDEX research_findings_by_clip ON research_findings (clip_id, episode_id);

-- As many as there are.
CREATE TABLE research_occurrences (
    finding_id INTEGER NOT NULL REFERENCES research_findings (id),
    ordinal INTEGER NOT NULL,
    -- Where the clip begins in the episode; below zero when its beginning was cut off.
    offset_ns INTEGER NOT NULL,
    -- How much of it was recognised.
    extent_ns INTEGER NOT NULL,
    -- Out of a million.
    confidence_ppm INTEGER NOT NULL CHECK (confidence_ppm BETWEEN 0 AND 1000000),
    PRIMARY KEY (finding_id, ordinal)
) STRICT, WITHOUT ROWID;

-- What could not be searched: an episode (no clip), a clip (no episode), or the pair. Zero is none.
CREATE TABLE research_troubles (
    episode_id INTEGER NOT NULL,
    clip_id INTEGER NOT NULL,
    tries INTEGER NOT NULL,
    code TEXT NOT NULL,
    why TEXT NOT NULL,
    -- The last to tell; one lease is one try.
    lease TEXT NOT NULL,
    researcher_id INTEGER NOT NULL REFERENCES research_researchers (id),
    last_at TEXT NOT NULL,
    -- When it is tried again; absent when a person has to ask for it.
    retry_at TEXT,
    -- When it was over, or a person asked for another try.
    ended_at TEXT,
    PRIMARY KEY (episode_id, clip_id)
) STRICT, WITHOUT ROWID;

-- Results of analysts below this version do not count any more: for all pairs (zero and zero), an
-- episode, or a clip.
CREATE TABLE research_floors (
    episode_id INTEGER NOT NULL,
    clip_id INTEGER NOT NULL,
    analyst INTEGER NOT NULL,
    PRIMARY KEY (episode_id, clip_id)
) STRICT, WITHOUT ROWID;

-- Who held what, how often it was extended, and how it ended. What is out now is in the work state.
CREATE TABLE research_leases (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    episode_id INTEGER NOT NULL REFERENCES research_episodes (id),
    researcher_id INTEGER NOT NULL REFERENCES research_researchers (id),
    clip_count INTEGER NOT NULL,
    done_count INTEGER NOT NULL,
    renewals INTEGER NOT NULL,
    taken_at TEXT NOT NULL,
    ended_at TEXT NOT NULL,
    ending TEXT NOT NULL CHECK (ending IN ('finished', 'revoked', 'expired'))
) STRICT;

CREATE TRIGGER untold_episode AFTER INSERT ON research_episodes
BEGIN
    DELETE FROM untold WHERE kind = 'research_episodes' AND a = NEW.id;
    INSERT INTO untold (kind, a) VALUES ('research_episodes', NEW.id);
END;
CREATE TRIGGER untold_episode_change AFTER UPDATE ON research_episodes
BEGIN
    DELETE FROM untold WHERE kind = 'research_episodes' AND a = NEW.id;
    INSERT INTO untold (kind, a) VALUES ('research_episodes', NEW.id);
END;
CREATE TRIGGER untold_clip AFTER INSERT ON research_clips
BEGIN
    DELETE FROM untold WHERE kind = 'research_clips' AND a = NEW.id;
    INSERT INTO untold (kind, a) VALUES ('research_clips', NEW.id);
END;
CREATE TRIGGER untold_clip_change AFTER UPDATE ON research_clips
BEGIN
    DELETE FROM untold WHERE kind = 'research_clips' AND a = NEW.id;
    INSERT INTO untold (kind, a) VALUES ('research_clips', NEW.id);
END;
CREATE TRIGGER untold_researcher AFTER INSERT ON research_researchers
BEGIN
    DELETE FROM untold WHERE kind = 'research_researchers' AND a = NEW.id;
    INSERT INTO untold (kind, a) VALUES ('research_researchers', NEW.id);
END;
CREATE TRIGGER untold_research_finding AFTER INSERT ON research_findings
BEGIN
    DELETE FROM untold WHERE kind = 'research_findings' AND a = NEW.id;
    INSERT INTO untold (kind, a) VALUES ('research_findings', NEW.id);
END;
CREATE TRIGGER untold_trouble AFTER INSERT ON research_troubles
BEGIN
    DELETE FROM untold WHERE kind = 'research_troubles' AND a = NEW.episode_id AND b = NEW.clip_id;
    INSERT INTO untold (kind, a, b) VALUES ('research_troubles', NEW.episode_id, NEW.clip_id);
END;
CREATE TRIGGER untold_trouble_change AFTER UPDATE ON research_troubles
BEGIN
    DELETE FROM untold WHERE kind = 'research_troubles' AND a = NEW.episode_id AND b = NEW.clip_id;
    INSERT INTO untold (kind, a, b) VALUES ('research_troubles', NEW.episode_id, NEW.clip_id);
END;
CREATE TRIGGER untold_floor AFTER INSERT ON research_floors
BEGIN
    DELETE FROM untold WHERE kind = 'research_floors' AND a = NEW.episode_id AND b = NEW.clip_id;
    INSERT INTO untold (kind, a, b) VALUES ('research_floors', NEW.episode_id, NEW.clip_id);
END;
CREATE TRIGGER untold_floor_change AFTER UPDATE ON research_floors
BEGIN
    DELETE FROM untold WHERE kind = 'research_floors' AND a = NEW.episode_id AND b = NEW.clip_id;
    INSERT INTO untold (kind, a, b) VALUES ('research_floors', NEW.episode_id, NEW.clip_id);
END;
-- A bitmap changes with every clip. It is told when a lease ends: what a loss of the registry takes
-- in between is searched again. Results that come without a lease are noted where they are recorded.
CREATE TRIGGER untold_lease_end AFTER INSERT ON research_leases
BEGIN
    DELETE FROM untold WHERE kind = 'research_leases' AND a = NEW.id;
    INSERT INTO untold (kind, a) VALUES ('research_leases', NEW.id);
    DELETE FROM untold WHERE kind = 'research_searched' AND a = NEW.episode_id;
    INSERT INTO untold (kind, a) VALUES ('research_searched', NEW.episode_id);
END;
