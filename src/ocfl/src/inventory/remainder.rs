//! Makes the inventory of a version again without some of its files.
//!
//! Everything is told from the newest inventory, which alone says what readers see: the inventory of
//! an earlier version is what the newest one says of that version and those before it. So nothing
//! depends on older inventories, which a crash may have left half rewritten; and made from a newest
//! inventory that lacks the files already, each comes out the same byte by byte.

use std::collections::{HashMap, HashSet};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::super::address::Sha512;
use super::super::error::VaultError;
use super::build::{Built, Hashing, failed, quoted};
use super::entries::FIXITY;
use super::reading::{Inventory, strings};

/// Which files are to go, with all their versions.
#[derive(Clone, Copy, Debug)]
pub enum Expunging<'e> {
    /// All of them.
    Whole,
    /// Those of these paths within the bag.
    Files {
        paths: &'e HashSet<String>,
        /// Where the registry says that their bytes lie, relative to the object. A repetition finds
        /// them by this when no inventory names them any more.
        contents: &'e [String],
    },
}

impl Expunging<'_> {
    pub(in super::super) fn takes(&self, path: &str) -> bool {
        match self {
            Expunging::Whole => true,
            Expunging::Files { paths, .. } => paths.contains(path),
        }
    }
}

/// What stays of an object. Holds some 50 bytes for each digest that stays, and the paths of what
/// goes.
pub(in super::super) struct Remainder<'r> {
    newest: &'r Inventory,
    going: &'r Expunging<'r>,
    /// The first version that needs bytes which lie in an earlier one.
    late: HashMap<String, u32>,
    /// Content that no version needs any more.
    pub(in super::super) unused: HashSet<String>,
}

