//! A compiled signature set: formats, their signatures, and where they came from.

use byteio::record::{NoOlder, Record, Undecodable, decode, encode};
use digests::{Algorithm, digest_buffers};
use serde::{Deserialize, Serialize};

use super::pattern::Sequence;
use super::{container_file, droid_file};
use crate::identification::ContainerKind;

/// The first bytes of a stored set; a version and the record follow, and at the end a sha256.
const MARK: &[u8] = b"Strongroom formats\n";
const SUM_BYTES: usize = 32;
/// Made of the files beside it: DROID's V122 and the containers of 20260119.
const BUILT_IN: &[u8] = include_bytes!("../built_in/pronom.set");

/// Everything known about formats at one time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignatureSet {
    pub about: About,
    pub formats: Vec<Format>,
    pub signatures: Vec<Signature>,
    pub containers: Vec<ContainerSignature>,
    /// Formats that are containers: a file that matches one is opened.
    pub(crate) triggers: Vec<(ContainerKind, u16)>,
}

/// Where a set came from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// The number of DROID's signature file.
    pub droid_version: u32,
    /// When The National Archives made it, as the file says.
    pub droid_created: String,
    pub droid_sha256: String,
    /// The number of the container signature file.
    pub container_version: u32,
    pub container_sha256: String,
    /// When it was put in use here; the set that comes with the program has no such time.
    pub compiled_at: Option<String>,
    /// Signatures that this program cannot use, each with its reason.
    pub left_out: Vec<String>,
}

/// A format that PRONOM has a number for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Format {
    /// Such as `fmt/18`: the name for ever.
    pub puid: String,
    pub name: String,
    pub version: Option<String>,
    pub mimes: Vec<String>,
    /// In lower case, without the dot.
    pub extensions: Vec<String>,
    /// Formats that this one is a special case of, by their place in the set.
    pub(crate) over: Vec<u16>,
}

/// Byte sequences that must all be there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signature {
    pub id: u32,
    pub(crate) format: u16,
    pub(crate) sequences: Vec<Sequence>,
}

/// Files that must all be in a container.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContainerSignature {
    pub id: u32,
    pub kind: ContainerKind,
    pub(crate) format: u16,
    pub(crate) files: Vec<WantedFile>,
}

/// A file inside a container, and what must stand in it: nothing in particular, or all sequences
/// of one of the alternatives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WantedFile {
    pub(crate) path: String,
    pub(crate) content: Vec<Vec<Sequence>>,
}

