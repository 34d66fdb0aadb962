//! What is listed against what is there, in both directions.

use super::case::{Case, Manifest};
use crate::code::Code;
use crate::ledger::PathId;
use crate::marks::Kind;
use crate::names::rules::shown;
use crate::report::Class;

/// Judges completeness.
pub(crate) fn judge(case: &mut Case<'_>) {
    for id in case.ledger.all() {
        if !case.ledger.is_present(id) {
            missing(case, id);
        } else if !case.ledger.has_bad_name(id) {
            match Class::of(case.ledger.path(id)) {
                Class::Payload => payload(case, id),
                Class::Manifest => manifest(case, id),
                Class::TagFile | Class::Fetch => tag_file(case, id),
                Class::TagManifest => {}
            }
        }
        if case.ledger.is_fetched(id) {
            fetched(case, id);
        }
    }
}

/// The manifests of a kind that list a path, or those that do not.
fn listing<'c>(case: &'c Case<'_>, id: PathId, kind: Kind, lists: bool) -> Vec<&'c Manifest> {
    let of_kind = case.manifests.iter().filter(|manifest| manifest.kind == kind);
    let agrees = |m: &&Manifest| case.marks.is_listed(id, m.algorithm, kind) == lists;
    of_kind.filter(agrees).collect()
}

fn names(manifests: &[&Manifest]) -> String {
    manifests.iter().map(|manifest| manifest.name.as_str()).collect::<Vec<_>>().join(", ")
}

fn missing(case: &mut Case<'_>, id: PathId) {
    let mut by = listing(case, id, Kind::Payload, true);
    by.extend(listing(case, id, Kind::Tag, true));
    let path = shown(&case.ledger.shown(id));
    if case.ledger.is_fetched(id) {
        return case.findings.add(Code::FetchPending, path.clone(), || {
            format!(
                "`{path}` is not in the bag but to be fetched; nothing is fetched here. Fetch it, \
                 put it into the bag and send the whole bag."
            )
        });
    }
    if !by.is_empty() {
        let by = names(&by);
        case.findings.add(Code::FileMissing, path.clone(), || {
            format!(
                "`{path}` is listed in {by} but is not in the bag. Put it back, or make the bag \
                 again without it."
            )
        });
    }
}

fn payload(case: &mut Case<'_>, id: PathId) {
    let without = listing(case, id, Kind::Payload, false);
    let kinds = case.manifests.iter().filter(|manifest| manifest.kind == Kind::Payload).count();
    let in_none = without.len() == kinds;
    if without.is_empty() || kinds == 0 || !in_none && !case.version.manifests_list_all() {
        return;
    }
    let (path, without) = (shown(&case.ledger.shown(id)), names(&without));
    case.findings.add(Code::FileUnlisted, path.clone(), || {
        format!(
            "`{path}` is in the bag but not in {without}. If it belongs there, make the bag \
             again; if not, take it out."
        )
    });
}

fn manifest(case: &mut Case<'_>, id: PathId) {
    let without = listing(case, id, Kind::Tag, false);
    if without.is_empty() {
        return;
    }
    let (path, without) = (shown(&case.ledger.shown(id)), names(&without));
    let severity = case.version.strictly();
    case.findings.add_graded(Code::TagManifestIncomplete, severity, path.clone(), || {
        format!("{path} is not in {without}, which must list every manifest. Make the bag again.")
    });
}

fn tag_file(case: &mut Case<'_>, id: PathId) {
    let any = case.manifests.iter().any(|manifest| manifest.kind == Kind::Tag);
    if !any || !listing(case, id, Kind::Tag, true).is_empty() {
        return;
    }
    let path = shown(&case.ledger.shown(id));
    case.findings.add(Code::TagFileUnlisted, path.clone(), || {
        format!("`{path}` is in no tag manifest, so damage to it cannot be seen.")
    });
}

fn fetched(case: &mut Case<'_>, id: PathId) {
    let without = listing(case, id, Kind::Payload, false);
    let in_none = listing(case, id, Kind::Payload, true).is_empty();
    if without.is_empty() || !in_none && !case.version.manifests_list_all() {
        return;
    }
    let (path, without) = (shown(&case.ledger.shown(id)), names(&without));
    case.findings.add(Code::FetchUnlisted, path.clone(), || {
        format!("`{path}` is in fetch.txt but not in {without}. Make the bag again.")
    });
}
