//! An inventory that was compared with its sidecar, and lies in a scratch file to be read in parts.

use std::fs::File;
use std::io::{self, BufReader, Write};

use byteio::read_at::Range;
use digests::Algorithm;

use super::super::address::{Sha512, unhex};
use super::super::error::VaultError;
use super::json::Json;

const BUFFER_LEN: usize = 64 << 10;

/// An inventory known to be as it was written.
pub struct Inventory {
    file: File,
    len: u64,
    /// For sentences: which replica and which object.
    replica: String,
    sha512: Sha512,
    id: String,
    head: u32,
}

pub(super) type Tokens<'i> = Json<BufReader<Range<'i, File>>>;

/// What a caller does with a digest and its paths.
type Each<'e> = &'e mut dyn FnMut(&str, Vec<String>) -> Result<(), VaultError>;

impl Inventory {
    /// Takes a file whose sha512 is the one of its sidecar.
    pub(in super::super) fn open(
        replica: &str,
        file: File,
        sha512: Sha512,
    ) -> Result<Inventory, VaultError> {
        let scratch = |source| VaultError::Scratch { what: "reading an inventory".into(), source };
        let len = file.metadata().map_err(scratch)?.len();
        let replica = replica.to_owned();
        let mut inventory = Inventory { file, len, replica, sha512, id: String::new(), head: 0 };
        let (id, head, algorithm) = inventory.top().map_err(|error| inventory.blame(error))?;
        let number = head.strip_prefix('v').and_then(|number| number.parse().ok());
        inventory.head = number
            .filter(|number| *number > 0)
            .ok_or_else(|| inventory.damaged(&format!("`{head}` is no version")))?;
        if algorithm != "sha512" {
            return Err(inventory.damaged("it is not by sha512"));
        }
        inventory.id = id;
        Ok(inventory)
    }

    pub fn sha512(&self) -> &Sha512 {
        &self.sha512
    }

    /// The object's id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The latest version.
    pub fn head(&self) -> u32 {
        self.head
    }

    /// Every content path with its sha512.
    pub fn contents(
        &self,
        each: &mut dyn FnMut(&str, &Sha512) -> Result<(), VaultError>,
    ) -> Result<(), VaultError> {
        self.pairs(&["manifest"], each)
    }

    /// Every logical path of a version with its sha512.
    pub fn state(
        &self,
        version: u32,
        each: &mut dyn FnMut(&str, &Sha512) -> Result<(), VaultError>,
    ) -> Result<(), VaultError> {
        self.pairs(&["versions", &format!("v{version}"), "state"], each)
    }

    /// Every content path with another digest, in hexadecimal.
    pub fn fixity(
        &self,
        algorithm: Algorithm,
        each: &mut dyn FnMut(&str, &str) -> Result<(), VaultError>,
    ) -> Result<(), VaultError> {
        self.blocks(&["fixity", algorithm.name()], &mut |digest, paths| {
            paths.iter().try_for_each(|path| each(path, digest))
        })
    }

    /// The inventory itself, and how many bytes that is.
    pub(in super::super) fn reader(&self) -> (Range<'_, File>, u64) {
        (Range::new(&self.file, 0, self.len), self.len)
    }

    fn pairs(
        &self,
        section: &[&str],
        each: &mut dyn FnMut(&str, &Sha512) -> Result<(), VaultError>,
    ) -> Result<(), VaultError> {
        self.blocks(section, &mut |digest, paths| {
            let sha512 = unhex(digest).ok_or_else(|| self.damaged("a digest is malformed"))?;
            paths.iter().try_for_each(|path| each(path, &sha512))
        })
    }

    /// Every digest of a section with its paths; nothing if there is no such section.
    pub(super) fn blocks(&self, section: &[&str], each: Each<'_>) -> Result<(), VaultError> {
        let blame = |error| self.blame(error);
        let Some(mut tokens) = self.section(section).map_err(blame)? else { return Ok(()) };
        tokens.open(b'{').map_err(blame)?;
        let mut first = true;
        while tokens.more(b'}', &mut first).map_err(blame)? {
            let digest = tokens.key().map_err(blame)?;
            each(&digest, strings(&mut tokens).map_err(blame)?)?;
        }
        Ok(())
    }

    /// Writes all versions out as they stand, each with a comma.
    pub(super) fn copy_versions(&self, out: &mut dyn Write) -> io::Result<()> {
        let Some(mut tokens) = self.section(&["versions"])? else { return Ok(()) };
        tokens.open(b'{')?;
        let mut first = true;
        while tokens.more(b'}', &mut first)? {
            serde_json::to_writer(&mut *out, &tokens.key()?)?;
            out.write_all(b": ")?;
            tokens.copy(out)?;
            out.write_all(b",\n")?;
        }
        Ok(())
    }

    fn top(&self) -> io::Result<(String, String, String)> {
        let (mut id, mut head, mut algorithm) = Default::default();
        let mut tokens = self.tokens();
        tokens.open(b'{')?;
        let mut first = true;
        while tokens.more(b'}', &mut first)? {
            match tokens.key()?.as_str() {
                "id" => id = tokens.string()?,
                "head" => head = tokens.string()?,
                "digestAlgorithm" => algorithm = tokens.string()?,
                _ => tokens.skip()?,
            }
        }
        Ok((id, head, algorithm))
    }

    /// The tokens from a nested value on.
    pub(super) fn section(&self, names: &[&str]) -> io::Result<Option<Tokens<'_>>> {
        let mut tokens = self.tokens();
        for name in names {
            tokens.open(b'{')?;
            let mut first = true;
            loop {
                if !tokens.more(b'}', &mut first)? {
                    return Ok(None);
                }
                if tokens.key()? == *name {
                    break;
                }
                tokens.skip()?;
            }
        }
        Ok(Some(tokens))
    }

    fn tokens(&self) -> Tokens<'_> {
        Json::new(BufReader::with_capacity(BUFFER_LEN, Range::new(&self.file, 0, self.len)))
    }

    pub(super) fn blame(&self, error: io::Error) -> VaultError {
        if error.kind() == io::ErrorKind::InvalidData {
            return self.damaged(&error.to_string());
        }
        VaultError::Scratch { what: "reading an inventory".into(), source: error }
    }

    pub(super) fn damaged(&self, why: &str) -> VaultError {
        let what = format!("the inventory of `{}`: {why}", self.id);
        VaultError::Damaged { replica: self.replica.clone(), what }
    }
}

pub(super) fn strings(tokens: &mut Tokens<'_>) -> io::Result<Vec<String>> {
    let (mut all, mut first) = (Vec::new(), true);
    tokens.open(b'[')?;
    while tokens.more(b']', &mut first)? {
        all.push(tokens.string()?);
    }
    Ok(all)
}