/// Why a signature file, or a stored set, is of no use.
#[derive(Debug, thiserror::Error)]
pub enum Broken {
    #[error("it is not XML, or damaged")]
    Xml(#[source] roxmltree::Error),
    #[error("it is not text in UTF-8")]
    Text,
    #[error("it is larger than any signature file")]
    Large,
    #[error("it is no {wanted}: its first element is {found}")]
    Other { wanted: &'static str, found: String },
    #[error("{name} in line {line}: {what}")]
    Element { name: String, line: u32, what: String },
    #[error("it holds no signatures")]
    Empty,
    #[error("none of its signatures is of a format that the signature file of DROID has")]
    Strange,
    #[error("it has a document type definition (DTD), which no signature file needs")]
    Dtd,
    #[error("the stored set is damaged")]
    Damaged,
    #[error("the stored set cannot be read")]
    Stored(#[source] Undecodable),
}

/// Which of the two files is broken.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    #[error("the signature file of DROID cannot be used")]
    Droid(#[source] Broken),
    #[error("the container signature file cannot be used")]
    Container(#[source] Broken),
}

impl Record for SignatureSet {
    const VERSION: u8 = 1;
    type Older = NoOlder;
    fn upgrade(older: NoOlder) -> SignatureSet {
        match older {}
    }
}

impl SignatureSet {
    /// The set that comes with the program.
    pub fn built_in() -> Result<SignatureSet, Broken> {
        SignatureSet::from_bytes(BUILT_IN)
    }

    /// Makes a set of DROID's signature file and its container signature file.
    pub fn compile(
        droid: &[u8],
        container: &[u8],
        compiled_at: Option<String>,
    ) -> Result<SignatureSet, CompileError> {
        let text = |bytes| std::str::from_utf8(bytes).map_err(|_| Broken::Text);
        let from_droid = text(droid).and_then(droid_file::read).map_err(CompileError::Droid)?;
        let droid_file::Read { version, created, formats, signatures, mut left_out } = from_droid;
        let read = text(container).and_then(|text| container_file::read(text, &formats));
        let from_container = read.map_err(CompileError::Container)?;
        left_out.extend(from_container.left_out);
        Ok(SignatureSet {
            about: About {
                droid_version: version,
                droid_created: created,
                droid_sha256: sha256_hex(droid),
                container_version: from_container.version,
                container_sha256: sha256_hex(container),
                compiled_at,
                left_out,
            },
            formats,
            signatures,
            containers: from_container.signatures,
            triggers: from_container.triggers,
        })
    }

    /// The set in stored form.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Broken> {
        let record = encode(self).map_err(Broken::Stored)?;
        let mut bytes = [MARK, &record].concat();
        bytes.extend(sha256(&bytes));
        Ok(bytes)
    }

    /// Reads a stored set. What is not exactly as it was stored is refused.
    pub fn from_bytes(bytes: &[u8]) -> Result<SignatureSet, Broken> {
        let body_len = bytes.len().checked_sub(SUM_BYTES).ok_or(Broken::Damaged)?;
        let (body, sum) = bytes.split_at(body_len);
        let record = body.strip_prefix(MARK).ok_or(Broken::Damaged)?;
        if sha256(body) != sum {
            return Err(Broken::Damaged);
        }
        let set: SignatureSet = decode(record).map_err(Broken::Stored)?;
        if set.is_sound() { Ok(set) } else { Err(Broken::Damaged) }
    }

    /// Whether every place points into the set.
    fn is_sound(&self) -> bool {
        let there = |format: &u16| usize::from(*format) < self.formats.len();
        let steps = |sequence: &Sequence| {
            let whole = |step: &super::pattern::Step| {
                !step.choices.is_empty() && step.choices.iter().all(|choice| choice.len() > 0)
            };
            !sequence.steps.is_empty() && sequence.steps.iter().all(whole)
        };
        self.formats.iter().flat_map(|format| &format.over).all(there)
            && self.triggers.iter().all(|(_, format)| there(format))
            && self.signatures.iter().all(|signature| there(&signature.format))
            && self.containers.iter().all(|signature| there(&signature.format))
            && self.signatures.iter().flat_map(|it| &it.sequences).all(steps)
            && self
                .containers
                .iter()
                .flat_map(|it| &it.files)
                .flat_map(|file| &file.content)
                .flatten()
                .all(steps)
    }
}

fn sha256(bytes: &[u8]) -> Vec<u8> {
    let digests = digest_buffers([Algorithm::Sha256].into_iter().collect(), &[bytes]);
    digests.first().and_then(|it| it.get(Algorithm::Sha256)).unwrap_or_default().to_vec()
}

fn sha256_hex(bytes: &[u8]) -> String {
    let digests = digest_buffers([Algorithm::Sha256].into_iter().collect(), &[bytes]);
    digests.first().and_then(|it| it.hex(Algorithm::Sha256)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::pattern::{Anchor, ByteSet, Choice, Gap, Step, Unit};
    use super::*;

    #[test]
    fn signature_sets_are_written_as_they_ever_were() {
        let sequence = |anchor| Sequence {
            anchor,
            steps: vec![Step {
                choices: vec![Choice {
                    before: Gap { min: 4, max: None },
                    units: vec![Unit::Bytes(b"%PDF".to_vec()), Unit::OneOf(ByteSet::ALL)],
                    after: Gap::NONE,
                }],
            }],
        };
        let format = Format {
            puid: "fmt/18".into(),
            name: "Acrobat PDF 1.4".into(),
            version: Some("1.4".into()),
            mimes: vec!["application/pdf".into()],
            extensions: vec!["pdf".into()],
            over: vec![0],
        };
        let set = SignatureSet {
            about: About {
                droid_version: 122,
                droid_created: "2025-06-30T10:00:00".into(),
                droid_sha256: "ab".into(),
                container_version: 20_260_119,
                container_sha256: "cd".into(),
                compiled_at: Some("2026-11-18T12:00:00Z".into()),
                left_out: vec!["signature 7: too long".into()],
            },
            formats: vec![Format { version: None, ..format.clone() }, format],
            signatures: vec![Signature {
                id: 300,
                format: 1,
                sequences: [Anchor::Start, Anchor::End, Anchor::Anywhere].map(sequence).to_vec(),
            }],
            containers: vec![ContainerSignature {
                id: 70_000,
                kind: ContainerKind::Ole2,
                format: 1,
                files: vec![WantedFile {
                    path: "WordDocument".into(),
                    content: vec![Vec::new(), vec![sequence(Anchor::Start)]],
                }],
            }],
            triggers: vec![(ContainerKind::Zip, 0), (ContainerKind::Ole2, 1)],
        };
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/it/golden");
        byteio::testing::compare_golden(&folder, "signature-set", &set).unwrap();
    }
}
