//! From a text to the words it is found by, and from what somebody typed to a question.

use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Result};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Words of one row that are kept; what follows is not found.
const ROW_WORDS: usize = 100;
/// Words of one question that are looked at.
const ASKED_WORDS: usize = 12;
/// Characters of a word that are looked at.
const WORD_MAX: usize = 40;
/// The shortest beginning of a word that is looked for; the tables have an index for those.
const BEGINNING_MIN: usize = 2;
/// Characters of a question that are looked at.
const ASKED_MAX: usize = 400;

/// Begins the word that says whose a row is; no word of a text has it.
const OWNER: char = '\u{E000}';

/// Teaches a connection the functions that the tables are filled and asked with.
pub(in crate::registry) fn teach(conn: &Connection) -> Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8
        | FunctionFlags::SQLITE_DETERMINISTIC
        | FunctionFlags::SQLITE_DIRECTONLY;
    conn.create_scalar_function("words_of", -1, flags, |of| Ok(row_words(of)))?;
    conn.create_scalar_function("words_asked", 1, flags, |of| Ok(question(text(of, 0))))
}

/// An argument that is a text; anything else counts as an empty one.
fn text<'a>(of: &'a Context<'_>, at: usize) -> &'a str {
    match of.get_raw(at) {
        ValueRef::Text(bytes) => std::str::from_utf8(bytes).unwrap_or_default(),
        ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) | ValueRef::Blob(_) => "",
    }
}

/// Whose a row is, which is the first argument, and the words of all others.
fn row_words(of: &Context<'_>) -> String {
    let mut found = Vec::new();
    if let ValueRef::Integer(owner) = of.get_raw(0) {
        found.push(owner_word(owner));
    }
    for at in 1..of.len() {
        for word in words(text(of, at)) {
            if found.len() < ROW_WORDS && !found.contains(&word) {
                found.push(word);
            }
        }
    }
    found.join(" ")
}

fn owner_word(owner: i64) -> String {
    format!("{OWNER}{owner}")
}

/// Narrows what somebody typed to the rows of one owner.
pub(in crate::registry) fn of_owner(owner: i64, asked: &str) -> String {
    format!("{} {asked}", owner_word(owner))
}

/// The words of a text, folded: no accents, no case, compatible signs alike.
pub(super) fn words(text: &str) -> impl Iterator<Item = String> {
    let folded: String = text
        .nfkd()
        .filter(|letter| !is_combining_mark(*letter))
        .flat_map(char::to_uppercase)
        .flat_map(char::to_lowercase)
        .collect();
    let cut = folded
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(|word| word.chars().take(WORD_MAX).collect());
    cut.collect::<Vec<String>>().into_iter()
}

/// The words of what somebody typed that are looked for, each of them once.
pub(super) fn asked(text: &str) -> Vec<String> {
    let text: String = text.chars().take(ASKED_MAX).collect();
    let mut found: Vec<String> = Vec::new();
    for word in words(&text) {
        if found.len() < ASKED_WORDS && !found.contains(&word) {
            found.push(word);
        }
    }
    found
}

/// All words must be there; of the last one its beginning is enough, while somebody types.
fn question(text: &str) -> String {
    let owner = text.split(' ').next().filter(|word| word.starts_with(OWNER));
    let found = asked(text.strip_prefix(owner.unwrap_or_default()).unwrap_or(text));
    // The word of an owner without a number, which nobody has.
    let Some((last, before)) = found.split_last() else { return format!("\"{OWNER}\"") };
    let beginning = if last.chars().count() >= BEGINNING_MIN { "*" } else { "" };
    // Only digits may follow: an owner is written by us, and yet nothing else may get through.
    let owner = owner.filter(|word| word.chars().skip(1).all(|digit| digit.is_ascii_digit()));
    let mut terms: Vec<String> = owner.map(|word| format!("\"{word}\"")).into_iter().collect();
    terms.extend(before.iter().map(|word| format!("\"{word}\"")));
    terms.push(format!("\"{last}\"{beginning}"));
    terms.join(" AND ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<String> {
        words(text).collect()
    }

    #[test]
    fn words_are_folded() {
        assert_eq!(of("Straße „Über“ Land"), ["strasse", "uber", "land"]);
        assert_eq!(of("data/Scans/FOLIO_1.TIF"), ["data", "scans", "folio", "1", "tif"]);
        assert_eq!(of("e\u{301}té ﬁn Ⅻ"), ["ete", "fin", "xii"]);
        assert_eq!(of("日本語 Ελλάς"), ["日本語", "ελλασ"]);
        assert!(of(" \u{E000}%'\"*()-:^ \u{301}").is_empty());
        assert_eq!(of(&"ü".repeat(100))[0].chars().count(), WORD_MAX);
    }

    #[test]
    fn a_question_is_words_and_nothing_else() {
        assert_eq!(question("Box 17, LETT"), "\"box\" AND \"17\" AND \"lett\"*");
        assert_eq!(question("box AND NOT x"), "\"box\" AND \"and\" AND \"not\" AND \"x\"");
        for nothing in ["", "  ", "\"*", "%_", "\u{E000}", "^:(){}", "\u{E000}7"] {
            assert_eq!(question(nothing), "\"\u{E000}\"", "{nothing:?}");
        }
        assert_eq!(question(&of_owner(7, "box")), "\"\u{E000}7\" AND \"box\"*");
        assert_eq!(question("\u{E000}7\" box"), "\"box\"*");
        assert_eq!(question(&"w".repeat(1_000_000)).len(), WORD_MAX + 3);
        let many: Vec<String> = (0..1000).map(|n| format!("w{n}")).collect();
        assert_eq!(question(&many.join(" ")).matches("AND").count(), ASKED_WORDS - 1);
    }
}
