-- Who deposits, who may sign in, and the readable copy of the work queue.
--
-- Times are fixed-width RFC 3339 text in UTC with milliseconds, so text order is time order.
-- Booleans are 0 or 1. Nothing here is ever deleted, so ids are never given twice.

CREATE TABLE institutions (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL CHECK (length(CAST(name AS BLOB)) BETWEEN 5 AND 200),
    identifier TEXT NOT NULL UNIQUE COLLATE NOCASE,
    state TEXT NOT NULL CHECK (state IN ('A', 'D')),
    type TEXT NOT NULL CHECK (type IN ('MemberInstitution', 'SubscriptionInstitution')),
    member_institution_id INTEGER REFERENCES institutions (id),
    deactivated_at TEXT,
    otp_enabled INTEGER NOT NULL DEFAULT 0 CHECK (otp_enabled IN (0, 1)),
    receiving_bucket TEXT NOT NULL UNIQUE,
    restore_bucket TEXT NOT NULL UNIQUE,
    spot_restore_frequency INTEGER NOT NULL DEFAULT 0 CHECK (spot_restore_frequency >= 0),
    last_spot_restore_work_item_id INTEGER,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    CHECK (type = 'MemberInstitution' OR member_institution_id IS NOT NULL)
) STRICT;

CREATE INDEX institutions_by_name ON institutions (name);
CREATE INDEX institutions_by_parent ON institutions (member_institution_id);