impl<'r> Remainder<'r> {
    pub(in super::super) fn of(
        newest: &'r Inventory,
        going: &'r Expunging<'r>,
    ) -> Result<Remainder<'r>, VaultError> {
        let mut needed: HashMap<[u8; 32], u32> = HashMap::new();
        for version in 1..=newest.head() {
            newest.state(version, &mut |path, sha512| {
                if !going.takes(path) {
                    needed.entry(half(sha512)).or_insert(version);
                }
                Ok(())
            })?;
        }
        let mut remainder =
            Remainder { newest, going, late: HashMap::new(), unused: HashSet::new() };
        newest.contents(&mut |path, sha512| {
            match needed.get(&half(sha512)) {
                None => {
                    remainder.unused.insert(path.to_owned());
                }
                Some(first) if *first > version_of(newest, path)? => {
                    remainder.late.insert(path.to_owned(), *first);
                }
                Some(_) => {}
            }
            Ok(())
        })?;
        Ok(remainder)
    }

    /// Makes the inventory of a version in a nameless scratch file.
    pub(in super::super) fn build(
        &self,
        version: u32,
        scratch: &Path,
    ) -> Result<Built, VaultError> {
        let hashing = Hashing::new(scratch)?;
        let mut out = Out(BufWriter::with_capacity(256 << 10, hashing));
        out.say("{\n\"digestAlgorithm\": \"sha512\",\n")?;
        let id = quoted(self.newest.id());
        out.say(&format!("\"head\": \"v{version}\",\n\"id\": {id},\n"))?;
        out.say("\"type\": \"https://ocfl.io/1.1/spec/#inventory\",\n\"manifest\": {")?;
        self.contents(&["manifest"], version, &mut out)?;
        out.say("\n},\n\"versions\": {\n")?;
        self.versions(version, &mut out)?;
        out.say("\n},\n\"fixity\": {")?;
        for (at, algorithm) in FIXITY.iter().enumerate() {
            let name = algorithm.name();
            out.say(&format!("{}\n\"{name}\": {{", if at == 0 { "" } else { "," }))?;
            self.contents(&["fixity", name], version, &mut out)?;
            out.say("\n}")?;
        }
        out.say("\n}\n}\n")?;
        let hashing = out.0.into_inner().map_err(|error| failed(error.into_error()))?;
        hashing.finish(Vec::new())
    }

    /// The digests and content paths of a section that a version and those before it need.
    fn contents(
        &self,
        section: &[&str],
        version: u32,
        out: &mut Out<impl Write>,
    ) -> Result<(), VaultError> {
        let mut first = true;
        self.newest.blocks(section, &mut |digest, paths| {
            let mut kept = Vec::with_capacity(paths.len());
            for path in paths {
                if self.is_needed(&path, version)? {
                    kept.push(path);
                }
            }
            if kept.is_empty() { Ok(()) } else { out.block(&mut first, digest, &kept) }
        })
    }

    fn is_needed(&self, content: &str, version: u32) -> Result<bool, VaultError> {
        if self.unused.contains(content) {
            return Ok(false);
        }
        let from = match self.late.get(content) {
            Some(first) => *first,
            None => version_of(self.newest, content)?,
        };
        Ok(from <= version)
    }

    /// What versions say of themselves, as they said it, without the files that go.
    fn versions(&self, most: u32, out: &mut Out<impl Write>) -> Result<(), VaultError> {
        let blame = |error| self.newest.blame(error);
        let Some(mut tokens) = self.newest.section(&["versions"]).map_err(blame)? else {
            return Err(self.newest.damaged("it has no versions"));
        };
        tokens.open(b'{').map_err(blame)?;
        let (mut first, mut comma) = (true, "");
        while tokens.more(b'}', &mut first).map_err(blame)? {
            let name = tokens.key().map_err(blame)?;
            let number: Option<u32> = name.strip_prefix('v').and_then(|it| it.parse().ok());
            let number = number.ok_or_else(|| self.newest.damaged("a version has no number"))?;
            if number > most {
                tokens.skip().map_err(blame)?;
                continue;
            }
            out.say(&format!("{comma}\"v{number}\": {{"))?;
            comma = ",\n";
            tokens.open(b'{').map_err(blame)?;
            let (mut member, mut between) = (true, "");
            while tokens.more(b'}', &mut member).map_err(blame)? {
                let key = tokens.key().map_err(blame)?;
                out.say(&format!("{between}{}: ", quoted(&key)))?;
                between = ", ";
                if key != "state" {
                    tokens.copy(&mut out.0).map_err(blame)?;
                    continue;
                }
                out.say("{")?;
                tokens.open(b'{').map_err(blame)?;
                let (mut block, mut first) = (true, true);
                while tokens.more(b'}', &mut block).map_err(blame)? {
                    let digest = tokens.key().map_err(blame)?;
                    let mut paths = strings(&mut tokens).map_err(blame)?;
                    paths.retain(|path| !self.going.takes(path));
                    if !paths.is_empty() {
                        out.block(&mut first, &digest, &paths)?;
                    }
                }
                out.say("\n}")?;
            }
            out.say("}")?;
        }
        Ok(())
    }
}

/// The version whose folder content lies in.
fn version_of(inventory: &Inventory, content: &str) -> Result<u32, VaultError> {
    let number = content.strip_prefix('v').and_then(|rest| rest.split_once('/'));
    let number = number.and_then(|(number, _)| number.parse().ok());
    number.ok_or_else(|| inventory.damaged("content lies in no version"))
}

fn half(sha512: &Sha512) -> [u8; 32] {
    let mut half = [0; 32];
    half.copy_from_slice(&sha512[..32]);
    half
}

struct Out<W>(W);

impl<W: Write> Out<W> {
    fn say(&mut self, text: &str) -> Result<(), VaultError> {
        self.0.write_all(text.as_bytes()).map_err(failed)
    }

    fn block(
        &mut self,
        first: &mut bool,
        digest: &str,
        paths: &[String],
    ) -> Result<(), VaultError> {
        let comma = if std::mem::replace(first, false) { "\n" } else { ",\n" };
        self.say(&format!("{comma}{}: ", quoted(digest)))?;
        serde_json::to_writer(&mut self.0, paths).map_err(|error| failed(io::Error::from(error)))
    }
}
