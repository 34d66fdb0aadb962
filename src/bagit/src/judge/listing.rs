//! What manifests and tag manifests list, line by line.

use super::case::{Case, Manifest, unreadable};
use super::manifests;
use super::resolve::{Meant, resolve};
use super::tagging::{byte_order_mark, not_decodable, too_long};
use crate::code::Code;
use crate::error::BagError;
use crate::findings::Findings;
use crate::ledger::{Ledger, PathId};
use crate::limits::Limits;
use crate::marks::{Kind, Listed, Marks};
use crate::names::rules::{self, shown};
use crate::report::Class;
use crate::text::lines::Lines;
use crate::text::manifest::{digest, split};
use crate::text::version::Version;

/// Finds all manifests and takes in what they list.
pub(crate) fn judge(case: &mut Case<'_>) -> Result<(), BagError> {
    manifests::find(case);
    case.marks.expect_paths(case.ledger.len());
    for manifest in case.manifests.clone() {
        case.pause()?;
        read(case, &manifest);
    }
    Ok(())
}

fn read(case: &mut Case<'_>, manifest: &Manifest) {
    let reader = match case.packing.open_file(&case.ledger, manifest.id, &case.changed) {
        Ok(reader) => reader,
        Err(error) => return unreadable(&mut case.findings, &manifest.name, &error),
    };
    let mut lines = Lines::new(reader, case.encoding, case.limits.line_bytes);
    let mut taker = Taker { manifest, told: Vec::new(), long: Vec::new() };
    let outcome = loop {
        match lines.next() {
            Ok(None) => break Ok(()),
            Err(error) => break Err(error),
            Ok(Some(line)) if line.too_long => {
                if taker.long.len() < case.limits.finding_count {
                    taker.long.push(line.number);
                }
            }
            Ok(Some(line)) if line.text.trim().is_empty() => {}
            Ok(Some(line)) => {
                let parts = Parts {
                    ledger: &mut case.ledger,
                    marks: &mut case.marks,
                    findings: &mut case.findings,
                    limits: case.limits,
                    version: case.version,
                };
                if taker.take(parts, line.number, &line.text).is_err() {
                    break Ok(());
                }
            }
        }
    };
    let (broken, bom) = (lines.first_broken(), lines.bom());
    drop(lines);
    if let Err(error) = outcome {
        unreadable(&mut case.findings, &manifest.name, &error);
    }
    for line in taker.long {
        too_long(case, &manifest.name, line);
    }
    if let Some(line) = broken {
        not_decodable(case, &manifest.name, line);
    }
    if bom {
        byte_order_mark(case, &manifest.name);
    }
}

/// The parts of a case that lines change while the manifest is open.
pub(crate) struct Parts<'p> {
    pub(crate) ledger: &'p mut Ledger,
    pub(crate) marks: &'p mut Marks,
    pub(crate) findings: &'p mut Findings,
    pub(crate) limits: &'p Limits,
    pub(crate) version: Version,
}

/// There is no room for more; what follows is not read.
pub(crate) struct NoRoom;

struct Taker<'m> {
    manifest: &'m Manifest,
    /// Oddities of which one line of this manifest is told, for all.
    told: Vec<Code>,
    long: Vec<u64>,
}

