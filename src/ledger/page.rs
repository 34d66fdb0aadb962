//! One page: lines, and a last one that vouches for them.
//!
//! The last line has the digest of the lines, the digest of the page before (which makes a chain), and
//! a keyed digest of all that and of the page's number, which only this appliance can make. Pages of
//! earlier programs have the digest of their lines only.

use ocfl::{PageId, Sha512};
use serde::{Deserialize, Serialize};

use super::key::{Key, hex, sha512, unhex};

/// Bytes of a page at most, with its last line.
pub(super) const PAGE_MAX: usize = 4_000_000;
/// Room for the last line.
const LAST_MAX: usize = 2000;
/// Lines and bytes after which a page is full and the next is begun. Each change writes the newest page
/// anew, so this is also what one change costs at most besides itself.
pub(super) const LINES_FULL: u32 = 1000;
pub(super) const BYTES_FULL: usize = 256 << 10;
/// A longer line is written in pieces. Escaped, a piece may be six times as long as its text.
const LINE_MAX: usize = 1 << 20;
const PIECE: usize = 256 << 10;

/// A page that was read and whose lines are as they were written.
pub(super) struct Page<'b> {
    /// Its lines, without the last.
    pub(super) body: &'b str,
    pub(super) line_count: u32,
    pub(super) sha512: Sha512,
    /// Who wrote it and where it belongs; none on pages of earlier programs.
    pub(super) seal: Option<Seal>,
}

#[derive(Serialize, Deserialize)]
struct Last {
    end: End,
}

#[derive(Serialize, Deserialize)]
struct End {
    lines: u32,
    sha512: String,
    #[serde(flatten)]
    seal: Option<Seal>,
}

/// What places a page in its series.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Seal {
    pub(super) series: u32,
    pub(super) page: u32,
    /// The digest of the lines of the page before; empty on the first.
    pub(super) previous: String,
    /// Whether the series has every row up to here, so that older series are not needed.
    pub(super) whole: bool,
    /// The keyed digest.
    pub(super) keyed: String,
}

/// The page with these lines, and the digest of its lines.
pub(super) fn write(
    key: &Key,
    (id, previous, whole): (PageId, Option<&Sha512>, bool),
    body: &str,
) -> (Vec<u8>, Sha512) {
    let digest = sha512(&[body.as_bytes()]);
    let mut seal = Seal {
        series: id.series,
        page: id.number,
        previous: previous.map(|it| hex(it)).unwrap_or_default(),
        whole,
        keyed: String::new(),
    };
    let lines = count(body);
    seal.keyed = key.sign(&seal.signed(lines, &digest));
    let last =
        serde_json::json!(Last { end: End { lines, sha512: hex(&digest), seal: Some(seal) } });
    (format!("{body}{last}\n").into_bytes(), digest)
}

/// Reads a page; none if its lines are not as they were written.
pub(super) fn read(bytes: &[u8]) -> Option<Page<'_>> {
    let text = std::str::from_utf8(bytes).ok()?.strip_suffix('\n')?;
    let at = text.rfind('\n').map_or(0, |at| at + 1);
    let (body, last) = text.split_at(at);
    let Last { end } = serde_json::from_str(last).ok()?;
    let sha512 = sha512(&[body.as_bytes()]);
    let is_whole = hex(&sha512) == end.sha512 && count(body) == end.lines;
    is_whole.then_some(Page { body, line_count: end.lines, sha512, seal: end.seal })
}

impl Seal {
    fn signed(&self, lines: u32, sha512: &Sha512) -> String {
        let Seal { series, page, previous, whole, keyed: _ } = self;
        let digest = hex(sha512);
        format!("strongroom journal 1\n{series}\n{page}\n{previous}\n{whole}\n{lines}\n{digest}\n")
    }

    /// The digest of the page before; none on the first page.
    pub(super) fn previous_digest(&self) -> Option<Sha512> {
        unhex(&self.previous)
    }

    /// Whether this page follows one with these lines; with none, whether it is the first.
    pub(super) fn follows(&self, before: Option<&Sha512>) -> bool {
        self.previous == before.map(|it| hex(it)).unwrap_or_default()
    }
}

impl Page<'_> {
    /// Whether it was written by whoever has the key, as this page.
    pub(super) fn is_signed(&self, key: &Key, id: PageId) -> bool {
        self.seal.as_ref().is_some_and(|seal| {
            (seal.series, seal.page) == (id.series, id.number)
                && seal.keyed == key.sign(&seal.signed(self.line_count, &self.sha512))
        })
    }

    /// Whether it begins with so many lines that have this digest.
    pub(super) fn begins_with(&self, lines: u32, digest: &Sha512) -> bool {
        if lines > self.line_count {
            return false;
        }
        let len = self.body.split_inclusive('\n').take(lines as usize).map(str::len).sum();
        self.body.get(..len).is_some_and(|begin| sha512(&[begin.as_bytes()]) == *digest)
    }
}

fn count(body: &str) -> u32 {
    u32::try_from(body.lines().count()).unwrap_or(u32::MAX)
}

/// Whether nothing is to be added to a page with these lines.
pub(super) fn is_full(body: &str) -> bool {
    body.len() >= BYTES_FULL || count(body) >= LINES_FULL
}

