//! Which manifests and tag manifests there are, by their names.

use digests::Algorithm;

use super::case::{Case, Manifest};
use crate::code::Code;
use crate::ledger::PathId;
use crate::marks::Kind;
use crate::names::rules::shown;
use crate::report::Class;
use crate::text::manifest::algorithm_text;

/// Six algorithms of each kind exist; a thousand such files are a joke.
const MANIFESTS_MAX: usize = 1_000;

/// Finds all manifests; those that can be used are read later.
pub(crate) fn find(case: &mut Case<'_>) {
    let mut found: Vec<(String, PathId, Kind)> = Vec::new();
    for id in case.ledger.present() {
        let kind = match Class::of(case.ledger.path(id)) {
            Class::Manifest => Kind::Payload,
            Class::TagManifest => Kind::Tag,
            Class::Payload | Class::TagFile | Class::Fetch => continue,
        };
        found.push((case.ledger.shown(id), id, kind));
        if found.len() == MANIFESTS_MAX {
            break;
        }
    }
    found.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    if !found.iter().any(|(_, _, kind)| *kind == Kind::Payload) {
        case.findings.add(Code::ManifestMissing, "the bag", || {
            "There is no payload manifest, such as manifest-sha256.txt, so nothing can be checked. \
             Make the bag again with a bagging tool."
                .to_owned()
        });
    }
    for (name, id, kind) in found {
        let text = algorithm_text(&name);
        let listed = match kind {
            Kind::Payload => &mut case.facts.manifests,
            Kind::Tag => &mut case.facts.tag_manifests,
        };
        listed.push(text.to_ascii_lowercase());
        let Ok(algorithm) = text.parse::<Algorithm>() else {
            case.findings.add(Code::AlgorithmUnknown, name.clone(), || {
                format!(
                    "{} uses the algorithm `{}`, which cannot be computed here. Use sha256 or \
                     sha512.",
                    shown(&name),
                    shown(text)
                )
            });
            continue;
        };
        if text != algorithm.name() {
            case.findings.add(Code::AlgorithmSpelling, name.clone(), || {
                format!("{name} should spell its algorithm `{algorithm}`, in small letters.")
            });
        }
        let twin = case.manifests.iter().find(|m| m.kind == kind && m.algorithm == algorithm);
        if let Some(twin) = twin {
            case.findings.add(Code::AlgorithmTwice, name.clone(), || {
                format!("{name} and {} use the same algorithm. Leave one of them out.", twin.name)
            });
            continue;
        }
        case.manifests.push(Manifest { id, name, kind, algorithm });
    }
}
