-- What is held: objects, their deposits, files, digests, copies, and what happened to them.
--
-- A registry may hold tens of millions of files, so a fact stands once. What repeats is a number
-- into a small table (formats, replicas, wordings); an event about all files of a deposit is one
-- row; what can be computed from a path or a version is not stored.
--
-- Nothing of a deposit is to be seen before it is sealed: a reader compares with objects.version
-- (the views below do), and sealing changes that one number.
--
-- Times of files, copies and events are milliseconds since 1970, because there are so many; all
-- others are text as in the first step. Digests and UUIDs are their bytes; hex() shows them.

CREATE TABLE objects (
    id INTEGER PRIMARY KEY,
    -- The identifier of its institution, a slash, and the name of the bag.
    identifier TEXT NOT NULL UNIQUE,
    institution_id INTEGER NOT NULL REFERENCES institutions (id),
    bag_name TEXT NOT NULL,
    title TEXT NOT NULL DEFAULT '',
    description TEXT,
    alt_identifier TEXT,
    access TEXT NOT NULL DEFAULT 'institution'
        CHECK (access IN ('consortia', 'institution', 'restricted')),
    state TEXT NOT NULL DEFAULT 'A' CHECK (state IN ('A', 'D')),
    etag TEXT NOT NULL DEFAULT '',
    bag_group_identifier TEXT,
    storage_option TEXT NOT NULL DEFAULT '',
    bagit_profile_identifier TEXT NOT NULL DEFAULT '',
    source_organization TEXT,
    internal_sender_identifier TEXT,
    internal_sender_description TEXT,
    -- The sealed version; zero before the first seal.
    version INTEGER NOT NULL DEFAULT 0 CHECK (version >= 0),
    -- Sums over the files of the sealed version that are not deleted.
    file_count INTEGER NOT NULL DEFAULT 0,
    size INTEGER NOT NULL DEFAULT 0,
    payload_file_count INTEGER NOT NULL DEFAULT 0,
    payload_size INTEGER NOT NULL DEFAULT 0,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;

CREATE INDEX objects_by_date ON objects (updated_at);
CREATE INDEX objects_by_institution ON objects (institution_id, updated_at);
CREATE INDEX objects_by_creation ON objects (created_at);
CREATE INDEX objects_by_size ON objects (size);
CREATE INDEX objects_by_file_count ON objects (file_count);
CREATE INDEX objects_by_title ON objects (title);
CREATE INDEX objects_by_bag_name ON objects (bag_name);
CREATE INDEX objects_by_etag ON objects (etag);
CREATE INDEX objects_by_storage_option ON objects (storage_option, updated_at);
CREATE INDEX objects_by_alt_identifier ON objects (alt_identifier)
    WHERE alt_identifier IS NOT NULL;
CREATE INDEX objects_by_bag_group ON objects (bag_group_identifier)
    WHERE bag_group_identifier IS NOT NULL;

-- One ingest of an object, which is one version of it in the vault.
CREATE TABLE deposits (
    id INTEGER PRIMARY KEY,
    object_id INTEGER NOT NULL REFERENCES objects (id),
    version INTEGER NOT NULL CHECK (version > 0),
    item_id INTEGER NOT NULL,
    file_name TEXT NOT NULL,
    etag TEXT NOT NULL,
    size INTEGER NOT NULL,
    received_at TEXT,
    validated_at TEXT,
    identified_at TEXT,
    stored_at TEXT,
    verified_at TEXT,
    recorded_at TEXT NOT NULL,
    profile_identifier TEXT NOT NULL,
    manifest_algorithms TEXT NOT NULL,
    -- A JSON list of file, name and value of every tag, in the order they were found.
    tags TEXT NOT NULL CHECK (json_valid(tags)),
    program_version TEXT NOT NULL,
    signature_version TEXT NOT NULL,
    sealed_at TEXT,
    UNIQUE (object_id, version)
) STRICT;

CREATE INDEX deposits_by_item ON deposits (item_id);
CREATE INDEX deposits_unsealed ON deposits (recorded_at) WHERE sealed_at IS NULL;

-- A file is its path in its object, for ever; what it holds is in its versions.
CREATE TABLE files (
    id INTEGER PRIMARY KEY,
    object_id INTEGER NOT NULL REFERENCES objects (id),
    path TEXT NOT NULL,
    uuid BLOB NOT NULL UNIQUE CHECK (length(uuid) = 16),
    first_version INTEGER NOT NULL,
    UNIQUE (object_id, path)
) STRICT;

CREATE TABLE formats (
    id INTEGER PRIMARY KEY,
    -- Empty when nothing is known.
    puid TEXT NOT NULL,
    name TEXT NOT NULL,
    version TEXT NOT NULL,
    mime TEXT NOT NULL,
    -- What the identification rests on, in one word.
    basis TEXT NOT NULL,
    UNIQUE (puid, name, version, mime, basis)
) STRICT;

-- Current in version n of the object: version <= n, and superseded_by absent or > n.
CREATE TABLE file_versions (
    file_id INTEGER NOT NULL REFERENCES files (id),
    version INTEGER NOT NULL,
    deposit_id INTEGER NOT NULL REFERENCES deposits (id),
    -- The next version of this file.
    superseded_by INTEGER CHECK (superseded_by > version),
    -- Set when its bytes were taken out of every replica; the row stays as the tombstone.
    deleted_at INTEGER,
    size INTEGER NOT NULL CHECK (size >= 0),
    modified_at INTEGER,
    format_id INTEGER NOT NULL REFERENCES formats (id),
    format_warnings TEXT,
    -- Absent when it is 'v<version>/content/<path>', which it is unless bytes were found twice.
    content_path TEXT,
    md5 BLOB NOT NULL CHECK (length(md5) = 16),
    sha1 BLOB NOT NULL CHECK (length(sha1) = 20),
    sha256 BLOB NOT NULL CHECK (length(sha256) = 32),
    sha512 BLOB NOT NULL CHECK (length(sha512) = 64),
    PRIMARY KEY (file_id, version)
) STRICT, WITHOUT ROWID;

CREATE INDEX file_versions_by_deposit ON file_versions (deposit_id);
CREATE INDEX file_versions_by_format ON file_versions (format_id);
-- The first eight bytes of every digest of every sealed version: enough to tell a billion files
-- apart, the rest is compared in the row. Derived, and not an index on the table, because digests
-- come in no order: a batch of a thousand files would rewrite four thousand pages. The seal of a
-- deposit sorts them first. Entries of what was abandoned do no harm.
CREATE TABLE digest_starts (
    start BLOB NOT NULL,
    file_id INTEGER NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (start, file_id, version)
) STRICT, WITHOUT ROWID;

CREATE TABLE replicas (
    id INTEGER PRIMARY KEY,
    uuid BLOB NOT NULL UNIQUE CHECK (length(uuid) = 16),
    name TEXT NOT NULL UNIQUE,
    url TEXT NOT NULL,
    class TEXT NOT NULL CHECK (class IN ('hot', 'cold')),
    place TEXT NOT NULL
) STRICT;

CREATE TABLE copies (
    file_id INTEGER NOT NULL,
    version INTEGER NOT NULL,
    replica_id INTEGER NOT NULL REFERENCES replicas (id),
    stored_at INTEGER NOT NULL,
    verified_at INTEGER NOT NULL,
    last_checked_at INTEGER NOT NULL,
    -- 0 sound, 1 damaged, 2 missing, as last found.
    state INTEGER NOT NULL CHECK (state IN (0, 1, 2)),
    PRIMARY KEY (file_id, version, replica_id),
    FOREIGN KEY (file_id, version) REFERENCES file_versions (file_id, version)
) STRICT, WITHOUT ROWID;

CREATE INDEX copies_by_check ON copies (replica_id, last_checked_at);
CREATE INDEX copies_unsound ON copies (state) WHERE state <> 0;

-- What events say that many others say too.
CREATE TABLE wordings (
    id INTEGER PRIMARY KEY,
    event_type TEXT NOT NULL,
    detail TEXT NOT NULL,
    outcome_information TEXT NOT NULL,
    object TEXT NOT NULL,
    agent TEXT NOT NULL,
    UNIQUE (event_type, detail, outcome_information, object, agent)
) STRICT;

CREATE TABLE events (
    id INTEGER PRIMARY KEY,
    identifier BLOB NOT NULL UNIQUE CHECK (length(identifier) = 16),
    wording_id INTEGER NOT NULL REFERENCES wordings (id),
    date_time INTEGER NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome IN ('Success', 'Failure', 'Warning')),
    outcome_detail TEXT NOT NULL,
    -- Which files it is about: none but the object; all that the deposit saved; of those the
    -- payload; of those the files never seen before; or one.
    scope TEXT NOT NULL CHECK (scope IN ('object', 'files', 'payload', 'new', 'file')),
    institution_id INTEGER NOT NULL REFERENCES institutions (id),
    object_id INTEGER NOT NULL REFERENCES objects (id),
    deposit_id INTEGER REFERENCES deposits (id),
    file_id INTEGER REFERENCES files (id),
    CHECK ((scope = 'file') = (file_id IS NOT NULL)),
    CHECK (scope IN ('object', 'file') OR deposit_id IS NOT NULL)
) STRICT;

