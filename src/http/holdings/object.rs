//! One object as its page shows it.

use std::collections::BTreeMap;

use storage::registry::{
    DepositRow, Folder, FolderPage, FormatCount, HeldState, ObjectRow, Tag, Version,
};
use web::parts::query;
use web::{
    CheckWish, Fact, FactValue, FolderLine, FolderView, FormatBar, Link, ObjectPage, RestoreWish,
    TagGroup, TagRow, VersionRow, object_path,
};

use super::safety::{self, Fate};
use super::words::{capital, event_line, format_name};
use crate::desk::ObjectDetail;
use crate::http::Visit;
use crate::http::asked::{Leaf, bad, find, page_number};
use crate::http::deletions::offer;
use crate::http::refusal::Refusal;
use crate::rights::Right;

/// Entries of a folder on one page.
const ENTRIES: u32 = 50;
/// Events on one page.
const EVENTS: u64 = 10;
/// Most events that are counted.
const COUNTED: u64 = 1001;
/// Formats listed; the rest are counted.
const FORMATS: usize = 8;
/// Versions listed; the rest are counted.
const VERSIONS: usize = 20;
/// Tags listed; the rest are counted.
const TAGS: usize = 100;
/// Longest value shown of a tag, in characters.
const TAG: usize = 500;

/// What the address asks to see of the object.
struct View {
    /// The page of the object.
    href: String,
    version: Version,
    newest: Version,
    folder: String,
    from: String,
}

pub(super) fn value(
    visit: &Visit,
    which: &str,
    pairs: Vec<(String, String)>,
) -> Result<ObjectPage, Refusal> {
    let known = ["version", "folder", "from", "events"];
    if let Some((name, _)) = pairs.iter().find(|(name, _)| !known.contains(&name.as_str())) {
        return Err(bad(name, format!("is not known here; {} are", known.join(", "))));
    }
    let detail = visit.desk().object(which)?;
    let object = &detail.object;
    let view = view(object, &pairs)?;
    let wanted = visit.vaults.option(&object.storage_option).map_or(1, |it| it.replicas.len());
    let fate = Fate::of(object.state, detail.deletion_request);
    let (safety, copies) = safety::of_object(&detail.replicas, wanted, fate);
    let asked = Folder {
        object: object.id,
        version: view.version,
        path: view.folder.clone(),
        from: view.from.clone(),
    };
    let folder = visit.registry.folder(&asked, ENTRIES)?;
    let shown = detail.versions.iter().find(|it| it.version == view.version);
    let all_tags = shown.map(|it| it.facts.tags.as_slice()).unwrap_or_default();
    let keeps = |right| visit.keeps(right, object.institution_id, object.access);
    let mut page = ObjectPage {
        title: title(object),
        identifier: object.identifier.clone(),
        description: object.description.clone().unwrap_or_default(),
        state: fate.badge(),
        check: check_wish(&detail).filter(|_| keeps(Right::Check)),
        restore: restore_wish(object, None).filter(|_| fate == Fate::Held && keeps(Right::Restore)),
        safety,
        copies,
        facts: facts(object),
        versions: detail
            .versions
            .iter()
            .take(VERSIONS)
            .map(|it| version_row(it, object, &view))
            .map(|row| VersionRow { restore: row.restore.filter(|_| keeps(Right::Restore)), ..row })
            .collect(),
        versions_unshown_count: detail.versions.len().saturating_sub(VERSIONS) as u64,
        folder: folder_view(folder, &view),
        formats: detail.formats.iter().take(FORMATS).map(format_bar).collect(),
        formats_unshown_count: detail.formats.len().saturating_sub(FORMATS) as u64,
        file_count: object.file_count,
        tags: tag_groups(all_tags),
        tags_unshown_count: all_tags.len().saturating_sub(TAGS) as u64,
        ..ObjectPage::default()
    };
    let about = ("object", object.id.0, object.state);
    page.deletion = offer(visit, about, object.institution_id, visit.user())?;
    add_events(visit, &mut page, &detail, (&view, &pairs))?;
    Ok(page)
}

