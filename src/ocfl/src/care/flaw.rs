//! What can be wrong with an object in one replica.

use super::super::address::{Sha512, hex};

/// One thing that is not as it must be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    pub part: Part,
    /// Relative to the object's folder.
    pub path: String,
    /// What must lie there; none for what must not, and where no replica can tell any more.
    pub expected: Option<Sha512>,
    pub found: Found,
}

/// Which part of an object, in the order that parts are mended: what names others comes after
/// them, and the root inventory, which readers begin with, comes last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// No inventory names it.
    Stray,
    /// OCFL forbids folders without files.
    EmptyFolder,
    Content,
    /// The inventory in the folder of a version.
    Inventory(u32),
    Sidecar(u32),
    Chronicle(u32),
    ChronicleSidecar(u32),
    /// The record of a deletion; there may be many.
    Deletion,
    DeletionSidecar,
    /// By which others tell an object from a folder.
    Declaration,
    RootSidecar,
    RootInventory,
}

/// What lies there instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    Missing,
    /// Other bytes, more or fewer of them or the same number.
    Differs {
        size_bytes: u64,
        sha512: Sha512,
    },
    /// An inventory that cannot be read as one.
    Malformed {
        why: String,
    },
    /// The inventory of another object.
    Foreign {
        id: String,
    },
    /// An inventory of an earlier version, in order by itself.
    Behind {
        head: u32,
    },
    /// A link or something else that holds no bytes of its own.
    NotAFile,
    /// The medium fails here, and only here.
    Unreadable {
        why: String,
    },
    /// Something that does not belong there.
    Unwanted {
        size_bytes: u64,
    },
}

impl Part {
    /// Where it lies in the object's folder; empty for what has no place of its own.
    pub(super) fn path(self) -> String {
        match self {
            Part::Stray
            | Part::EmptyFolder
            | Part::Content
            | Part::Deletion
            | Part::DeletionSidecar => String::new(),
            Part::Inventory(version) => format!("v{version}/inventory.json"),
            Part::Sidecar(version) => format!("v{version}/inventory.json.sha512"),
            Part::Chronicle(version) => format!("logs/v{version}.jsonl"),
            Part::ChronicleSidecar(version) => format!("logs/v{version}.jsonl.sha512"),
            Part::Declaration => "0=ocfl_object_1.1".into(),
            Part::RootSidecar => "inventory.json.sha512".into(),
            Part::RootInventory => "inventory.json".into(),
        }
    }
}

/// One file that an object must have beside its content.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Piece {
    pub(super) part: Part,
    pub(super) path: String,
}

impl Piece {
    pub(super) fn of(part: Part) -> Piece {
        Piece { part, path: part.path() }
    }

    /// The record of a deletion and its sidecar.
    pub(super) fn of_deletion(path: &str) -> [Piece; 2] {
        let sidecar = format!("{path}.sha512");
        [
            Piece { part: Part::Deletion, path: path.to_owned() },
            Piece { part: Part::DeletionSidecar, path: sidecar },
        ]
    }

    /// What every object has, with so many versions.
    pub(super) fn frame(sealed: u32) -> Vec<Piece> {
        let versions = (1..=sealed).flat_map(|version| {
            [
                Part::Inventory(version),
                Part::Sidecar(version),
                Part::Chronicle(version),
                Part::ChronicleSidecar(version),
            ]
        });
        let root = [Part::Declaration, Part::RootSidecar, Part::RootInventory];
        versions.chain(root).map(Piece::of).collect()
    }
}

/// What a sidecar at this path says of the bytes it vouches for.
pub(super) fn sidecar_text(sidecar: &str, sha512: &Sha512) -> String {
    let file = sidecar.rsplit('/').next().unwrap_or(sidecar);
    format!("{} {}\n", hex(sha512), file.strip_suffix(".sha512").unwrap_or(file))
}

impl Flaw {
    /// One sentence for people.
    pub fn sentence(&self) -> String {
        let what = match self.part {
            Part::Stray => format!("No inventory names {}", self.path),
            Part::EmptyFolder => format!("The folder {} holds no file", self.path),
            Part::Content => format!("The copy {}", self.path),
            Part::Inventory(version) => format!("The inventory of version {version}"),
            Part::Sidecar(version) => format!("The sidecar of the inventory of version {version}"),
            Part::Chronicle(version) => format!("The record of version {version}"),
            Part::ChronicleSidecar(version) => {
                format!("The sidecar of the record of version {version}")
            }
            Part::Deletion => format!("The record of a deletion {}", self.path),
            Part::DeletionSidecar => format!("The sidecar of a record of a deletion {}", self.path),
            Part::Declaration => "The declaration that this is an object".into(),
            Part::RootSidecar => "The sidecar of the root inventory".into(),
            Part::RootInventory => "The root inventory".into(),
        };
        match &self.found {
            Found::Missing => format!("{what} is missing."),
            Found::Differs { size_bytes, .. } => {
                format!("{what} is not what was written: {size_bytes} bytes of another digest.")
            }
            Found::Malformed { why } => format!("{what} cannot be read as one: {why}."),
            Found::Foreign { id } => format!("{what} is the one of `{id}`."),
            Found::Behind { head } => format!("{what} knows no version after {head}."),
            Found::NotAFile => format!("{what} is not a file."),
            Found::Unreadable { why } => format!("{what} cannot be read: {why}."),
            Found::Unwanted { .. } => format!("{what}."),
        }
    }

    pub(super) fn new(piece: &Piece, expected: Option<Sha512>, found: Found) -> Flaw {
        Flaw { part: piece.part, path: piece.path.clone(), expected, found }
    }
}
