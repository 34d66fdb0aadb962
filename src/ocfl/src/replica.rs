//! One replica: made, recognised and read.
//!
//! A replica is recognised by a marker that was written when it was first prepared. An empty folder
//! where the marker should be is a disk that is not mounted: filling it would put copies onto the
//! wrong disk, so the replica counts as away until the marker is back.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use digests::{Algorithm, AlgorithmSet, Hasher};
use serde::{Deserialize, Serialize};

use super::address::{CORNER, MARKER, ObjectId, Sha512, sha512_of, unhex};
use super::error::VaultError;
use super::inventory::Inventory;
use super::media::{Bucket, Folder, Medium, Upload};
use super::settings::ReplicaSettings;

/// Largest file that is read into memory: markers, sidecars and the layout.
const SMALL_LEN_MAX: u64 = 1 << 20;

/// Tells one replica from every other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplicaId(String);

impl ReplicaId {
    /// Takes an id as the registry keeps it.
    pub fn new(id: impl Into<String>) -> ReplicaId {
        ReplicaId(id.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn draw() -> ReplicaId {
        let mut bytes = fastrand::u128(..).to_be_bytes();
        bytes[6] = bytes[6] & 0x0f | 0x40;
        bytes[8] = bytes[8] & 0x3f | 0x80;
        let hex = super::address::hex(&bytes);
        let parts = [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]];
        ReplicaId(parts.join("-"))
    }
}

#[derive(Serialize, Deserialize)]
struct Marker {
    name: String,
    id: ReplicaId,
}

/// One OCFL storage root.
pub struct Replica {
    settings: ReplicaSettings,
    id: OnceLock<ReplicaId>,
    pub(super) medium: Box<dyn Medium>,
    pub(super) scratch: PathBuf,
}

impl Replica {
    /// Takes a replica as configured, with the id it had when it was first prepared. Nothing is
    /// read or written, so that an appliance starts with a replica away.
    pub fn new(
        settings: ReplicaSettings,
        known: Option<ReplicaId>,
        scratch: &Path,
    ) -> Result<Replica, VaultError> {
        let medium: Box<dyn Medium> = if settings.url.contains("://") {
            Box::new(Bucket::new(&settings)?)
        } else {
            Box::new(Folder::new(&settings.name, Path::new(&settings.url)))
        };
        Ok(Replica::on(medium, settings, known, scratch))
    }

    pub(super) fn on(
        medium: Box<dyn Medium>,
        settings: ReplicaSettings,
        known: Option<ReplicaId>,
        scratch: &Path,
    ) -> Replica {
        let id = known.map_or_else(OnceLock::new, OnceLock::from);
        Replica { settings, id, medium, scratch: scratch.to_owned() }
    }

    pub fn settings(&self) -> &ReplicaSettings {
        &self.settings
    }

    pub fn name(&self) -> &str {
        &self.settings.name
    }

    /// Makes an empty place a storage root, or recognises one that was made before. The caller
    /// keeps the id and gives it from then on. Called while nothing else writes to the replica.
    pub fn prepare(&self) -> Result<ReplicaId, VaultError> {
        let marker = self.marker()?;
        if marker.is_none() && self.id.get().is_some() {
            return Err(self.unmarked());
        }
        if marker.is_none() && !self.medium.is_vacant()? {
            let what = format!("`{}` is not empty and not a replica of ours", self.settings.url);
            return Err(VaultError::Refused { what });
        }
        let marker = match marker {
            Some(marker) => marker,
            None => self.mark(ReplicaId::draw())?,
        };
        self.recognise(&marker)?;
        self.medium.clear(&format!("{CORNER}/parts"))?;
        self.repair_root()?;
        Ok(self.id.get_or_init(|| marker.id).clone())
    }

    /// Requires that an empty folder or bucket is in the place of a replica that was prepared before.
    pub fn require_replaced(&self) -> Result<(), VaultError> {
        let url = &self.settings.url;
        let what = match self.id.get() {
            None => format!("replica `{}` was never used", self.name()),
            Some(_) if self.marker()?.is_some() => format!("`{url}` holds a replica"),
            Some(_) if !self.medium.is_vacant()? => format!("`{url}` is not empty"),
            Some(_) => return Ok(()),
        };
        Err(VaultError::Refused { what })
    }

    /// Makes the empty folder or bucket that is in its place this replica. The caller has asked a
    /// person: an empty folder may also be a disk that is not mounted.
    pub fn take_replacement(&self) -> Result<(), VaultError> {
        self.require_replaced()?;
        if let Some(id) = self.id.get() {
            self.mark(id.clone())?;
        }
        self.prepare().map(drop)
    }

    /// The id that the replica was given when it was first prepared, if it ever was.
    pub fn known_id(&self) -> Result<Option<ReplicaId>, VaultError> {
        Ok(self.marker()?.map(|marker| marker.id))
    }

    /// Whether the replica is there and the right one. Asked before each piece of work.
    pub fn present(&self) -> Result<(), VaultError> {
        match self.marker()? {
            Some(marker) => self.recognise(&marker),
            None => Err(self.unmarked()),
        }
    }

    /// Whether the replica takes what is written: writes a small file of our own and removes it.
    pub fn try_write(&self) -> Result<(), VaultError> {
        let key = format!("{CORNER}/parts/write-probe");
        self.put_small(&key, b"written to see whether the replica takes files\n")?;
        // Some buckets keep everything for a while. What stays is written over by the next one, and
        // removed when the replica is next prepared.
        drop(self.medium.remove(&key));
        Ok(())
    }

    /// The object's inventory, or `None` if no version was ever sealed here.
    pub fn inventory(&self, object: &ObjectId) -> Result<Option<Inventory>, VaultError> {
        Ok(self.root_inventory(object)?.map(|(inventory, _)| inventory))
    }

