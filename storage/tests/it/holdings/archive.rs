//! A registry with an institution and two replicas, and deposits for it.

use std::time::Duration;

use serde_json::Value;
use storage::clock::Timestamp;
use storage::registry::{
    About, Access, DeletionPartId, DeletionTarget, DeletionTelling, DepositFacts, DepositId,
    Digests, Error, EventType, FormatFacts, InstitutionKind, NewCopy, NewDeletion, NewDeposit,
    NewEvent, NewFileVersion, NewInstitution, NewUser, ObjectFacts, ObjectId, Outcome, Registry,
    Replica, ReplicaClass, ReplicaId, Role, Seal, Tag, Uuid, Version,
};
use tempfile::TempDir;

pub(super) const NOW: Timestamp = Timestamp(1_794_813_641_123);
/// No cooling-off period.
pub(super) const NONE: Duration = Duration::ZERO;
pub(super) const OWNER: &str = "lib.example.edu";

pub(super) fn later(millis: u64) -> Timestamp {
    Timestamp(NOW.0 + millis)
}

pub(super) struct Archive {
    pub(super) dir: TempDir,
    pub(super) registry: Registry,
    pub(super) replicas: [ReplicaId; 2],
}

impl Archive {
    pub(super) fn new() -> Archive {
        let dir = tempfile::tempdir().unwrap();
        let registry = Registry::open(&dir.path().join("registry.sqlite"), NOW).unwrap();
        let replicas = furnish(&registry);
        Archive { dir, registry, replicas }
    }

    /// Closes and opens it again, as in a crash of the program.
    pub(super) fn reopened(self) -> Archive {
        let Archive { dir, registry, replicas } = self;
        drop(registry);
        let registry = Registry::open(&dir.path().join("registry.sqlite"), NOW).unwrap();
        Archive { dir, registry, replicas }
    }

    /// Everything of a deposit but its seal.
    pub(super) fn begin(&self, bag: &str, version: u32, files: &[(&str, &str)]) -> DepositId {
        let registry = &self.registry;
        let id = registry.begin_deposit(&new_deposit(bag, version)).unwrap();
        let rows: Vec<_> =
            files.iter().map(|(path, content)| new_file(self, bag, path, content)).collect();
        for batch in rows.chunks(1000) {
            registry.put_files(id, batch).unwrap();
        }
        let object = registry.deposit(id).unwrap().unwrap().object_id;
        registry.put_events(&ingest_events(bag, (id, object), version, &["md5"])).unwrap();
        id
    }

    /// A whole deposit.
    pub(super) fn deposit(&self, bag: &str, version: u32, files: &[(&str, &str)]) -> ObjectId {
        let id = self.begin(bag, version, files);
        let at = later(u64::from(version) * 1000);
        let seal = Seal { at, ..seal(files.len() as u64) };
        self.registry.seal(id, &seal).unwrap().id
    }

    pub(super) fn exported(&self) -> Vec<(String, Value)> {
        let mut rows = Vec::new();
        let mut each = |table: &'static str, row| {
            rows.push((table.to_owned(), row));
            Ok::<_, Error>(())
        };
        self.registry.export_all(&mut each).unwrap();
        rows
    }

    /// Asks for a deletion as one administrator, approves it as another, and does it; all at once.
    pub(super) fn delete(&self, target: DeletionTarget, at: Timestamp) -> bool {
        let registry = &self.registry;
        // Not the number: two archives may have drawn other ones for the same thing.
        let kind = if matches!(target, DeletionTarget::File(_)) { "file" } else { "object" };
        let name = format!("{kind} at {at}");
        let new = NewDeletion { uuid: uuid(&name), targets: vec![target], ..self.wish(at) };
        let request = registry.request_deletion(&new, at).unwrap();
        registry.approve_deletion(request.id, self.admin("bob"), (NONE, at)).unwrap();
        let part = registry.deletion_parts(request.id, DeletionPartId(0), 9).unwrap().remove(0);
        match target {
            DeletionTarget::Object(_) => registry.delete_object(part.id, &telling(&name, at), at),
            DeletionTarget::File(_) => registry.delete_file(part.id, &telling(&name, at), at),
        }
        .unwrap()
    }

    /// A wish of Ann's that names nothing yet.
    pub(super) fn wish(&self, now: Timestamp) -> NewDeletion {
        NewDeletion {
            uuid: uuid(&format!("wish at {now}")),
            institution_id: self.institution(),
            reason: "no longer wanted".to_owned(),
            requested_by: self.admin("ann"),
            entered_by: None,
            targets: Vec::new(),
            expires_at: Timestamp(now.0 + 1_000_000),
        }
    }

    pub(super) fn institution(&self) -> i64 {
        self.registry.institution_by_identifier(OWNER).unwrap().unwrap().id
    }

    /// An administrator of the institution, made when asked for first.
    pub(super) fn admin(&self, name: &str) -> i64 {
        self.user(name, Role::InstitutionalAdmin, self.institution())
    }

    pub(super) fn user(&self, name: &str, role: Role, institution_id: i64) -> i64 {
        let email = format!("{name}@example.edu");
        if let Some(user) = self.registry.user_by_email(&email).unwrap() {
            return user.id;
        }
        let name = name.to_owned();
        let new = NewUser { name, email, phone_number: None, institution_id, role };
        self.registry.create_user(&new, storage::registry::without_note, NOW).unwrap().id
    }

    /// Another connection, behind the registry's back.
    pub(super) fn sql(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(self.dir.path().join("registry.sqlite")).unwrap()
    }

    pub(super) fn count(&self, table: &str) -> i64 {
        let sql = format!("SELECT count(*) FROM {table}");
        self.sql().query_row(&sql, [], |row| row.get(0)).unwrap()
    }
}