CREATE INDEX events_by_date ON events (date_time);
CREATE INDEX events_by_institution ON events (institution_id, date_time);
CREATE INDEX events_by_object ON events (object_id, date_time);
CREATE INDEX events_by_wording ON events (wording_id, date_time);
CREATE INDEX events_by_deposit ON events (deposit_id) WHERE deposit_id IS NOT NULL;
CREATE INDEX events_by_file ON events (file_id, date_time) WHERE file_id IS NOT NULL;
CREATE INDEX events_unsuccessful ON events (outcome, date_time) WHERE outcome <> 'Success';

-- What may be seen. Joins are LEFT where SQLite may leave them out of a question that does not need
-- them, and CROSS where the few objects must not be walked before the many files.

CREATE VIEW held_objects AS
SELECT o.id, o.identifier, o.institution_id, o.bag_name, o.title, o.description,
    o.alt_identifier, o.access, o.state, o.etag, o.bag_group_identifier, o.storage_option,
    o.bagit_profile_identifier, o.source_organization, o.internal_sender_identifier,
    o.internal_sender_description, o.version, o.file_count, o.size, o.payload_file_count,
    o.payload_size, o.created_at, o.updated_at,
    i.name AS institution_name, i.identifier AS institution_identifier,
    i.type AS institution_type, i.member_institution_id AS institution_parent_id
