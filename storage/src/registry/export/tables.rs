//! What is exported of each table, and how it gets back in.
//!
//! The holdings are told by identifiers, never by numbers that one registry drew, and only as far
//! as they are sealed. So a registry that was rebuilt from a vault exports the same lines as the
//! one that was lost.

/// How one table goes out and comes in.
pub(super) struct Exported {
    pub(super) name: &'static str,
    /// What is selected and from where, without a condition and without the order.
    pub(super) select: &'static str,
    /// Which rows are exported; empty for all. It is always put in parentheses, so that whatever is
    /// added to it holds for the whole of it.
    pub(super) condition: &'static str,
    /// The order, which is that of a key.
    pub(super) order: &'static str,
    /// Takes a row in, with a parameter for each of its names; none when the row is the table's.
    pub(super) insert: Option<&'static str>,
}

impl Exported {
    /// The statement that reads the rows a choice picks, in the order of an export; an empty choice
    /// picks all. Condition and choice stand in parentheses of their own: neither can bind to a half
    /// of the other.
    pub(super) fn sql(&self, choice: &str) -> String {
        let conditions = [self.condition, choice];
        let conditions: Vec<String> = conditions
            .iter()
            .filter(|condition| !condition.is_empty())
            .map(|condition| format!("({condition})"))
            .collect();
        let mut sql = self.select.to_owned();
        if !choice.is_empty() {
            // An export walks its tables in a fixed order. A few rows are found by their key.
            sql = sql.replace("CROSS JOIN", "JOIN");
        }
        if !conditions.is_empty() {
            sql = format!("{sql} WHERE {}", conditions.join(" AND "));
        }
        format!("{sql} ORDER BY {}", self.order)
    }
}

/// Tables that are exported as they are.
const fn plain(name: &'static str, select: &'static str, order: &'static str) -> Exported {
    Exported { name, select, condition: "", order, insert: None }
}