/// How a deletion is told, by a name for it.
pub(super) fn telling(name: &str, at: Timestamp) -> DeletionTelling {
    DeletionTelling {
        at,
        files_event: uuid(&format!("{name}: files")),
        object_event: uuid(&format!("{name}: object")),
        agent: "Strongroom 0.1.0".to_owned(),
    }
}

/// An institution and two replicas; doing it again changes nothing.
pub(super) fn furnish(registry: &Registry) -> [ReplicaId; 2] {
    if registry.institution_by_identifier(OWNER).unwrap().is_none() {
        let library = NewInstitution {
            name: "Library".to_owned(),
            identifier: OWNER.to_owned(),
            kind: InstitutionKind::Member,
            member_institution_id: None,
            receiving_bucket: "receiving".to_owned(),
            restore_bucket: "restore".to_owned(),
        };
        registry.create_institution(&library, NOW).unwrap();
    }
    ["a", "b"].map(|name| {
        let replica = Replica {
            uuid: uuid(name),
            name: name.to_owned(),
            url: format!("file:///vault/{name}"),
            class: ReplicaClass::Hot,
            place: "cellar".to_owned(),
        };
        registry.put_replica(&replica).unwrap()
    })
}

/// Bytes that follow from a text, as a digest's do.
fn bytes_of<const N: usize>(kind: &str, text: &str) -> [u8; N] {
    let mut state = 0xcbf2_9ce4_8422_2325_u64;
    for byte in kind.bytes().chain([0]).chain(text.bytes()) {
        state = (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    let mut random = fastrand::Rng::with_seed(state);
    std::array::from_fn(|_| random.u8(..))
}

pub(super) fn uuid(of: &str) -> Uuid {
    Uuid(bytes_of("uuid", of))
}

pub(super) fn digests(content: &str) -> Digests {
    Digests {
        md5: bytes_of("md5", content),
        sha1: bytes_of("sha1", content),
        sha256: bytes_of("sha256", content),
        sha512: bytes_of("sha512", content),
    }
}

pub(super) fn facts(version: u32) -> DepositFacts {
    DepositFacts {
        item_id: i64::from(version),
        file_name: "bag.tar".to_owned(),
        etag: "etag".to_owned(),
        size: 10_240,
        received_at: Some(NOW),
        validated_at: Some(later(1)),
        identified_at: None,
        stored_at: Some(later(2)),
        verified_at: Some(later(3)),
        recorded_at: later(u64::from(version - 1) * 1000),
        profile_identifier: "https://example.edu/profile.json".to_owned(),
        manifest_algorithms: vec!["md5".to_owned(), "sha256".to_owned()],
        tags: vec![Tag {
            file: "bag-info.txt".to_owned(),
            name: "Source-Organization".to_owned(),
            value: "Library \"of\" Ü".to_owned(),
        }],
        program_version: "0.1.0".to_owned(),
        signature_version: "v120".to_owned(),
    }
}

pub(super) fn new_deposit(bag: &str, version: u32) -> NewDeposit {
    NewDeposit {
        object_identifier: format!("{OWNER}/{bag}"),
        version: Version(version),
        facts: facts(version),
    }
}

pub(super) fn new_file(archive: &Archive, bag: &str, path: &str, content: &str) -> NewFileVersion {
    new_file_in(archive.replicas, bag, path, content)
}

pub(super) fn new_file_in(
    replicas: [ReplicaId; 2],
    bag: &str,
    path: &str,
    content: &str,
) -> NewFileVersion {
    let format = if path.ends_with(".txt") {
        FormatFacts {
            puid: "x-fmt/111".to_owned(),
            name: "Plain Text File".to_owned(),
            version: String::new(),
            mime: "text/plain".to_owned(),
            basis: "text".to_owned(),
        }
    } else {
        FormatFacts { mime: "application/octet-stream".to_owned(), ..FormatFacts::default() }
    };
    NewFileVersion {
        path: path.to_owned(),
        uuid: uuid(&format!("{bag}/{path}")),
        size: content.len() as u64,
        modified_at: Some(NOW),
        digests: digests(content),
        format,
        format_warnings: None,
        content_path: None,
        copies: replicas
            .map(|replica| NewCopy { replica, stored_at: NOW, verified_at: NOW })
            .to_vec(),
    }
}

pub(super) fn seal(saved_file_count: u64) -> Seal {
    let facts = ObjectFacts {
        title: "Title of one".to_owned(),
        description: None,
        alt_identifier: Some("alt".to_owned()),
        access: Access::Institution,
        etag: "etag".to_owned(),
        bag_group_identifier: None,
        storage_option: "Standard".to_owned(),
        bagit_profile_identifier: "https://example.edu/profile.json".to_owned(),
        source_organization: Some("Library".to_owned()),
        internal_sender_identifier: None,
        internal_sender_description: None,
    };
    Seal { facts, saved_file_count, at: later(1000) }
}

/// The events of the described system's ingest, two more, and each of them once for all files.
pub(super) fn ingest_events(
    bag: &str,
    (deposit, object): (DepositId, ObjectId),
    version: u32,
    manifests: &[&str],
) -> Vec<NewEvent> {
    let mut events: Vec<NewEvent> = Vec::new();
    let mut add = |event_type: EventType, about, detail: &str, outcome_detail: &str| {
        let number = events.len();
        events.push(NewEvent {
            identifier: uuid(&format!("{bag}/{version}/{number}")),
            event_type,
            date_time: later(number as u64),
            detail: detail.to_owned(),
            outcome: Outcome::Success,
            outcome_detail: outcome_detail.to_owned(),
            outcome_information: "as it should be".to_owned(),
            object: "Strongroom".to_owned(),
            agent: "https://example.edu/strongroom".to_owned(),
            about,
        });
    };
    let whole = About::Object { object, deposit: Some(deposit) };
    let (all, payload, new) = (About::Files(deposit), About::Payload(deposit), About::New(deposit));
    if version == 1 {
        add(EventType::Creation, whole, "object created", "created");
        add(EventType::IdentifierAssignment, whole, "assigned object identifier", bag);
    }
    add(EventType::Ingestion, whole, "copied files to preservation storage", "n files copied");
    add(EventType::AccessAssignment, whole, "assigned object access rights", "institution");
    for algorithm in manifests {
        let told = format!("{algorithm}:{{{algorithm}}}");
        add(EventType::FixityCheck, payload, "fixity check against registered hash", &told);
    }
    for algorithm in ["md5", "sha1", "sha256", "sha512"] {
        let told = format!("{algorithm}:{{{algorithm}}}");
        add(EventType::MessageDigestCalculation, all, "calculated fixity value", &told);
    }
    add(EventType::Ingestion, all, "completed copy to preservation storage ({uuid})", "md5:{md5}");
    add(
        EventType::Replication,
        all,
        "copied to replication storage",
        "file:///vault/b/x/{content}",
    );
    add(EventType::IdentifierAssignment, new, "assigned new path identifier", "{identifier}");
    add(EventType::IdentifierAssignment, new, "assigned new URL", "file:///vault/a/x/{content}");
    add(EventType::Validation, all, "validated the bag", "{path} of {size} bytes");
    add(EventType::FormatIdentification, all, "identified the format", "{puid} {format}");
    events
}