CREATE TABLE users (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL CHECK (length(CAST(name AS BLOB)) BETWEEN 2 AND 200),
    email TEXT NOT NULL UNIQUE COLLATE NOCASE,
    phone_number TEXT,
    institution_id INTEGER NOT NULL REFERENCES institutions (id),
    role TEXT NOT NULL
        CHECK (role IN ('institutional_user', 'institutional_admin', 'admin', 'none')),
    deactivated_at TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;

CREATE INDEX users_by_name ON users (name);
CREATE INDEX users_by_institution ON users (institution_id, name);

-- The queue is the truth about work; this table only makes it searchable. It therefore refuses
-- nothing that the queue says: no foreign key, and institution_id is null for the house's own work.
CREATE TABLE work_items (
    id INTEGER PRIMARY KEY,
    flow TEXT NOT NULL,
    topic TEXT NOT NULL,
    state TEXT NOT NULL,
    name TEXT NOT NULL,
    etag TEXT NOT NULL,
    institution_id INTEGER,
    intellectual_object_id INTEGER,
    generic_file_id INTEGER,
    bucket TEXT NOT NULL,
    user TEXT NOT NULL,
    note TEXT NOT NULL,
    action TEXT NOT NULL,
    stage TEXT NOT NULL,
    status TEXT NOT NULL,
    outcome TEXT NOT NULL,
    bag_date TEXT,
    date_processed TEXT NOT NULL,
    retry INTEGER NOT NULL CHECK (retry IN (0, 1)),
    node TEXT,
    pid INTEGER NOT NULL,
    needs_admin_review INTEGER NOT NULL CHECK (needs_admin_review IN (0, 1)),
    queued_at TEXT,
    size INTEGER NOT NULL,
    stage_started_at TEXT,
    aptrust_approver TEXT,
    inst_approver TEXT,
    deletion_request_id INTEGER,
    object_identifier TEXT,
    generic_file_identifier TEXT,
    alt_identifier TEXT,
    bag_group_identifier TEXT,
    storage_option TEXT,
    bagit_profile_identifier TEXT,
    source_organization TEXT,
    internal_sender_identifier TEXT,
    priority INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    reason TEXT,
    happened TEXT,
    kept TEXT,
    advice TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;

-- Every index ends in date_processed (and, as all SQLite indexes do, in the row's id), so one
-- filter plus the default order is one walk along one index, whichever way round. Where more
-- columns follow, the id is named before them, or ties would have to be sorted.

-- No filter, and the fallback for several filters at once: the common ones are answered from the
-- index alone, without a look at the row.
CREATE INDEX work_items_by_date ON work_items
    (date_processed, id, institution_id, action, stage, status, size, bag_date);
-- Everyone but a system administrator always filters by institution, so this one is as wide.
CREATE INDEX work_items_by_institution ON work_items
    (institution_id, date_processed, id, action, stage, status);

CREATE INDEX work_items_by_action ON work_items (action, date_processed);
CREATE INDEX work_items_by_stage ON work_items (stage, date_processed);
CREATE INDEX work_items_by_topic ON work_items (topic, date_processed);
CREATE INDEX work_items_by_status ON work_items (status, date_processed);
CREATE INDEX work_items_by_state ON work_items (state, date_processed);
CREATE INDEX work_items_by_review ON work_items (needs_admin_review, date_processed);
CREATE INDEX work_items_by_retry ON work_items (retry, date_processed);
CREATE INDEX work_items_by_flow ON work_items (flow, date_processed);
CREATE INDEX work_items_by_bucket ON work_items (bucket, date_processed);
CREATE INDEX work_items_by_user ON work_items (user, date_processed);
CREATE INDEX work_items_by_storage_option ON work_items (storage_option, date_processed);
CREATE INDEX work_items_by_profile ON work_items (bagit_profile_identifier, date_processed);

CREATE INDEX work_items_by_name ON work_items (name, date_processed);
CREATE INDEX work_items_by_etag ON work_items (etag, date_processed);
CREATE INDEX work_items_by_object ON work_items (intellectual_object_id, date_processed);
CREATE INDEX work_items_by_file ON work_items (generic_file_id, date_processed);
CREATE INDEX work_items_by_bag_date ON work_items (bag_date, date_processed);
CREATE INDEX work_items_by_size ON work_items (size, date_processed);

-- Rarely present, so only the present ones are kept.
CREATE INDEX work_items_by_object_identifier ON work_items (object_identifier, date_processed)
    WHERE object_identifier IS NOT NULL;
CREATE INDEX work_items_by_file_identifier ON work_items (generic_file_identifier, date_processed)
    WHERE generic_file_identifier IS NOT NULL;
CREATE INDEX work_items_by_alt_identifier ON work_items (alt_identifier, date_processed)
    WHERE alt_identifier IS NOT NULL;
CREATE INDEX work_items_by_bag_group ON work_items (bag_group_identifier, date_processed)
    WHERE bag_group_identifier IS NOT NULL;
CREATE INDEX work_items_by_deletion ON work_items (deletion_request_id, date_processed)
    WHERE deletion_request_id IS NOT NULL;

-- One side of these questions is rare and asked for; the other is common and found by date.
CREATE INDEX work_items_owned ON work_items (date_processed) WHERE node IS NOT NULL;
CREATE INDEX work_items_never_queued ON work_items (date_processed) WHERE queued_at IS NULL;
CREATE INDEX work_items_parked ON work_items (reason, date_processed) WHERE reason IS NOT NULL;
CREATE INDEX work_items_unfinished ON work_items (id, state, revision)
    WHERE state NOT IN ('finished', 'failed', 'cancelled', 'expired');

CREATE VIEW work_items_view AS
SELECT work_items.*, institutions.name AS institution_name,
    institutions.identifier AS institution_identifier
FROM work_items LEFT JOIN institutions ON institutions.id = work_items.institution_id;

CREATE TABLE work_attempts (
    item_id INTEGER NOT NULL REFERENCES work_items (id),
    number INTEGER NOT NULL,
    topic TEXT NOT NULL,
    started_at TEXT NOT NULL,
    finished_at TEXT,
    outcome TEXT,
    note TEXT NOT NULL,
    PRIMARY KEY (item_id, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE work_findings (
    item_id INTEGER NOT NULL REFERENCES work_items (id),
    attempt INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    code TEXT NOT NULL,
    severity TEXT NOT NULL,
    place TEXT NOT NULL,
    sentence TEXT NOT NULL,
    PRIMARY KEY (item_id, attempt, ordinal)
) STRICT, WITHOUT ROWID;