/// Parents before children.
pub(super) const TABLES: &[Exported] = &[
    plain("institutions", "SELECT * FROM institutions", "id"),
    plain("users", "SELECT * FROM users", "id"),
    Exported {
        name: "work_items",
        select: "SELECT id, flow, topic, state, name, etag, institution_id, bucket, user, note, action,
                stage, status, outcome, bag_date, date_processed, retry, node, pid,
                needs_admin_review, queued_at, size, stage_started_at, aptrust_approver,
                inst_approver, deletion_request_id, object_identifier, generic_file_identifier,
                alt_identifier, bag_group_identifier, storage_option, bagit_profile_identifier,
                source_organization, internal_sender_identifier, priority, attempts, revision,
                reason, happened, kept, advice, created_at, updated_at
            FROM work_items",
        condition: "",
        order: "id",
        insert: Some(
            "INSERT INTO work_items (id, flow, topic, state, name, etag, institution_id, bucket, user, note, action,
                stage, status, outcome, bag_date, date_processed, retry, node, pid,
                needs_admin_review, queued_at, size, stage_started_at, aptrust_approver,
                inst_approver, deletion_request_id, object_identifier, generic_file_identifier,
                alt_identifier, bag_group_identifier, storage_option, bagit_profile_identifier,
                source_organization, internal_sender_identifier, priority, attempts, revision,
                reason, happened, kept, advice, created_at, updated_at,
                intellectual_object_id, generic_file_id)
            VALUES (:id, :flow, :topic, :state, :name, :etag, :institution_id, :bucket, :user,
                :note, :action, :stage, :status, :outcome, :bag_date, :date_processed, :retry,
                :node, :pid, :needs_admin_review, :queued_at, :size, :stage_started_at,
                :aptrust_approver, :inst_approver, :deletion_request_id, :object_identifier,
                :generic_file_identifier, :alt_identifier, :bag_group_identifier,
                :storage_option, :bagit_profile_identifier, :source_organization,
                :internal_sender_identifier, :priority, :attempts, :revision, :reason,
                :happened, :kept, :advice, :created_at, :updated_at,
                (SELECT o.id FROM objects AS o WHERE o.identifier = :object_identifier),
                (SELECT f.id FROM objects AS o JOIN files AS f ON f.object_id = o.id
                    AND f.path = substr(:generic_file_identifier, length(o.identifier) + 2)
                    WHERE o.identifier = :object_identifier))",
        ),
    },
    plain("work_attempts", "SELECT * FROM work_attempts", "item_id, number"),
    plain("work_findings", "SELECT * FROM work_findings", "item_id, attempt, ordinal"),
    Exported {
        name: "objects",
        select: "SELECT o.identifier, i.identifier AS institution, o.bag_name, o.title,
                o.description, o.alt_identifier, o.access, o.state, o.etag,
                o.bag_group_identifier, o.storage_option, o.bagit_profile_identifier,
                o.source_organization, o.internal_sender_identifier,
                o.internal_sender_description, o.version, o.file_count, o.size,
                o.payload_file_count, o.payload_size, o.created_at, o.updated_at
            FROM objects AS o JOIN institutions AS i ON i.id = o.institution_id",
        condition: "o.version > 0",
        order: "o.identifier",
        insert: Some(
            "INSERT INTO objects (identifier, institution_id, bag_name, title, description,
                alt_identifier, access, state, etag, bag_group_identifier, storage_option,
                bagit_profile_identifier, source_organization, internal_sender_identifier,
                internal_sender_description, version, file_count, size, payload_file_count,
                payload_size, created_at, updated_at)
            VALUES (:identifier, (SELECT id FROM institutions WHERE identifier = :institution),
                :bag_name, :title, :description, :alt_identifier, :access, :state, :etag,
                :bag_group_identifier, :storage_option, :bagit_profile_identifier,
                :source_organization, :internal_sender_identifier, :internal_sender_description,
                :version, :file_count, :size, :payload_file_count, :payload_size, :created_at,
                :updated_at)",
        ),
    },
    Exported {
        name: "deposits",
        select: "SELECT o.identifier AS object, d.version, d.item_id, d.file_name, d.etag, d.size,
                d.received_at, d.validated_at, d.identified_at, d.stored_at, d.verified_at,
                d.recorded_at, d.profile_identifier, d.manifest_algorithms, d.tags,
                d.program_version, d.signature_version, d.sealed_at
            FROM objects AS o JOIN deposits AS d ON d.object_id = o.id",
        condition: "d.sealed_at IS NOT NULL",
        order: "o.identifier, d.version",
        insert: Some(
            "INSERT INTO deposits (object_id, version, item_id, file_name, etag, size,
                received_at, validated_at, identified_at, stored_at, verified_at, recorded_at,
                profile_identifier, manifest_algorithms, tags, program_version,
                signature_version, sealed_at)
            VALUES ((SELECT id FROM objects WHERE identifier = :object), :version, :item_id,
                :file_name, :etag, :size, :received_at, :validated_at, :identified_at,
                :stored_at, :verified_at, :recorded_at, :profile_identifier,
                :manifest_algorithms, :tags, :program_version, :signature_version, :sealed_at)",
        ),
    },
    Exported {
        name: "files",
        select: "SELECT o.identifier AS object, f.path, lower(hex(f.uuid)) AS uuid, f.first_version
            FROM objects AS o CROSS JOIN files AS f ON f.object_id = o.id",
        condition: "f.first_version <= o.version",
        order: "o.identifier, f.path",
        insert: Some(
            "INSERT INTO files (object_id, path, uuid, first_version)
            VALUES ((SELECT id FROM objects WHERE identifier = :object), :path, unhex(:uuid),
                :first_version)",
        ),
    },
    Exported {
        name: "formats",
        select: "SELECT m.puid, m.name, m.version, m.mime, m.basis FROM formats AS m",
        condition: "EXISTS (SELECT 1 FROM file_versions AS v CROSS JOIN files AS f
            ON f.id = v.file_id CROSS JOIN objects AS o ON o.id = f.object_id
            WHERE v.format_id = m.id AND v.version <= o.version)",
        order: "m.puid, m.name, m.version, m.mime, m.basis",
        insert: Some(
            "INSERT INTO formats (puid, name, version, mime, basis)
            VALUES (:puid, :name, :version, :mime, :basis)",
        ),
    },
    Exported {
        name: "file_versions",
        select: "SELECT lower(hex(f.uuid)) AS file, v.version, iif(v.superseded_by <= o.version,
                v.superseded_by, NULL) AS superseded_by, v.deleted_at, v.size, v.modified_at,
                m.puid, m.name AS format_name, m.version AS format_version, m.mime, m.basis,
                v.format_warnings, v.content_path, lower(hex(v.md5)) AS md5,
                lower(hex(v.sha1)) AS sha1, lower(hex(v.sha256)) AS sha256,
                lower(hex(v.sha512)) AS sha512
            FROM objects AS o CROSS JOIN files AS f ON f.object_id = o.id
                CROSS JOIN file_versions AS v ON v.file_id = f.id
                CROSS JOIN formats AS m ON m.id = v.format_id",
        condition: "v.version <= o.version",
        order: "o.identifier, f.path, v.version",
        insert: Some(
            "INSERT INTO file_versions (file_id, version, deposit_id, superseded_by, deleted_at,
                size, modified_at, format_id, format_warnings, content_path, md5, sha1, sha256,
                sha512, institution_id, object_id)
            SELECT f.id, :version, (SELECT d.id FROM deposits AS d
                    WHERE d.object_id = f.object_id AND d.version = :version),
                :superseded_by, :deleted_at, :size, :modified_at,
                (SELECT m.id FROM formats AS m WHERE m.puid = :puid AND m.name = :format_name
                    AND m.version = :format_version AND m.mime = :mime AND m.basis = :basis),
                :format_warnings, :content_path, unhex(:md5), unhex(:sha1), unhex(:sha256),
                unhex(:sha512), (SELECT d.institution_id FROM deposits AS d
                    WHERE d.object_id = f.object_id AND d.version = :version), f.object_id
            FROM (SELECT 1) LEFT JOIN files AS f ON f.uuid = unhex(:file)",
        ),
    },
    Exported {
        name: "replicas",
        select: "SELECT lower(hex(r.uuid)) AS uuid, r.name, r.url, r.class, r.place
            FROM replicas AS r",
        condition: "",
        order: "r.uuid",
        insert: Some(
            "INSERT INTO replicas (uuid, name, url, class, place)
            VALUES (unhex(:uuid), :name, :url, :class, :place)",
        ),
    },
    Exported {
        name: "copies",
        select: "SELECT lower(hex(f.uuid)) AS file, c.version, lower(hex(r.uuid)) AS replica,
                c.stored_at, c.verified_at, c.last_checked_at, c.state
            FROM objects AS o CROSS JOIN files AS f ON f.object_id = o.id
                CROSS JOIN copies AS c ON c.file_id = f.id
                CROSS JOIN replicas AS r ON r.id = c.replica_id",
        condition: "c.version <= o.version",
        order: "o.identifier, f.path, c.version, r.uuid",
        insert: Some(
            "INSERT INTO copies (file_id, version, replica_id, stored_at, verified_at,
                last_checked_at, state)
            VALUES ((SELECT id FROM files WHERE uuid = unhex(:file)), :version,
                (SELECT id FROM replicas WHERE uuid = unhex(:replica)), :stored_at,
                :verified_at, :last_checked_at, :state)",
        ),
    },
    Exported {
        name: "kept_files",
        select: "SELECT lower(hex(f.uuid)) AS file, k.from_version,
                min(k.to_version, o.version) AS to_version
            FROM objects AS o CROSS JOIN files AS f ON f.object_id = o.id
                CROSS JOIN kept_files AS k ON k.file_id = f.id",
        condition: "k.from_version <= o.version",
        order: "o.identifier, f.path, k.from_version",
        insert: Some(
            "INSERT INTO kept_files (file_id, from_version, to_version)
            VALUES ((SELECT id FROM files WHERE uuid = unhex(:file)), :from_version,
                :to_version)",
        ),
    },
    Exported {
        name: "wordings",
        select: "SELECT w.event_type, w.detail, w.outcome_information, w.object, w.agent
            FROM wordings AS w",
        condition: "w.id IN (SELECT wording_id FROM held_events)",
        order: "w.event_type, w.detail, w.outcome_information, w.object, w.agent",
        insert: Some(
            "INSERT INTO wordings (event_type, detail, outcome_information, object, agent)
            VALUES (:event_type, :detail, :outcome_information, :object, :agent)",
        ),
    },
    Exported {
        name: "events",
        select: "SELECT lower(hex(e.identifier)) AS identifier, w.event_type, e.date_time,
                w.detail, e.outcome, e.outcome_detail, w.outcome_information, w.object, w.agent,
                e.scope, o.identifier AS about, d.version AS deposit,
                iif(f.uuid IS NULL, NULL, lower(hex(f.uuid))) AS file
            FROM events AS e JOIN wordings AS w ON w.id = e.wording_id
                JOIN objects AS o ON o.id = e.object_id
                LEFT JOIN deposits AS d ON d.id = e.deposit_id
                LEFT JOIN files AS f ON f.id = e.file_id",
        condition: "e.deposit_id IS NULL OR d.sealed_at IS NOT NULL",
        order: "e.identifier",
        // A deposit or file that is named and not there is -1, which no foreign key lets in.
        insert: Some(
            "INSERT INTO events (identifier, wording_id, date_time, outcome, outcome_detail,
                scope, event_type, institution_id, object_id, deposit_id, file_id)
            SELECT unhex(:identifier), (SELECT w.id FROM wordings AS w
                    WHERE w.event_type = :event_type AND w.detail = :detail
                    AND w.outcome_information = :outcome_information AND w.object = :object
                    AND w.agent = :agent),
                :date_time, :outcome, :outcome_detail, :scope, :event_type, o.institution_id,
                o.id,
                iif(:deposit IS NULL, NULL, coalesce((SELECT d.id FROM deposits AS d
                    WHERE d.object_id = o.id AND d.version = :deposit), -1)),
                iif(:file IS NULL, NULL, coalesce((SELECT f.id FROM files AS f
                    WHERE f.uuid = unhex(:file)), -1))
            FROM (SELECT 1) LEFT JOIN objects AS o ON o.identifier = :about",
        ),
    },
    Exported {
        name: "checks",
        select: "SELECT o.identifier AS object, lower(hex(r.uuid)) AS replica, k.checked_at
            FROM checks AS k JOIN objects AS o ON o.id = k.object_id
                JOIN replicas AS r ON r.id = k.replica_id",
        condition: "",
        order: "o.identifier, r.uuid",
        insert: Some(
            "INSERT INTO checks (object_id, replica_id, checked_at)
            VALUES ((SELECT id FROM objects WHERE identifier = :object),
                (SELECT id FROM replicas WHERE uuid = unhex(:replica)), :checked_at)",
        ),
    },
    Exported {
        name: "deletion_requests",
        select: "SELECT id, lower(hex(uuid)) AS uuid, institution_id, reason, requested_by_id,
                entered_by_id, requested_at, expires_at, confirmed_by_id, confirmed_at,
                erase_after, cancelled_by_id, cancelled_at, completed_at
            FROM deletion_requests",
        condition: "",
        order: "id",
        insert: Some(
            "INSERT INTO deletion_requests (id, uuid, institution_id, reason, requested_by_id,
                entered_by_id, requested_at, expires_at, confirmed_by_id, confirmed_at,
                erase_after, cancelled_by_id, cancelled_at, completed_at)
            VALUES (:id, unhex(:uuid), :institution_id, :reason, :requested_by_id,
                :entered_by_id, :requested_at, :expires_at, :confirmed_by_id, :confirmed_at,
                iif(:confirmed_at IS NULL, NULL, coalesce(:erase_after, :confirmed_at)),
                :cancelled_by_id, :cancelled_at, :completed_at)",
        ),
    },
    Exported {
        name: "deletion_parts",
        select: "SELECT p.id, p.request_id, o.identifier AS object,
                iif(f.uuid IS NULL, NULL, lower(hex(f.uuid))) AS file, p.item_id, p.done_at,
                p.file_count, p.size
            FROM deletion_parts AS p JOIN objects AS o ON o.id = p.object_id
                LEFT JOIN files AS f ON f.id = p.file_id",
        condition: "",
        order: "p.id",
        insert: Some(
            "INSERT INTO deletion_parts (id, request_id, object_id, file_id, item_id, done_at,
                file_count, size)
            VALUES (:id, :request_id, (SELECT id FROM objects WHERE identifier = :object),
                iif(:file IS NULL, NULL, coalesce((SELECT id FROM files
                    WHERE uuid = unhex(:file)), -1)),
                :item_id, :done_at, :file_count, :size)",
        ),
    },
    Exported {
        name: "deletion_copies",
        select: "SELECT g.part_id, lower(hex(r.uuid)) AS replica, g.gone_at
            FROM deletion_copies AS g JOIN replicas AS r ON r.id = g.replica_id",
        condition: "",
        order: "g.part_id, r.uuid",
        insert: Some(
            "INSERT INTO deletion_copies (part_id, replica_id, gone_at)
            VALUES (:part_id, (SELECT id FROM replicas WHERE uuid = unhex(:replica)), :gone_at)",
        ),
    },
    plain("alerts", "SELECT * FROM alerts", "id"),
    plain("statistics_months", "SELECT * FROM statistics_months", "id"),
    plain(
        "statistics",
        "SELECT * FROM statistics",
        "month_id, institution_id, storage_option, is_restricted",
    ),
    plain("declarations", "SELECT * FROM declarations", "id"),
    Exported {
        name: "audit",
        select: "SELECT * FROM audit",
        condition: "",
        order: "id",
        // A line of before numbers were kept finds its user by the e-mail.
        insert: Some(
            "INSERT INTO audit (id, at, user_id, who, how, token_id, address, deed, about_kind,
                about, institution_id, outcome, detail, about_user_id)
            VALUES (:id, :at, :user_id, :who, :how, :token_id, :address, :deed, :about_kind,
                :about, :institution_id, :outcome, :detail, coalesce(:about_user_id,
                    iif(:about_kind = 'user', (SELECT id FROM users WHERE email = :about), NULL)))",
        ),
    },
    plain("research_episodes", "SELECT * FROM research_episodes", "id"),
    plain("research_clips", "SELECT * FROM research_clips", "id"),
    plain("research_researchers", "SELECT * FROM research_researchers", "id"),
    Exported {
        name: "research_searched",
        select: "SELECT episode_id, analyst, lower(hex(clips)) AS clips FROM research_searched",
        condition: "",
        order: "episode_id, analyst",
        insert: Some(
            "INSERT INTO research_searched (episode_id, analyst, clips)
            VALUES (:episode_id, :analyst, unhex(:clips))",
        ),
    },
    plain("research_findings", "SELECT * FROM research_findings", "id"),
    plain("research_occurrences", "SELECT * FROM research_occurrences", "finding_id, ordinal"),
    plain("research_troubles", "SELECT * FROM research_troubles", "episode_id, clip_id"),
    plain("research_floors", "SELECT * FROM research_floors", "episode_id, clip_id"),
    plain("research_leases", "SELECT * FROM research_leases", "id"),
    plain("research_feeds", "SELECT * FROM research_feeds", "id"),
    // Without the digest of the token: who has a copy of this must not be let in by it.
    Exported {
        name: "assessments",
        select: "SELECT id, lower(hex(uuid)) AS uuid, reference, name, institution_id, asked_by,
                item_id, method, data_version, dwellings, area_ha, nitrogen_kg, phosphorus_kg,
                state, outcome, created_at, ended_at, same, wish, result FROM assessments",
        condition: "",
        order: "id",
        insert: Some(
            "INSERT INTO assessments (id, uuid, reference, name, institution_id, asked_by, item_id,
                method, data_version, dwellings, area_ha, nitrogen_kg, phosphorus_kg, state,
                outcome, created_at, ended_at, same, wish, result)
            VALUES (:id, unhex(:uuid), :reference, :name, :institution_id, :asked_by, :item_id,
                :method, :data_version, :dwellings, :area_ha, :nitrogen_kg, :phosphorus_kg, :state,
                :outcome, :created_at, :ended_at, :same, :wish, :result)",
        ),
    },
    plain("deliveries", "SELECT * FROM deliveries", "id"),
    plain("delivery_attempts", "SELECT * FROM delivery_attempts", "delivery_id, number"),
    plain("levies", "SELECT * FROM levies", "id"),
];
