-- Episodes and clips that were added by mistake. A row stays, so that its removal can be told and its
-- number is never given to another.
ALTER TABLE research_episodes ADD COLUMN removed_at TEXT;
ALTER TABLE research_clips ADD COLUMN removed_at TEXT;
