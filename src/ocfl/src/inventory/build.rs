//! Makes the inventory of a version from the one before and what a bag brings.
//!
//! The result is a function of its inputs, byte by byte: sealing again after a crash makes the same
//! inventory, and its digest alone tells whether a version that is already there is the same one.
//!
//! Old blocks stream through; a digest that both old and new hold becomes one block, because JSON
//! must not name a member twice. That happens in the manifest with unchanged files, and in the
//! fixity block with files made to share their md5, which format collections do hold.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use digests::{Algorithm, AlgorithmSet, Hasher};

use super::super::address::{Sha512, hex, sha512_of, unhex};
use super::super::error::VaultError;
use super::entries::{Entries, FIXITY};
use super::reading::Inventory;

/// What a version says about itself. The caller keeps it, so that a repeated seal says the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// RFC 3339 with a zone.
    pub created: String,
    pub message: String,
    pub user: String,
    /// `mailto:` or another address.
    pub user_address: String,
}

/// What an inventory is made of.
pub(in super::super) struct Making<'m> {
    pub id: &'m str,
    pub version: u32,
    pub note: &'m Note,
    pub base: Option<&'m Inventory>,
    pub entries: &'m Entries,
}

/// An inventory that is ready to be written to a replica.
pub(in super::super) struct Built {
    pub file: File,
    pub size_bytes: u64,
    pub sha512: Sha512,
    /// For each entry, whether its content must lie in this version.
    pub fresh: Vec<bool>,
}

/// Makes an inventory in a nameless scratch file.
pub(in super::super) fn build(making: &Making<'_>, scratch: &Path) -> Result<Built, VaultError> {
    let hashing = Hashing::new(scratch)?;
    let mut build = Build { making, out: BufWriter::with_capacity(256 << 10, hashing) };
    let fresh = build.write()?;
    let hashing = build.out.into_inner().map_err(|error| failed(error.into_error()))?;
    hashing.finish(fresh)
}

/// A nameless scratch file and its digest.
pub(super) struct Hashing {
    file: File,
    hasher: Hasher,
}

impl Hashing {
    pub(super) fn new(scratch: &Path) -> Result<Hashing, VaultError> {
        let file = tempfile::tempfile_in(scratch).map_err(failed)?;
        let hasher = Hasher::new(AlgorithmSet::EMPTY.with(Algorithm::Sha512));
        Ok(Hashing { file, hasher })
    }

    pub(super) fn finish(self, fresh: Vec<bool>) -> Result<Built, VaultError> {
        let Hashing { file, hasher } = self;
        let size_bytes = hasher.stream_len();
        let sha512 = sha512_of(&hasher.finish());
        let sha512 = sha512.ok_or_else(|| failed(io::ErrorKind::InvalidData.into()))?;
        Ok(Built { file, size_bytes, sha512, fresh })
    }
}

impl Write for Hashing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.file.write(bytes)?;
        self.hasher.update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Build<'m, W> {
    making: &'m Making<'m>,
    out: W,
}

