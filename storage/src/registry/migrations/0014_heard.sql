-- Where in the episode the recognised part of a clip begins: behind its offset when the beginning of
-- the clip was cut off. Absent in results of before, of which only the offset is known.
ALTER TABLE research_occurrences ADD COLUMN heard_ns INTEGER;

-- What an analyst has met in a recording that did not stop it, a line each.
ALTER TABLE research_episodes ADD COLUMN notes TEXT NOT NULL DEFAULT '';
ALTER TABLE research_clips ADD COLUMN notes TEXT NOT NULL DEFAULT '';

-- Which house this is: work that was carried away comes back to where it is from. A registry that is
-- made anew from what was told is another house to packs of before.
CREATE TABLE research_house (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
INSERT INTO research_house (id) VALUES (lower(hex(randomblob(16))));
