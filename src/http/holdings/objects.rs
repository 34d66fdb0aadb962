//! The list of objects as a page shows it, and the files that are found by the same words.

use storage::registry::{Access, FileRow, ObjectRow as Row, Registry};
use web::{
    Badge, Choice, FoundFile, FoundFiles, ObjectChoices, ObjectFilter, ObjectRow, ObjectsPage,
    Pager, Sort, Tone, object_path,
};

use super::safety::Fate;
use super::words::{capital, file_format, object_link};
use crate::http::Visit;
use crate::http::asked::{Leaf, Pairs, export_href, find};
use crate::http::refusal::Refusal;

/// Rows of a page unless asked otherwise.
const PER_PAGE: u64 = 25;
/// Most that are counted; a page then says "1,000+".
const COUNTED: u64 = 1001;
/// Files shown of those found.
const FILES: u32 = 25;
/// Institutions offered.
const INSTITUTIONS: &str = "1000";

pub(super) fn value(visit: &Visit, mut pairs: Pairs) -> Result<ObjectsPage, Refusal> {
    let filter = filter(&pairs);
    let newest = || Sort { column: "updated_at".into(), descending: true };
    let sort = sort(&pairs).unwrap_or_else(newest);
    let sought = filter.find.trim().to_owned();
    pairs.retain(|(name, _)| name != "find");
    if !sought.is_empty() {
        pairs.push(("named".into(), sought.clone()));
    }
    let leaf = Leaf::of(&mut pairs, PER_PAGE, COUNTED)?;
    let list = visit.desk().objects(&pairs, leaf.counting())?;
    let files = if sought.is_empty() { None } else { Some(files(visit, &sought)?) };
    Ok(ObjectsPage {
        filter,
        choices: choices(visit)?,
        sort,
        pager: Pager {
            export: export_href("objects", &pairs),
            ..leaf.pager(list.objects.len(), (list.count, list.count_is_exact))
        },
        rows: list.objects.into_iter().map(row).collect(),
        files,
        receiving: visit.config.receiving_shown(),
    })
}

fn filter(pairs: &[(String, String)]) -> ObjectFilter {
    let text = |name: &str| find(pairs, name).unwrap_or_default().to_owned();
    ObjectFilter {
        find: text("find"),
        shared: text("shared"),
        institution_id: text("institution_id"),
        storage_option: text("storage_option"),
        access: text("access"),
        state: text("state"),
        size_from: text("size__gteq"),
        size_to: text("size__lteq"),
        updated_from: text("updated_at__gteq"),
        updated_to: text("updated_at__lteq"),
        created_from: text("created_at__gteq"),
        created_to: text("created_at__lteq"),
    }
}

/// The order that is asked for.
pub(super) fn sort(pairs: &[(String, String)]) -> Option<Sort> {
    let (column, order) = find(pairs, "sort")?.rsplit_once("__")?;
    Some(Sort { column: column.into(), descending: order == "desc" })
}

/// What the selects of objects and files offer.
pub(super) fn choices(visit: &Visit) -> Result<ObjectChoices, Refusal> {
    let asked = [("per_page".to_owned(), INSTITUTIONS.to_owned())];
    let institutions = visit.desk().institutions(&asked)?.institutions;
    let institution = |it: storage::registry::Institution| {
        Choice::new(it.id.to_string(), format!("{} ({})", it.name, it.identifier))
    };
    let option = |it: &crate::config::OptionConfig| Choice::new(&*it.name, &*it.name);
    let size = |(bytes, words): (&str, &str)| Choice::new(bytes, words);
    let is_one_of_many = visit.caller.sight().institution().is_some();
    let sharers = is_one_of_many.then(|| Choice::new("true", "What others share with all"));
    Ok(ObjectChoices {
        sharers: Vec::from_iter(sharers),
        institutions: institutions.into_iter().map(institution).collect(),
        storage_options: visit.vaults.options().map(option).collect(),
        accesses: Access::ALL.map(|it| Choice::new(it.name(), capital(it.name()))).to_vec(),
        states: vec![Choice::new("A", "Held"), Choice::new("D", "Deleted")],
        sizes: [
            ("1000000", "1 MB"),
            ("100000000", "100 MB"),
            ("1000000000", "1 GB"),
            ("10000000000", "10 GB"),
            ("100000000000", "100 GB"),
            ("1000000000000", "1 TB"),
        ]
        .map(size)
        .to_vec(),
    })
}

fn row(row: Row) -> ObjectRow {
    ObjectRow {
        href: object_path(&row.identifier, row.id.0),
        title: if row.title.is_empty() { row.bag_name } else { row.title },
        identifier: row.identifier,
        state: Fate::of(row.state, None).badge(),
        storage_option: row.storage_option,
        access: capital(row.access.name()),
        version: u64::from(row.version.0),
        file_count: row.file_count,
        size: row.size,
        updated: row.updated_at.to_string(),
    }
}

/// Files that are found by the same words.
fn files(visit: &Visit, sought: &str) -> Result<FoundFiles, Refusal> {
    let found = visit.desk().search(sought, FILES)?;
    let more = found.files.len() == FILES as usize && found.more;
    let rows = found.files.into_iter().map(|file| found_file(&visit.registry, file));
    Ok(FoundFiles { rows: rows.collect::<Result<_, _>>()?, more })
}

pub(in crate::http) fn found_file(
    registry: &Registry,
    file: FileRow,
) -> Result<FoundFile, Refusal> {
    // A digest finds earlier versions, too.
    let current = registry.file(file.id)?.is_none_or(|now| now.version == file.version);
    let earlier = || Badge::new(format!("Earlier, of version {}", file.version), Tone::Calm);
    let state = Fate::of(file.state, None).badge().or_else(|| (!current).then(earlier));
    Ok(FoundFile {
        href: format!("/files/{}", file.uuid),
        object: object_link(&file.object_identifier, file.intellectual_object_id.0),
        format: file_format(&file),
        size: file.size,
        state,
        path: file.path,
    })
}