FROM objects AS o LEFT JOIN institutions AS i ON i.id = o.institution_id
WHERE o.version > 0;

-- Every version of every file, sealed or not. The id is that of file_versions, whose key gives the
-- order of a plain list.
CREATE VIEW file_facts AS
SELECT v.file_id AS id, f.object_id AS intellectual_object_id, o.institution_id,
    o.identifier AS object_identifier, o.access, o.storage_option, f.path, f.uuid,
    f.first_version, v.version, v.deposit_id,
    CASE WHEN v.deleted_at IS NULL THEN 'A' ELSE 'D' END AS state, v.size, v.modified_at,
    v.deleted_at, v.content_path, m.puid, m.name AS format_name, m.version AS format_version,
    m.mime AS file_format, m.basis AS format_basis, v.format_warnings, v.md5, v.sha1, v.sha256,
    v.sha512, b.recorded_at AS created_at, d.recorded_at AS updated_at,
    (SELECT min(c.last_checked_at) FROM copies AS c
     WHERE c.file_id = v.file_id AND c.version = v.version) AS last_fixity_check,
    v.format_id, v.superseded_by, o.version AS sealed_version
FROM files AS f JOIN file_versions AS v ON v.file_id = f.id
    CROSS JOIN objects AS o ON o.id = f.object_id
    LEFT JOIN formats AS m ON m.id = v.format_id
    LEFT JOIN deposits AS d ON d.id = v.deposit_id
    LEFT JOIN deposits AS b ON b.object_id = f.object_id AND b.version = f.first_version;

-- The current version of every file.
CREATE VIEW held_files AS
SELECT * FROM file_facts
WHERE version <= sealed_version AND (superseded_by IS NULL OR superseded_by > sealed_version);

CREATE VIEW held_events AS
SELECT e.id, e.identifier, w.event_type, e.date_time, w.detail, e.outcome, e.outcome_detail,
    w.outcome_information, w.object, w.agent, e.scope, e.institution_id,
    e.object_id AS intellectual_object_id, o.identifier AS intellectual_object_identifier,
    e.deposit_id, d.version, e.file_id AS generic_file_id,
    o.identifier || '/' || f.path AS generic_file_identifier, e.wording_id
FROM events AS e
    LEFT JOIN deposits AS d ON d.id = e.deposit_id
    LEFT JOIN objects AS o ON o.id = e.object_id
    LEFT JOIN wordings AS w ON w.id = e.wording_id
    LEFT JOIN files AS f ON f.id = e.file_id
WHERE e.deposit_id IS NULL OR d.sealed_at IS NOT NULL;