    /// The root inventory, and whether its sidecar agrees. A sidecar is replaced before its
    /// inventory; a crash between the two leaves the old inventory, which the sidecar in its own
    /// version folder still vouches for.
    pub(super) fn root_inventory(
        &self,
        object: &ObjectId,
    ) -> Result<Option<(Inventory, bool)>, VaultError> {
        let root = object.root();
        let Some((file, sha512)) = self.spool(&format!("{root}/inventory.json"))? else {
            return Ok(None);
        };
        let inventory = Inventory::open(self.name(), file, sha512)?;
        if inventory.id() != object.as_str() {
            return Err(self.damaged(format!("the inventory of `{object}` is of another object")));
        }
        if self.sidecar(&root)? == Some(sha512) {
            return Ok(Some((inventory, true)));
        }
        if self.sidecar(&format!("{root}/v{}", inventory.head()))? == Some(sha512) {
            return Ok(Some((inventory, false)));
        }
        Err(self.damaged(format!("the inventory of `{object}` differs from its sidecar")))
    }

    /// The inventory as it was when a version was sealed; `None` if it is absent or half-written.
    pub fn version_inventory(
        &self,
        object: &ObjectId,
        version: u32,
    ) -> Result<Option<Inventory>, VaultError> {
        let folder = format!("{}/v{version}", object.root());
        let Some(expected) = self.sidecar(&folder)? else { return Ok(None) };
        match self.spool(&format!("{folder}/inventory.json"))? {
            Some((file, sha512)) if sha512 == expected => {
                Inventory::open(self.name(), file, sha512).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// The digest that a sidecar in this folder vouches for.
    pub(super) fn sidecar(&self, folder: &str) -> Result<Option<Sha512>, VaultError> {
        let bytes = self.read_small(&format!("{folder}/inventory.json.sha512"))?;
        let text = bytes.as_deref().and_then(|bytes| std::str::from_utf8(bytes).ok());
        Ok(text.and_then(|text| text.split_whitespace().next()).and_then(unhex))
    }

    pub(super) fn read_small(&self, key: &str) -> Result<Option<Vec<u8>>, VaultError> {
        let Some(reader) = self.medium.open(key)? else { return Ok(None) };
        let mut bytes = Vec::new();
        reader
            .take(SMALL_LEN_MAX)
            .read_to_end(&mut bytes)
            .map_err(|error| self.unreadable(key, error))?;
        Ok(Some(bytes))
    }

    pub(super) fn put_small(&self, key: &str, bytes: &[u8]) -> Result<(), VaultError> {
        let size_bytes = bytes.len() as u64;
        self.medium.put(key, Upload { source: &mut io::Cursor::new(bytes), size_bytes })
    }

    /// Copies a file into the scratch folder, with its digest.
    pub(super) fn spool(&self, key: &str) -> Result<Option<(File, Sha512)>, VaultError> {
        let Some(mut reader) = self.medium.open(key)? else { return Ok(None) };
        let failed = |source| VaultError::Scratch { what: "copying an inventory".into(), source };
        let mut file = tempfile::tempfile_in(&self.scratch).map_err(failed)?;
        let mut hasher = Hasher::new(AlgorithmSet::EMPTY.with(Algorithm::Sha512));
        let mut buffer = vec![0; 256 << 10];
        loop {
            let count = reader.read(&mut buffer).map_err(|error| self.unreadable(key, error))?;
            if count == 0 {
                break;
            }
            hasher.update(&buffer[..count]);
            file.write_all(&buffer[..count]).map_err(failed)?;
        }
        Ok(Some((file, sha512_of(&hasher.finish()).unwrap_or([0; 64]))))
    }

    fn marker(&self) -> Result<Option<Marker>, VaultError> {
        let Some(bytes) = self.read_small(MARKER)? else { return Ok(None) };
        let marker = serde_json::from_slice(&bytes);
        marker.map(Some).map_err(|_| self.damaged(format!("{MARKER} is malformed")))
    }

    fn mark(&self, id: ReplicaId) -> Result<Marker, VaultError> {
        let marker = Marker { name: self.name().to_owned(), id };
        let text = serde_json::json!({ "name": marker.name, "id": marker.id.0 });
        self.put_small(MARKER, format!("{text}\n").as_bytes())?;
        Ok(marker)
    }

    fn recognise(&self, marker: &Marker) -> Result<(), VaultError> {
        let is_known = self.id.get().is_none_or(|known| *known == marker.id);
        if is_known && marker.name == self.name() {
            return Ok(());
        }
        let (url, name) = (&self.settings.url, &marker.name);
        let what = format!("`{url}` holds another replica, `{name}`, and not `{}`", self.name());
        Err(VaultError::Refused { what })
    }

    fn unmarked(&self) -> VaultError {
        self.away(&format!(
            "its marker is missing; is the disk mounted? If an empty disk or bucket was put in its \
             place, stop the appliance and run `strongroom fixity replaced {}`",
            self.name()
        ))
    }

    pub(super) fn away(&self, what: &str) -> VaultError {
        VaultError::Away { replica: self.name().to_owned(), what: what.to_owned(), source: None }
    }

    pub(super) fn damaged(&self, what: String) -> VaultError {
        VaultError::Damaged { replica: self.name().to_owned(), what }
    }

    /// Why a reader of the medium failed; a bucket packs its own sentence into the error.
    pub(super) fn unreadable(&self, key: &str, error: io::Error) -> VaultError {
        let (replica, what) = (self.name().to_owned(), format!("{key} cannot be read"));
        error.downcast::<VaultError>().unwrap_or_else(|error| VaultError::Away {
            replica,
            what,
            source: Some(error.into()),
        })
    }
}
