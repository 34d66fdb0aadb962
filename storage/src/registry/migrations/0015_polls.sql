-- Tokens that open an assessment beside its first one: who asks the same again gets one of their own,
-- and those who asked before keep theirs.

CREATE TABLE assessment_tokens (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    assessment_id INTEGER NOT NULL REFERENCES assessments (id),
    token_sha256 BLOB NOT NULL CHECK (length(token_sha256) = 32)
) STRICT;
CREATE INDEX assessment_tokens_by_assessment ON assessment_tokens (assessment_id, id);