/// Spreads lines over pages. The first page goes on with what is on it.
pub(super) fn spread(begun: String, lines: Vec<String>) -> Vec<String> {
    let mut pages = vec![begun];
    let mut line_count = pages.first().map_or(0, |page| count(page));
    for line in lines.into_iter().flat_map(pieces) {
        let len = pages.last().map_or(0, String::len);
        let is_full = line_count >= LINES_FULL || len >= BYTES_FULL;
        if is_full || len + line.len() + 1 + LAST_MAX > PAGE_MAX {
            pages.push(String::new());
            line_count = 0;
        }
        if let Some(page) = pages.last_mut() {
            page.push_str(&line);
            page.push('\n');
            line_count += 1;
        }
    }
    pages
}

/// A part of a line that is too long for one.
#[derive(Serialize, Deserialize)]
pub(super) struct Piece {
    /// Counted from zero.
    pub(super) piece: u32,
    pub(super) of: u32,
    pub(super) text: String,
}

/// The line itself, or its pieces.
fn pieces(line: String) -> Vec<String> {
    if line.len() <= LINE_MAX {
        return vec![line];
    }
    let mut texts = Vec::new();
    let mut rest = line.as_str();
    while !rest.is_empty() {
        let mut at = rest.len().min(PIECE);
        while !rest.is_char_boundary(at) {
            at -= 1;
        }
        let (text, after) = rest.split_at(at);
        texts.push(text.to_owned());
        rest = after;
    }
    let of = u32::try_from(texts.len()).unwrap_or(u32::MAX);
    let numbered = texts.into_iter().zip(0..);
    numbered.map(|(text, piece)| serde_json::json!(Piece { piece, of, text }).to_string()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> (tempfile::TempDir, Key) {
        let dir = tempfile::tempdir().unwrap();
        let key = Key::open(&dir.path().join("journal.key")).unwrap();
        (dir, key)
    }

    const ID: PageId = PageId { series: 3, number: 7 };

    #[test]
    fn a_page_is_whole_or_not_believed() {
        let (_dir, key) = key();
        for body in ["", "{}\n", "{\"a\":1}\n{\"b\":2}\n"] {
            let (bytes, sha512) = write(&key, (ID, Some(&[7; 64]), false), body);
            let page = read(&bytes).unwrap();
            assert_eq!((page.body, page.sha512), (body, sha512));
            assert!(page.is_signed(&key, ID));
            for cut in 0..bytes.len() {
                assert!(read(&bytes[..cut]).is_none(), "{body:?} cut at {cut}");
            }
            for at in 0..bytes.len() {
                let mut flipped = bytes.clone();
                flipped[at] ^= 1;
                let believed = read(&flipped).is_some_and(|page| page.is_signed(&key, ID));
                assert!(!believed, "{body:?} flipped at {at}");
            }
        }
    }

    #[test]
    fn a_page_is_signed_for_its_place_by_one_key_only() {
        let (_dir, key) = key();
        let (_other_dir, other) = self::key();
        let (bytes, _) = write(&key, (ID, None, true), "{}\n");
        let page = read(&bytes).unwrap();
        assert!(page.is_signed(&key, ID));
        assert!(!page.is_signed(&other, ID));
        assert!(!page.is_signed(&key, PageId { number: 8, ..ID }));
        assert!(!page.is_signed(&key, PageId { series: 4, ..ID }));
        // Whoever has no key can make the digest of other lines right, and no more than that.
        let forged = String::from_utf8(bytes.clone()).unwrap();
        let forged = forged.replace("{}\n", "{\"role\":\"admin\"}\n");
        let digest = |text: &str| hex(&sha512(&[text.as_bytes()]));
        let forged = forged.replace(&digest("{}\n"), &digest("{\"role\":\"admin\"}\n"));
        let page = read(forged.as_bytes()).unwrap();
        assert!(!page.is_signed(&key, ID));
    }

    #[test]
    fn no_page_is_longer_than_four_megabytes_whatever_its_lines() {
        let (_dir, key) = key();
        let lines = [
            vec!["x".repeat(400); 5000],
            vec!["x".repeat(900_000); 9],
            vec!["\u{1}".repeat(30 << 20), "\u{e9}\"".repeat(1 << 20), "short".into()],
        ];
        for lines in lines {
            let wanted = lines.concat();
            let pages = spread("begun\n".into(), lines);
            assert!(pages[0].starts_with("begun\n"));
            let mut found = String::new();
            for body in &pages {
                let (bytes, _) = write(&key, (ID, Some(&[7; 64]), true), body);
                assert!(bytes.len() <= PAGE_MAX, "{}", bytes.len());
                assert!(count(body) <= LINES_FULL);
                for line in body.lines().filter(|line| *line != "begun") {
                    match serde_json::from_str::<Piece>(line) {
                        Ok(piece) => found.push_str(&piece.text),
                        Err(_) => found.push_str(line),
                    }
                }
            }
            assert!(found == wanted, "something is lost");
        }
    }

    #[test]
    fn a_page_knows_what_it_begins_with() {
        let (_dir, key) = key();
        let (bytes, _) = write(&key, (ID, None, false), "a\nb\nc\n");
        let page = read(&bytes).unwrap();
        for (lines, begin) in [(0, ""), (1, "a\n"), (3, "a\nb\nc\n")] {
            assert!(page.begins_with(lines, &sha512(&[begin.as_bytes()])));
        }
        assert!(!page.begins_with(1, &sha512(&[b"b\n"])));
        assert!(!page.begins_with(4, &sha512(&[b"a\nb\nc\n"])));
    }
}
