//! What is found: what is named exactly first, then what has all the words, the newest first.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::asked;
use crate::registry::holding::{DigestPart, FileRow, ObjectRow, Uuid};
use crate::registry::query::{Counting, Listing, Query, Sight};
use crate::registry::{Error, FILES, ITEMS, ItemRow, OBJECTS, Registry};

/// Most of each kind that one search gives.
pub const SEARCH_MAX: u32 = 100;
/// Longest text that is taken whole for an identifier, a UUID or a digest, in bytes.
const NAME_MAX: usize = 4096;

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Found {
    /// The words that were looked for; the last one may be the beginning of a word.
    pub words: Vec<String>,
    /// Objects by identifier, title and what their depositor calls them.
    pub objects: Vec<ObjectRow>,
    /// Files by identifier, UUID, digest and path.
    pub files: Vec<FileRow>,
    /// Items by name.
    pub items: Vec<ItemRow>,
    /// Whether there is more of a kind than was asked for.
    pub more: bool,
}

impl Registry {
    /// Looks for a text among all that somebody may see: no more than `limit` of each kind. Every
    /// text is a question; one without letters or digits finds nothing. Of those who have a word in
    /// common, the 2,000 that came last are looked at.
    pub fn search(&self, text: &str, sight: Sight, limit: u32) -> Result<Found, Error> {
        let text = text.trim();
        let limit = limit.clamp(1, SEARCH_MAX);
        let mut found = Found { words: asked(text), ..Found::default() };
        if found.words.is_empty() {
            return Ok(found);
        }
        self.find_named(text, sight, limit, &mut found)?;
        let by_words = |listing: &'static Listing| by_words(listing, text, sight, limit);
        found.objects.extend(self.list_objects(&by_words(&OBJECTS)?)?.rows);
        found.files.extend(self.list_files(&by_words(&FILES)?)?.rows);
        found.items.extend(self.list_items(&by_words(&ITEMS)?)?.rows);
        let limit = limit as usize;
        found.more |= once(&mut found.objects, limit, |row| row.id.0);
        found.more |= once(&mut found.files, limit, |row| row.id.0);
        found.more |= once(&mut found.items, limit, |row| row.id);
        Ok(found)
    }

    /// What has this very name. A digest finds earlier versions of files, too.
    fn find_named(
        &self,
        text: &str,
        sight: Sight,
        limit: u32,
        found: &mut Found,
    ) -> Result<(), Error> {
        if text.len() > NAME_MAX || text.contains('\0') {
            return Ok(());
        }
        found.objects.extend(self.object_by_identifier(text)?);
        if let Some(uuid) = Uuid::parse(text) {
            found.files.extend(self.file_by_uuid(uuid)?);
        }
        found.files.extend(self.file_by_identifier(text)?);
        if let Some(part) = DigestPart::parse(text) {
            found.files.extend(self.files_by_digest(&part, limit + 1)?);
        }
        found.objects.retain(|row| sight.sees(row.institution_id, row.access.name()));
        found.files.retain(|row| sight.sees(row.institution_id, row.access.name()));
        Ok(())
    }
}

/// The question for rows that have all the words, the newest first.
fn by_words(
    listing: &'static Listing,
    text: &str,
    sight: Sight,
    limit: u32,
) -> Result<Query, Error> {
    // Longer than any filter may be, and of no use beyond its first words.
    let text: String = text.chars().filter(|it| *it != '\0').take(400).collect();
    let pairs = [
        ("named".to_owned(), text),
        ("sort".to_owned(), "id__desc".to_owned()),
        ("per_page".to_owned(), (limit + 1).to_string()),
    ];
    let query = Query::parse(listing, &pairs)
        .map_err(|bad| Error::Invalid { field: "q", rule: bad.problem })?;
    Ok(query.seen_by(sight).counting(Counting::No))
}

/// Keeps the first of each and no more than the limit; says whether there were more.
fn once<T>(rows: &mut Vec<T>, limit: usize, key: impl Fn(&T) -> i64) -> bool {
    let mut seen = std::collections::HashSet::new();
    rows.retain(|row| seen.insert(key(row)));
    let more = rows.len() > limit;
    rows.truncate(limit);
    more
}