impl Taker<'_> {
    fn take(&mut self, parts: Parts<'_>, number: u64, text: &str) -> Result<(), NoRoom> {
        let Manifest { name, kind, algorithm, .. } = self.manifest;
        let place = || format!("{name}:{number}");
        let Ok((hex, written)) = split(text) else {
            parts.findings.add(Code::ManifestLine, place(), || {
                format!("Line {number} of {name} is not a digest and a path with space between.")
            });
            return Ok(());
        };
        let meant = resolve(written, parts.version, parts.ledger);
        self.tell_oddities(parts.findings, number, &meant);
        if !self.is_in_place(parts.findings, number, &meant.path) {
            return Ok(());
        }
        let found = match meant.id {
            Some(id) => Some(id),
            None => number_of(parts.ledger, parts.findings, parts.limits, &place(), &meant)?,
        };
        let Some(id) = found else { return Ok(()) };
        let Ok(digest) = digest(*algorithm, hex) else {
            parts.marks.list_unread(id, *algorithm, *kind);
            parts.findings.add(Code::ManifestDigest, place(), || {
                format!(
                    "`{}` is not a digest by {algorithm}, which has {} hexadecimal digits.",
                    shown(hex),
                    2 * algorithm.digest_len()
                )
            });
            return Ok(());
        };
        let path = || shown(&meant.path);
        match parts.marks.list(id, *algorithm, *kind, digest.as_bytes()) {
            Listed::First => {}
            Listed::Otherwise => parts.findings.add(Code::ManifestContradicts, place(), || {
                format!("{name} lists `{}` twice, with two different digests.", path())
            }),
            Listed::Again => {
                let strict = parts.version.manifests_list_all();
                let code = if strict { Code::ManifestPathTwice } else { Code::ManifestPathAgain };
                parts.findings.add(code, place(), || {
                    format!("{name} lists `{}` twice. Leave one of the lines out.", path())
                });
            }
        }
        Ok(())
    }

    fn tell_oddities(&mut self, findings: &mut Findings, number: u64, meant: &Meant<'_>) {
        let name = &self.manifest.name;
        for code in &meant.oddities {
            let each = *code == Code::ManifestUnicode || *code == Code::ManifestPercent;
            if !each && self.told.contains(code) {
                continue;
            }
            self.told.push(*code);
            let path = shown(&meant.path);
            findings.add(*code, format!("{name}:{number}"), || oddity(*code, name, &path));
        }
    }

    /// Whether this kind of manifest may list this path.
    fn is_in_place(&self, findings: &mut Findings, number: u64, path: &str) -> bool {
        let name = &self.manifest.name;
        let place = || format!("{name}:{number}");
        let class = Class::of(path.as_bytes());
        match self.manifest.kind {
            Kind::Payload if class != Class::Payload && rules::escapes(path).is_empty() => {
                findings.add(Code::ManifestOutside, place(), || {
                    format!(
                        "{name} lists `{}`, which is not in data; such files belong in a tag \
                         manifest.",
                        shown(path)
                    )
                });
                false
            }
            Kind::Tag if class == Class::TagManifest => {
                findings.add(Code::TagManifestListsTagManifest, place(), || {
                    format!("{name} lists `{}`; no tag manifest may list one.", shown(path))
                });
                false
            }
            Kind::Tag if class == Class::Payload => {
                findings.add(Code::TagManifestListsPayload, place(), || {
                    format!("{name} lists `{}`; payload belongs in a manifest.", shown(path))
                });
                true
            }
            Kind::Payload | Kind::Tag => true,
        }
    }
}

/// The number of a path that a list names; none if it must not be in a bag.
pub(crate) fn number_of(
    ledger: &mut Ledger,
    findings: &mut Findings,
    limits: &Limits,
    place: &str,
    meant: &Meant<'_>,
) -> Result<Option<PathId>, NoRoom> {
    if let Some(id) = meant.id {
        return Ok(Some(id));
    }
    let flaws = rules::flaws(&meant.path, limits);
    for code in &flaws {
        findings.add(*code, place, || rules::sentence(*code, &meant.path));
    }
    if flaws.iter().any(|code| *code != Code::NameControl) {
        return Ok(None);
    }
    ledger.list(meant.path.as_bytes(), limits).map(Some).map_err(|_| {
        findings.add(Code::LimitReached, place, || {
            "More files are listed than are taken in at once; the rest was not read. Split the \
             bag."
                .to_owned()
        });
        NoRoom
    })
}

fn oddity(code: Code, name: &str, path: &str) -> String {
    if code == Code::ManifestStar {
        format!("{name} writes an asterisk before `{path}`, as md5sum does. Leave it out.")
    } else if code == Code::ManifestDotSlash {
        format!("{name} writes `./` before `{path}`. Leave it out.")
    } else if code == Code::PathBackslash {
        format!("{name} writes `{path}` with backslashes, as on Windows. Write slashes.")
    } else if code == Code::ManifestPercent {
        format!("{name} does not write `{path}` as BagIt 1.0 asks: % must be written %25.")
    } else {
        format!(
            "{name} writes `{path}` with its accents in another form than the file has. The file \
             was found; nothing needs to be done unless other tools refuse the bag."
        )
    }
}
