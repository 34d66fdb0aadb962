//! What is asked for and what comes of it.

use std::io::{self, Read};
use std::path::PathBuf;

use digests::{Algorithm, AlgorithmSet, Digests};
use jiff::civil::Date;

use crate::finding::Finding;
use crate::profile::Profile;

/// A bag to be made. [`Plan::new`] has the defaults; the fields are there to be changed.
pub struct Plan<'a> {
    /// The name of the bag: the top folder inside a tar.
    pub name: String,
    /// The folder or tar to make. It must not exist; its parent must.
    pub target: PathBuf,
    /// What goes under `data/`.
    pub payload: Payload<'a>,
    /// Tag files made of tags. A sheet named `bag-info.txt` gets the tags that can be computed.
    pub sheets: Vec<Sheet>,
    /// Other tag files, by their path in the bag.
    pub tag_files: Vec<Entry<'a>>,
    /// The algorithms of payload and tag manifests.
    pub algorithms: AlgorithmSet,
    /// What the bag must follow: broken rules refuse the plan before anything is written.
    pub profile: Option<&'a Profile>,
    /// `Bagging-Date`, unless a sheet says otherwise, and the time of what has no time of its own.
    pub date: Date,
    /// `Bag-Software-Agent`, unless a sheet says otherwise; empty for none.
    pub agent: String,
    /// A folder or a tar.
    pub form: Form,
    /// Which times files have.
    pub times: Times,
    /// Who is told of progress, and may stop it.
    pub watch: &'a dyn Watch,
}

/// What goes under `data/`.
pub enum Payload<'a> {
    /// Everything in a folder.
    Folder(PathBuf),
    /// Entries by their path below `data/`.
    Entries(Vec<Entry<'a>>),
}

/// One file to be put into a bag.
pub struct Entry<'a> {
    /// Its place, with slashes.
    pub path: String,
    /// How long it is. Another length is a finding.
    pub size_bytes: u64,
    /// When it was modified, in seconds since 1970, for [`Times::Kept`].
    pub modified: Option<i64>,
    /// A digest it must have, in hexadecimal. Another is a finding.
    pub expected: Option<(Algorithm, String)>,
    /// Where its bytes are.
    pub content: Content<'a>,
}

/// Where the bytes of an entry come from.
pub enum Content<'a> {
    /// A regular file.
    File(PathBuf),
    /// Memory.
    Bytes(Vec<u8>),
    /// Anything that can be read; opened on the thread that reads, and again if [`Watch::again`]
    /// says so.
    Open(Box<dyn Opener + 'a>),
}

/// Opens the bytes of an entry.
pub trait Opener: Send + Sync {
    /// Called once for every reading.
    fn open(&self) -> io::Result<Box<dyn Read + Send + '_>>;
}

impl<F: Fn() -> io::Result<Box<dyn Read + Send>> + Send + Sync> Opener for F {
    fn open(&self) -> io::Result<Box<dyn Read + Send + '_>> {
        self()
    }
}

/// What is wrong with the bytes of an entry.
#[derive(Debug)]
pub enum Doubt<'a> {
    /// They cannot be read.
    Unreadable(&'a io::Error),
    /// Their number or their digest is another than expected.
    Differs,
}

/// A tag file made of tags, in the order given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sheet {
    /// Its path in the bag: `bag-info.txt`, `aptrust-info.txt`.
    pub file: String,
    /// Labels with their values.
    pub tags: Vec<(String, String)>,
}

/// What the bag is made as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A folder.
    Folder(Placing),
    /// An uncompressed tar.
    Tar,
}

/// How payload comes into a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placing {
    /// As bytes of its own.
    Copy,
    /// As another name of the same file where the content is a file. It must be on the same file
    /// system, and must not be written to afterwards: the bag would change with it.
    HardLink,
}

/// Which times files in the bag have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Times {
    /// Midnight UTC of the bagging date, so that copies of the same files make the same bag.
    Fixed,
    /// Their own, to the second, where they have one.
    Kept,
}

/// How far the making of a bag is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Bytes read so far.
    pub done_bytes: u64,
    /// Bytes to read in all.
    pub total_bytes: u64,
    /// Files in all.
    pub total_files: u64,
}

/// Someone who looks on while a bag is made.
pub trait Watch: Sync {
    /// Is told every few megabytes, from any thread.
    fn progress(&self, _progress: Progress) {}

    /// Whether to give up. Asked as often as progress is told.
    fn stopped(&self) -> bool {
        false
    }

    /// Is told of every file but manifests, in their order, once its digests are known.
    fn file(&self, _path: &str, _size_bytes: u64, _digests: &Digests) {}

    /// Is told what is wrong with an entry. When it says that there are other bytes to be had, the
    /// entry is opened again and takes the place of what was written.
    fn again(&self, _path: &str, _doubt: &Doubt<'_>) -> bool {
        false
    }
}

/// Nobody.
impl Watch for () {}

/// A bag that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// Where it is.
    pub path: PathBuf,
    /// Its payload files.
    pub payload_count: u64,
    /// Their bytes.
    pub payload_bytes: u64,
    /// What someone should know: warnings only.
    pub findings: Vec<Finding>,
}

/// Why there is no bag.
#[derive(Debug, thiserror::Error)]
pub enum MakeError {
    /// What was given cannot become such a bag: all that is wrong with it.
    #[error("the bag cannot be made: {}", summary(.0))]
    Refused(Vec<Finding>),
    /// There is something under the final name.
    #[error("{} exists already and is not replaced", .0.display())]
    Exists(PathBuf),
    /// The folder with the payload cannot be read.
    #[error("the folder {} cannot be read", path.display())]
    Folder {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The bag cannot be written.
    #[error("{} cannot be written", path.display())]
    Write {
        /// What.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The watch said to stop.
    #[error("stopped before the bag was made")]
    Stopped,
}

fn summary(findings: &[Finding]) -> String {
    match findings {
        [] => String::from("for no reason that is known"),
        [only] => format!("{}: {}", only.place, only.sentence),
        [first, others @ ..] => {
            format!("{}: {} And {} more.", first.place, first.sentence, others.len())
        }
    }
}

impl<'a> Plan<'a> {
    /// A plan for a tar with the four usual algorithms, no tags but the computed ones, no profile
    /// and fixed times.
    pub fn new(name: &str, payload: Payload<'a>, target: PathBuf, date: Date) -> Plan<'a> {
        Plan {
            name: name.to_owned(),
            target,
            payload,
            sheets: Vec::new(),
            tag_files: Vec::new(),
            algorithms: AlgorithmSet::FOUR,
            profile: None,
            date,
            agent: concat!("Strongroom ", env!("CARGO_PKG_VERSION")).to_owned(),
            form: Form::Tar,
            times: Times::Fixed,
            watch: &(),
        }
    }
}
