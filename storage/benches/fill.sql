-- A registry as it is after years: rows for `made` (objects, files of each, items, events of each),
-- which whoever runs this fills first. Every sixth object is shared, every seventh restricted, a few
-- are deleted. Not by deposits, which would take an hour; what follows from rows is derived as ever.

CREATE TEMP TABLE number (n INTEGER PRIMARY KEY);
WITH RECURSIVE up (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM up
    WHERE n < (SELECT max(objects, items, 2000) FROM made))
INSERT INTO number SELECT n FROM up;

INSERT INTO institutions (id, name, identifier, state, type, member_institution_id,
        receiving_bucket, restore_bucket, created_at, updated_at)
    SELECT n, 'Institution ' || n, 'inst' || n || '.org', 'A',
        iif(n % 5 = 0, 'SubscriptionInstitution', 'MemberInstitution'), iif(n % 5 = 0, 1, NULL),
        'r' || n, 's' || n, '2020-01-01T00:00:00.000Z', '2020-01-01T00:00:00.000Z'
    FROM number WHERE n <= 20;
INSERT INTO users (id, name, email, institution_id, role, created_at, updated_at)
    SELECT n, 'User ' || n, 'u' || n || '@inst.org', 1 + n % 20,
        CASE n % 4 WHEN 0 THEN 'admin' WHEN 1 THEN 'institutional_admin'
            ELSE 'institutional_user' END,
        '2020-01-01T00:00:00.000Z', '2020-01-01T00:00:00.000Z'
    FROM number WHERE n <= 500;
INSERT INTO replicas (id, uuid, name, url, class, place)
    SELECT n, randomblob(16), 'r' || n, 'file:///r' || n, 'hot', 'cellar'
    FROM number WHERE n <= 2;
INSERT INTO formats (id, puid, name, version, mime, basis)
    SELECT n, 'fmt/' || n, 'Format ' || n, '1', 'type/' || (n % 20), 'signature'
    FROM number WHERE n <= 60;

INSERT INTO objects (id, identifier, institution_id, bag_name, title, alt_identifier, access,
        state, etag, bag_group_identifier, storage_option, bagit_profile_identifier,
        source_organization, internal_sender_identifier, internal_sender_description, version,
        file_count, size, created_at, updated_at)
    SELECT n, 'inst' || (1 + n % 20) || '.org/bag-' || n, 1 + n % 20, 'bag-' || n,
        'Letters of the year ' || (1500 + n % 500) || ', box ' || n, 'alt-' || n,
        CASE WHEN n % 6 = 0 THEN 'consortia' WHEN n % 7 = 0 THEN 'restricted'
            ELSE 'institution' END,
        iif(n % 1000 = 0, 'D', 'A'), 'etag-' || n, 'group-' || (n % 300),
        iif(n % 50 = 0, 'Glacier-OH', 'Standard'), 'profile-' || (n % 3), 'Source ' || (n % 40),
        'sender-' || n, 'described ' || (n % 1000), 1, iif(n % 1000 = 0, 0, files),
        files * 1000, strftime('%Y-%m-%dT%H:%M:%fZ', 1600000000 + n * 900, 'unixepoch'),
        strftime('%Y-%m-%dT%H:%M:%fZ', 1600000000 + n * 900, 'unixepoch')
    FROM number, made WHERE n <= objects;
INSERT INTO deposits (id, object_id, version, item_id, file_name, etag, size, recorded_at,
        profile_identifier, manifest_algorithms, tags, program_version, signature_version,
        sealed_at)
    SELECT n, n, 1, n, 'bag.tar', 'e', 1, o.created_at, 'p', '["md5"]', '[]', '1', '1',
        o.created_at
    FROM number JOIN objects AS o ON o.id = n;
INSERT INTO files (id, object_id, path, uuid, first_version)
    SELECT (o.id - 1) * files + k.n, o.id,
        iif(k.n = 1, 'bagit.txt', 'data/box ' || (o.id % 97) || '/letter-' || o.id || '-' || k.n
            || '.tif'),
        randomblob(16), 1
    FROM made, objects AS o CROSS JOIN number AS k ON k.n <= made.files ORDER BY 1;
INSERT INTO file_versions (file_id, version, deposit_id, deleted_at, size, format_id,
        format_warnings, md5, sha1, sha256, sha512, institution_id,
        object_id)
    SELECT f.id, 1, f.object_id, iif(o.state = 'D', 1700000000000, NULL),
        abs(random()) % 100000000, 1 + (f.id * f.id) % 50, iif(f.id % 5000 = 0, 'unsure', NULL),
        randomblob(16), randomblob(20), randomblob(32), randomblob(64), o.institution_id, o.id
    FROM files AS f CROSS JOIN objects AS o ON o.id = f.object_id ORDER BY f.id;
INSERT INTO copies (file_id, version, replica_id, stored_at, verified_at, last_checked_at, state)
    SELECT v.file_id, 1, r.id, 1600000000000 + v.deposit_id * 900000,
        1600000000000 + v.deposit_id * 900000, 1600000000000 + v.deposit_id * 900000, 0
    FROM file_versions AS v CROSS JOIN replicas AS r WHERE v.deleted_at IS NULL
    ORDER BY v.file_id, r.id;