impl<W: Write> Build<'_, W> {
    fn write(&mut self) -> Result<Vec<bool>, VaultError> {
        let Making { id, version, .. } = *self.making;
        self.say("{\n\"digestAlgorithm\": \"sha512\",\n")?;
        self.say(&format!("\"head\": \"v{version}\",\n\"id\": {},\n", quoted(id)))?;
        self.say("\"type\": \"https://ocfl.io/1.1/spec/#inventory\",\n\"manifest\": {")?;
        let fresh = self.manifest()?;
        self.say("\n},\n\"versions\": {\n")?;
        if let Some(base) = self.making.base {
            base.copy_versions(&mut self.out).map_err(|error| base.blame(error))?;
        }
        let note = self.making.note;
        let (created, message) = (quoted(&note.created), quoted(&note.message));
        let (user, address) = (quoted(&note.user), quoted(&note.user_address));
        self.say(&format!("\"v{version}\": {{\"created\": {created}, \"message\": {message}, "))?;
        self.say(&format!(
            "\"user\": {{\"name\": {user}, \"address\": {address}}}, \"state\": {{"
        ))?;
        self.state()?;
        self.say("\n}}\n},\n\"fixity\": {")?;
        let mut rows: Vec<usize> = (0..fresh.len()).filter(|row| fresh[*row]).collect();
        for at in 0..FIXITY.len() {
            self.fixity(at, &mut rows)?;
        }
        self.say("\n}\n}\n")?;
        self.out.flush().map_err(failed)?;
        Ok(fresh)
    }

    /// Old content as it is, then each new digest once. Tells which entries hold that content: of
    /// equal files the first.
    fn manifest(&mut self) -> Result<Vec<bool>, VaultError> {
        let Making { entries, version, base, .. } = *self.making;
        let mut fresh = vec![false; entries.len()];
        for group in entries.groups() {
            entries.group(group).take(1).for_each(|row| fresh[row] = true);
        }
        let mut first = true;
        if let Some(base) = base {
            base.blocks(&["manifest"], &mut |digest, paths| {
                let sha512 = unhex(digest).ok_or_else(|| base.damaged("a digest is malformed"))?;
                let same = entries.with_sha512(&sha512);
                entries.group(same).for_each(|row| fresh[row] = false);
                self.block(&mut first, digest, paths)
            })?;
        }
        for group in entries.groups() {
            if let Some(row) = entries.group(group).next().filter(|row| fresh[*row]) {
                let path = entries.content_path(row, version);
                self.block(&mut first, &hex(entries.sha512(row)), vec![path])?;
            }
        }
        Ok(fresh)
    }

    /// What was there and stays, with what the bag brings.
    fn state(&mut self) -> Result<(), VaultError> {
        let Making { entries, version, base, .. } = *self.making;
        let mut said = vec![false; entries.len()];
        let mut first = true;
        if let Some(base) = base {
            let section = ["versions", &format!("v{}", version - 1), "state"];
            base.blocks(&section, &mut |digest, mut paths| {
                paths.retain(|path| entries.find(path).is_none());
                if let Some(path) = paths.iter().find(|path| entries.collides(path)) {
                    let what = format!("`{path}` is a file in one version and a folder in another");
                    return Err(VaultError::Refused { what });
                }
                let sha512 = unhex(digest).ok_or_else(|| base.damaged("a digest is malformed"))?;
                for row in entries.group(entries.with_sha512(&sha512)) {
                    said[row] = true;
                    paths.push(entries.logical(row).to_owned());
                }
                if paths.is_empty() { Ok(()) } else { self.block(&mut first, digest, paths) }
            })?;
        }
        for group in entries.groups() {
            let rows = || entries.group(group.clone());
            if let Some(row) = rows().next().filter(|row| !said[*row]) {
                let paths = rows().map(|row| entries.logical(row).to_owned()).collect();
                self.block(&mut first, &hex(entries.sha512(row)), paths)?;
            }
        }
        Ok(())
    }

    /// Another digest of all content. `rows` are those of new content, in any order.
    fn fixity(&mut self, at: usize, rows: &mut [usize]) -> Result<(), VaultError> {
        let Making { entries, version, base, .. } = *self.making;
        let digest_of = |row: &usize| entries.fixity(*row, at);
        rows.sort_unstable_by_key(|row| (digest_of(row), *row));
        let mut said = vec![false; rows.len()];
        let name = FIXITY[at].name();
        self.say(&format!("{}\n\"{name}\": {{", if at == 0 { "" } else { "," }))?;
        let mut first = true;
        if let Some(base) = base {
            base.blocks(&["fixity", name], &mut |digest, mut paths| {
                let start = rows.partition_point(|row| &*hex(digest_of(row)) < digest);
                for position in start..rows.len() {
                    if hex(digest_of(&rows[position])) != digest {
                        break;
                    }
                    said[position] = true;
                    paths.push(entries.content_path(rows[position], version));
                }
                self.block(&mut first, digest, paths)
            })?;
        }
        let mut position = 0;
        while position < rows.len() {
            let digest = digest_of(&rows[position]);
            let same = rows[position..].iter().take_while(|row| digest_of(row) == digest);
            let paths: Vec<String> = same.map(|row| entries.content_path(*row, version)).collect();
            let next = position + paths.len();
            if !said[position] {
                self.block(&mut first, &hex(digest), paths)?;
            }
            position = next;
        }
        self.say("\n}")
    }

    fn block(
        &mut self,
        first: &mut bool,
        digest: &str,
        paths: Vec<String>,
    ) -> Result<(), VaultError> {
        let comma = if std::mem::replace(first, false) { "\n" } else { ",\n" };
        self.say(&format!("{comma}{}: ", quoted(digest)))?;
        serde_json::to_writer(&mut self.out, &paths).map_err(|error| failed(error.into()))
    }

    fn say(&mut self, text: &str) -> Result<(), VaultError> {
        self.out.write_all(text.as_bytes()).map_err(failed)
    }
}

pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

pub(super) fn failed(source: io::Error) -> VaultError {
    VaultError::Scratch { what: "making an inventory".into(), source }
}