/// How it is looked at out of turn, unless it is gone.
fn check_wish(detail: &ObjectDetail) -> Option<CheckWish> {
    let oldest = detail.replicas.iter().map(|replica| replica.oldest_checked_at).min();
    (detail.object.state == HeldState::Active).then(|| CheckWish {
        action: format!("/fixity/objects/{}/check", detail.object.id),
        last: oldest.map(|at| at.to_string()),
    })
}

fn title(object: &ObjectRow) -> String {
    if object.title.is_empty() { object.bag_name.clone() } else { object.title.clone() }
}

fn view(object: &ObjectRow, pairs: &[(String, String)]) -> Result<View, Refusal> {
    let newest = object.version;
    let version = match find(pairs, "version") {
        None => newest,
        Some(text) => {
            let asked = text.parse().ok().filter(|number| (1..=newest.0).contains(number));
            let problem = || format!("is not one of its versions, which are 1 to {newest}");
            Version(asked.ok_or_else(|| bad("version", problem()))?)
        }
    };
    let folder = find(pairs, "folder").unwrap_or_default().trim_matches('/');
    Ok(View {
        href: object_path(&object.identifier, object.id.0),
        version,
        newest,
        folder: folder.to_owned(),
        from: find(pairs, "from").unwrap_or_default().to_owned(),
    })
}

impl View {
    /// The address of a folder in the version that is looked at.
    fn at(&self, folder: &str, from: &str) -> String {
        let version = self.version.to_string();
        let version = if self.version == self.newest { "" } else { &version };
        let asked = query(&[("version", version), ("folder", folder), ("from", from)]);
        format!("{}{asked}#files", self.href)
    }
}

fn facts(object: &ObjectRow) -> Vec<Fact> {
    let institution = Link::new(
        format!("/objects?institution_id={}", object.institution_id),
        object.institution_name.clone(),
    );
    let mut facts = vec![
        Fact::new("Identifier", FactValue::Code(object.identifier.clone())),
        Fact::new("Institution", FactValue::Link(institution)),
        Fact::text("Storage option", object.storage_option.clone()),
        Fact::text("Access", capital(object.access.name())),
        Fact::new("Version", FactValue::Count(u64::from(object.version.0))),
        Fact::new("Files", FactValue::Count(object.file_count)),
        Fact::new("Size", FactValue::Bytes(object.size)),
        Fact::new("Payload files", FactValue::Count(object.payload_file_count)),
        Fact::new("Payload size", FactValue::Bytes(object.payload_size)),
        Fact::new("First held", FactValue::Time(object.created_at.to_string())),
        Fact::new("Last change", FactValue::Time(object.updated_at.to_string())),
        Fact::text("Profile", object.bagit_profile_identifier.clone()),
    ];
    for (name, value) in [
        ("Other identifier", &object.alt_identifier),
        ("Bag group", &object.bag_group_identifier),
        ("Source", &object.source_organization),
        ("Sender's identifier", &object.internal_sender_identifier),
        ("Sender's words", &object.internal_sender_description),
    ] {
        if let Some(value) = value.as_ref().filter(|value| !value.is_empty()) {
            facts.push(Fact::text(name, value.clone()));
        }
    }
    facts
}

/// How an object is restored, unless it is gone.
fn restore_wish(object: &ObjectRow, version: Option<Version>) -> Option<RestoreWish> {
    (object.state == HeldState::Active).then(|| RestoreWish {
        kind: "object".into(),
        number: object.id.0.unsigned_abs(),
        version: version.map(|version| u64::from(version.0)),
        about: version.map_or_else(|| title(object), |version| format!("version {version}")),
    })
}