INSERT INTO digest_starts (start, file_id, version)
    SELECT * FROM (SELECT substr(md5, 1, 8), file_id, version FROM file_versions
        UNION ALL SELECT substr(sha1, 1, 8), file_id, version FROM file_versions
        UNION ALL SELECT substr(sha256, 1, 8), file_id, version FROM file_versions
        UNION ALL SELECT substr(sha512, 1, 8), file_id, version FROM file_versions) ORDER BY 1;

INSERT INTO wordings (id, event_type, detail, outcome_information, object, agent)
    SELECT n, 'type ' || n, 'd', 'o', 'o', 'a' FROM number WHERE n <= 12;
INSERT INTO events (identifier, wording_id, date_time, outcome, outcome_detail, scope, event_type,
        institution_id, object_id, deposit_id, file_id)
    SELECT randomblob(16), 1 + k.n % 12, 1600000000000 + o.id * 900000 + k.n,
        iif((o.id + k.n) % 5000 = 0, 'Failure', 'Success'), '',
        CASE WHEN k.n = 1 THEN 'object' WHEN k.n = 2 AND o.id % 40 = 0 THEN 'file'
            WHEN k.n = 3 THEN 'held' ELSE 'files' END,
        CASE k.n % 12 WHEN 0 THEN 'ingestion' WHEN 1 THEN 'creation' WHEN 2 THEN 'fixity check'
            WHEN 3 THEN 'validation' ELSE 'message digest calculation' END,
        o.institution_id, o.id, iif(k.n = 3, NULL, o.id),
        iif(k.n = 2 AND o.id % 40 = 0, (o.id - 1) * made.files + 1, NULL)
    FROM made, objects AS o CROSS JOIN number AS k ON k.n <= made.events;

INSERT INTO work_items (id, flow, topic, state, name, etag, institution_id,
        intellectual_object_id, bucket, user, note, action, stage, status, outcome, bag_date,
        date_processed, retry, node, pid, needs_admin_review, queued_at, size, object_identifier,
        alt_identifier, bag_group_identifier, storage_option, bagit_profile_identifier, priority,
        attempts, revision, reason, created_at, updated_at)
    SELECT n, 'ingest', 'ingest0' || (1 + n % 9), iif(n % 2000 = 0, 'parked', 'finished'),
        'bag-' || n || '.tar', 'etag-' || n, 1 + n % 20, n, 'r' || (1 + n % 20),
        'u' || (n % 500) || '@inst.org', '', iif(n % 30 = 0, 'Restore Object', 'Ingest'),
        iif(n % 30 = 0, 'Store', 'Cleanup'), iif(n % 400 = 0, 'Failed', 'Success'), '',
        strftime('%Y-%m-%dT%H:%M:%fZ', 1600000000 + n * 900, 'unixepoch'),
        strftime('%Y-%m-%dT%H:%M:%fZ', 1600000000 + n * 900, 'unixepoch'),
        n % 100 = 0, iif(n % 5000 = 0, 'node', NULL), 0, n % 2000 = 0,
        '2026-01-01T00:00:00.000Z', abs(random()) % 1000000000, 'inst1.org/bag-' || n,
        'alt-' || n, 'group-' || (n % 300), iif(n % 50 = 0, 'Glacier-OH', 'Standard'),
        'profile-' || (n % 3), 1, 1, 1, iif(n % 2000 = 0, 'registry-behind', NULL),
        '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'
    FROM number, made WHERE n <= items;
INSERT INTO alerts (name, kind, institution_id, subject, content, item_id, created_at, ended_at)
    SELECT 'alert ' || n, iif(n % 9 = 0, 'fixity-failed', 'item-parked'),
        iif(n % 30 = 0, NULL, 1 + n % 20), 's', 'c', n,
        strftime('%Y-%m-%dT%H:%M:%fZ', 1600000000 + n * 90000, 'unixepoch'),
        iif(n % 3 = 0, NULL, '2026-01-01T00:00:00.000Z')
    FROM number WHERE n <= 2000;
INSERT INTO deletion_requests (id, uuid, institution_id, reason, requested_by_id, requested_at,
        expires_at)
    SELECT n, randomblob(16), 1 + n % 20, 'no longer wanted', 1,
        strftime('%Y-%m-%dT%H:%M:%fZ', 1600000000 + n * 90000, 'unixepoch'),
        '2030-01-01T00:00:00.000Z'
    FROM number WHERE n <= 1000;
INSERT INTO deletion_parts (request_id, object_id, item_id)
    SELECT n, (SELECT max(1, min(n, objects)) FROM made), n FROM number WHERE n <= 1000;
INSERT INTO assessments (id, uuid, reference, name, institution_id, asked_by, item_id, method,
        data_version, dwellings, state, outcome, created_at, same, wish)
    SELECT n, randomblob(16), 'NRF-' || (100000 + n), 'Site ' || n, 1 + n % 20,
        'u' || (1 + n % 500) || '@inst.org', n, iif(n % 9 = 0, 'B', 'C'), 'v' || (n % 7),
        n % 300, iif(n % 50 = 0, 'waiting', 'assessed'),
        iif(n % 50 = 0, NULL, iif(n % 8 = 0, 'out_of_scope', 'assessed')),
        strftime('%Y-%m-%dT%H:%M:%fZ', 1600000000 + n * 900, 'unixepoch'), 'same-' || n, '{}'
    FROM number, made WHERE n <= items;
DROP TABLE temp.number;
DROP TABLE temp.made;
