//! A look at XML of others before it is parsed.
//!
//! The parser compares every attribute of an element with every other one, and hands the namespaces
//! in scope on to every element that declares one. A document of two megabytes that is one element
//! with three hundred thousand attributes keeps it busy for minutes. Nobody's own documents have more
//! than a few dozen, so more are refused, by one pass over the text.

use std::collections::HashSet;

use memchr::{memchr, memmem};

/// Most attributes of one element.
const ATTRIBUTES_MAX: usize = 256;
/// Most names of namespaces in a document.
const PREFIXES_MAX: usize = 256;

/// What is no tag, by how it begins and ends.
const PASSED_OVER: [(&[u8], &[u8]); 3] =
    [(b"<!--", b"-->"), (b"<![CDATA[", b"]]>"), (b"<?", b"?>")];

/// Whether parsing takes no more than a document of its size should. Text that is no XML may be said
/// to be bounded: the parser ends at its first mistake.
pub fn is_bounded(text: &str) -> bool {
    let mut prefixes: HashSet<&[u8]> = HashSet::new();
    let mut rest = text.as_bytes();
    while let Some(at) = memchr(b'<', rest) {
        rest = &rest[at..];
        let passed_over = PASSED_OVER.into_iter().find(|(start, _)| rest.starts_with(start));
        if let Some((start, end)) = passed_over {
            let Some(at) = memmem::find(&rest[start.len()..], end) else { return true };
            rest = &rest[start.len() + at + end.len()..];
            continue;
        }
        match tag(&rest[1..], &mut prefixes) {
            Some(after) => rest = after,
            None => return false,
        }
    }
    true
}

/// What comes behind a tag; none when it has too many attributes, or the document too many prefixes.
fn tag<'t>(text: &'t [u8], prefixes: &mut HashSet<&'t [u8]>) -> Option<&'t [u8]> {
    const DECLARED: &[u8] = b"xmlns:";
    let (mut at, mut attributes) = (0, 0);
    while let Some(byte) = text.get(at) {
        match byte {
            b'>' => return Some(&text[at + 1..]),
            b'"' | b'\'' => {
                attributes += 1;
                // An attribute without an end is the end of the document.
                let Some(len) = memchr(*byte, &text[at + 1..]) else { return Some(&[]) };
                at += len + 2;
            }
            b'x' if text[at..].starts_with(DECLARED) => {
                let name = &text[at + DECLARED.len()..];
                let len =
                    name.iter().position(|it| matches!(it, b'=' | b' ' | b'\t' | b'\r' | b'\n'));
                let name = &name[..len.unwrap_or(name.len())];
                prefixes.insert(name);
                at += DECLARED.len() + name.len();
            }
            _ => at += 1,
        }
        if attributes > ATTRIBUTES_MAX || prefixes.len() > PREFIXES_MAX {
            return None;
        }
    }
    Some(&[])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn many(count: usize, one: impl Fn(usize) -> String) -> String {
        (0..count).map(one).collect()
    }

    #[test]
    fn what_people_write_is_bounded_however_long() {
        let root = "<kml xmlns=\"a\" xmlns:gx='b' xmlns:atom = \"c\">";
        let marks = many(10_000, |at| format!("<Placemark xmlns='' id=\"{at}\"><a/></Placemark>"));
        let quoted = format!("<a b='{}'/>", "\">".repeat(1000).replace('\'', ""));
        let comment = format!("<!-- <a {}> -->", many(999, |at| format!("b{at}='' ")));
        let data = format!("<![CDATA[<a {}>]]>", many(999, |at| format!("b{at}='' ")));
        let all = format!("<?xml version='1.0'?>{root}{marks}{quoted}{comment}{data}</kml>");
        assert!(is_bounded(&all));
        for odd in ["", "<", "<a", "<a b='", "<!--", "<![CDATA[", "<?", "a > b", "<a b=c>"] {
            assert!(is_bounded(odd), "{odd}");
        }
    }

    #[test]
    fn an_element_with_very_many_attributes_or_namespaces_is_not() {
        let attributes = format!("<a {}/>", many(257, |at| format!("b{at}=\"\" ")));
        assert!(!is_bounded(&attributes));
        assert!(!is_bounded(&format!("<a><!-- > --><b>{attributes}</b></a>")));
        let nested = many(257, |at| format!("<a xmlns:p{at}='x'>"));
        assert!(!is_bounded(&nested));
        let again = many(1000, |_| "<a xmlns:p='x'/>".to_owned());
        assert!(is_bounded(&again), "one name, however often");
    }
}