fn version_row(deposit: &DepositRow, object: &ObjectRow, view: &View) -> VersionRow {
    let facts = &deposit.facts;
    let shown =
        View { href: view.href.clone(), folder: String::new(), from: String::new(), ..*view };
    let signatures = match facts.signature_version.as_str() {
        "" => String::new(),
        version => format!(", signatures {version}"),
    };
    VersionRow {
        version: u64::from(deposit.version.0),
        href: View { version: deposit.version, ..shown }.at("", ""),
        is_shown: deposit.version == view.version,
        deposit: facts.file_name.clone(),
        size: facts.size,
        received: facts.received_at.map(|at| at.to_string()),
        sealed: deposit.sealed_at.map(|at| at.to_string()),
        profile: facts.profile_identifier.clone(),
        program: format!("Strongroom {}{signatures}", facts.program_version),
        item: Link::new(format!("/items/{}", facts.item_id), format!("Item {}", facts.item_id)),
        restore: restore_wish(object, Some(deposit.version)),
    }
}

fn folder_view(page: FolderPage, view: &View) -> FolderView {
    let mut crumbs = vec![Link::new(view.at("", ""), "All files")];
    for (end, _) in view.folder.match_indices('/').chain([(view.folder.len(), "")]) {
        let path = &view.folder[..end];
        if !path.is_empty() {
            let name = path.rsplit('/').next().unwrap_or(path);
            crumbs.push(Link::new(view.at(path, ""), name));
        }
    }
    let start = match view.folder.as_str() {
        "" => String::new(),
        folder => format!("{folder}/"),
    };
    let line = |entry: storage::registry::FolderEntry| FolderLine {
        href: match entry.file {
            Some((_, uuid)) => format!("/files/{uuid}"),
            None => view.at(&format!("{start}{}", entry.name), ""),
        },
        name: entry.name,
        is_folder: entry.file.is_none(),
        file_count: entry.file_count,
        size: entry.size,
        at_least: !entry.counted,
        kept_from: entry.kept_from.map(|version| u64::from(version.0)),
    };
    FolderView {
        crumbs,
        version: u64::from(view.version.0),
        is_newest: view.version == view.newest,
        first: (!view.from.is_empty()).then(|| view.at(&view.folder, "")),
        next: page.next.map(|next| view.at(&view.folder, &next)),
        lines: page.entries.into_iter().map(line).collect(),
    }
}

fn format_bar(format: &FormatCount) -> FormatBar {
    FormatBar {
        name: format_name(&format.name, &format.version, &format.puid),
        puid: format.puid.clone(),
        file_count: format.file_count,
        size: format.size,
    }
}

fn tag_groups(tags: &[Tag]) -> Vec<TagGroup> {
    let mut groups: BTreeMap<&str, Vec<TagRow>> = BTreeMap::new();
    for tag in tags.iter().take(TAGS) {
        let mut value: String = tag.value.chars().take(TAG).collect();
        if value.len() < tag.value.len() {
            value.push('…');
        }
        groups.entry(&tag.file).or_default().push(TagRow { name: tag.name.clone(), value });
    }
    let group = |(file, tags): (&str, Vec<TagRow>)| TagGroup { file: file.to_owned(), tags };
    groups.into_iter().map(group).collect()
}

fn add_events(
    visit: &Visit,
    page: &mut ObjectPage,
    detail: &ObjectDetail,
    (view, pairs): (&View, &[(String, String)]),
) -> Result<(), Refusal> {
    let number = page_number(pairs, "events")?;
    let id = detail.object.id.to_string();
    let asked = [
        ("intellectual_object_id", id.as_str()),
        ("sort", "date_time__desc"),
        ("page", &number.to_string()),
    ];
    let mut asked = asked.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    let leaf = Leaf::of(&mut asked, EVENTS, COUNTED)?;
    let list = visit.desk().events(&asked, leaf.counting())?;
    page.events_pager = leaf.pager(list.events.len(), (list.count, list.count_is_exact));
    page.events = list.events.iter().map(|event| event_line(event, false)).collect();
    let version = view.version.to_string();
    let version = if view.version == view.newest { "" } else { &version };
    let kept = query(&[("version", version), ("folder", &view.folder), ("from", &view.from)]);
    let joint = if kept.is_empty() { "?" } else { "&" };
    page.events_href = format!("{}{kept}{joint}events=", view.href);
    page.all_events_href = format!("/events?intellectual_object_id={id}");
    Ok(())
}
