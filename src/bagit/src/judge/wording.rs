//! Files that are not the ones listed: named with the digest that is listed and the one they have.
//! Digests are not kept while a bag is read, so the manifests are read again, for these files only.

use std::collections::{HashMap, HashSet};

use digests::Digests;

use super::case::{Case, Manifest};
use super::reading::Differing;
use super::resolve::resolve;
use crate::code::Code;
use crate::ledger::PathId;
use crate::names::rules::shown;
use crate::text::lines::Lines;
use crate::text::manifest::split;

/// Tells of every file that differs.
pub(crate) fn judge(case: &mut Case<'_>, differing: Vec<Differing>) {
    let computed: HashMap<PathId, Digests> = differing.into_iter().collect();
    let mut told: HashSet<PathId> = HashSet::new();
    if !computed.is_empty() {
        for manifest in case.manifests.clone() {
            reread(case, &manifest, &computed, &mut told);
        }
    }
    for id in case.ledger.all() {
        if case.ledger.is_present(id) && case.marks.differs(id) && !told.contains(&id) {
            let path = shown(&case.ledger.shown(id));
            case.findings.add(Code::DigestMismatch, path.clone(), || {
                format!("`{path}` is not the file that the manifests list. {REMEDY}")
            });
        }
    }
}

const REMEDY: &str = "Take it from the original again, or make the bag again if it was meant to \
                      change.";

fn reread(
    case: &mut Case<'_>,
    manifest: &Manifest,
    computed: &HashMap<PathId, Digests>,
    told: &mut HashSet<PathId>,
) {
    let opened = case.packing.open_file(&case.ledger, manifest.id, &case.changed);
    // What cannot be read was told when it was read first.
    let Ok(reader) = opened else { return };
    let mut lines = Lines::new(reader, case.encoding, case.limits.line_bytes);
    while let Ok(Some(line)) = lines.next() {
        let Ok((listed, written)) = split(&line.text) else { continue };
        let Some(id) = resolve(written, case.version, &case.ledger).id else { continue };
        let Some(found) = computed.get(&id).and_then(|d| d.hex(manifest.algorithm)) else {
            continue;
        };
        if found.eq_ignore_ascii_case(listed) {
            continue;
        }
        told.insert(id);
        let path = shown(&case.ledger.shown(id));
        let (name, algorithm, number) = (&manifest.name, manifest.algorithm, line.number);
        case.findings.add(Code::DigestMismatch, path.clone(), || {
            format!(
                "`{path}` is not the file that {name} lists on line {number}: its {algorithm} is \
                 {found}, listed is {}. {REMEDY}",
                shown(listed)
            )
        });
    }
}
