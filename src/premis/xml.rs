//! Writing XML as it comes, without a tree.
//!
//! XML 1.0 cannot hold most control characters, nor U+FFFE and U+FFFF, not even escaped. Each is
//! written as U+241B (␛, the symbol for escape) and its four hexadecimal digits; so is U+241B
//! itself, so that nothing is lost and nothing is ambiguous.

use std::io::{self, Write};

use super::Identifier;
use super::vocabulary::Term;

const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
    <premis xmlns=\"http://www.loc.gov/premis/v3\" \
    xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" \
    xsi:schemaLocation=\"http://www.loc.gov/premis/v3 \
    http://www.loc.gov/standards/premis/v3/premis.xsd\" version=\"3.0\">\n\
    <!-- A character that XML cannot hold is written as ␛ and its four hexadecimal digits. -->\n";
const TAIL: &str = "</premis>\n";

/// Stands before the digits of a character that XML cannot hold.
const ESCAPE: char = '\u{241B}';

/// A document under way.
pub(super) struct Xml<'w> {
    out: &'w mut dyn Write,
    depth: usize,
}

impl<'w> Xml<'w> {
    pub(super) fn begin(out: &'w mut dyn Write) -> io::Result<Xml<'w>> {
        out.write_all(HEAD.as_bytes())?;
        Ok(Xml { out, depth: 1 })
    }

    pub(super) fn end(self) -> io::Result<()> {
        self.out.write_all(TAIL.as_bytes())?;
        self.out.flush()
    }

    /// An object of one of the four kinds.
    pub(super) fn object(
        &mut self,
        kind: &str,
        inside: impl FnOnce(&mut Self) -> io::Result<()>,
    ) -> io::Result<()> {
        self.indent()?;
        writeln!(self.out, "<object xsi:type=\"{kind}\">")?;
        self.inside("object", inside)
    }

    /// An element with others in it.
    pub(super) fn element(
        &mut self,
        name: &str,
        inside: impl FnOnce(&mut Self) -> io::Result<()>,
    ) -> io::Result<()> {
        self.indent()?;
        writeln!(self.out, "<{name}>")?;
        self.inside(name, inside)
    }

    fn inside(
        &mut self,
        name: &str,
        inside: impl FnOnce(&mut Self) -> io::Result<()>,
    ) -> io::Result<()> {
        self.depth += 1;
        inside(self)?;
        self.depth -= 1;
        self.indent()?;
        writeln!(self.out, "</{name}>")
    }

    /// An element with text in it.
    pub(super) fn text(&mut self, name: &str, text: &str) -> io::Result<()> {
        self.indent()?;
        write!(self.out, "<{name}>")?;
        escape(self.out, text)?;
        writeln!(self.out, "</{name}>")
    }

    /// An element with a word of a vocabulary in it.
    pub(super) fn term(&mut self, name: &str, term: &Term) -> io::Result<()> {
        let Some(address) = term.address() else { return self.text(name, term.words) };
        self.indent()?;
        // Neither the address nor the words hold anything to escape.
        writeln!(self.out, "<{name} valueURI=\"{address}\">{}</{name}>", term.words)
    }

    /// The pair of domain and value that names something; `more` follows them.
    pub(super) fn identifier(
        &mut self,
        name: &str,
        id: &Identifier,
        more: impl FnOnce(&mut Self) -> io::Result<()>,
    ) -> io::Result<()> {
        self.element(name, |xml| {
            xml.text(&format!("{name}Type"), id.domain)?;
            xml.text(&format!("{name}Value"), &id.value)?;
            more(xml)
        })
    }

    fn indent(&mut self) -> io::Result<()> {
        (0..self.depth).try_for_each(|_| self.out.write_all(b" "))
    }
}

fn escape(out: &mut dyn Write, text: &str) -> io::Result<()> {
    let mut plain = 0;
    for (at, letter) in text.char_indices() {
        let named = match letter {
            '&' => "&amp;",
            '<' => "&lt;",
            '>' => "&gt;",
            // A reader would take it for a line feed.
            '\r' => "&#13;",
            '\t' | '\n' => continue,
            letter if is_unfit(letter) => "",
            _ => continue,
        };
        out.write_all(&text.as_bytes()[plain..at])?;
        plain = at + letter.len_utf8();
        match named {
            "" => write!(out, "{ESCAPE}{:04X}", u32::from(letter))?,
            named => out.write_all(named.as_bytes())?,
        }
    }
    out.write_all(&text.as_bytes()[plain..])
}

fn is_unfit(letter: char) -> bool {
    matches!(letter, '\0'..='\u{1F}' | '\u{FFFE}' | '\u{FFFF}' | ESCAPE)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(text: &str) -> String {
        let mut out = Vec::new();
        escape(&mut out, text).unwrap();
        String::from_utf8(out).unwrap()
    }

    /// What a reader of the document gets back, by another's parser.
    fn read(text: &str) -> String {
        let document = format!("<a>{}</a>", written(text));
        let tree = roxmltree::Document::parse(&document).unwrap();
        let parsed = tree.root_element().text().unwrap_or_default().to_owned();
        let mut pieces = parsed.split(ESCAPE);
        let mut restored = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            let (digits, rest) = piece.split_at(4);
            restored.push(char::from_u32(u32::from_str_radix(digits, 16).unwrap()).unwrap());
            restored.push_str(rest);
        }
        restored
    }

    #[test]
    fn what_xml_cannot_hold_is_spelled() {
        assert_eq!(written("a<b>&\"c\"\r\n\t"), "a&lt;b&gt;&amp;\"c\"&#13;\n\t");
        assert_eq!(written("\u{7}x\0\u{FFFE}␛0007"), "␛0007x␛0000␛FFFE␛241B0007");
        assert_eq!(
            written("]]> Größe 日本 \u{85}\u{10FFFF}"),
            "]]&gt; Größe 日本 \u{85}\u{10FFFF}"
        );
    }

    proptest! {
        #[test]
        fn nothing_is_lost(text in any::<String>(), odd in "[\0-\u{20}<&>␛\u{FFFD}-\u{FFFF}]*") {
            let text = format!("{text}{odd}{text}");
            prop_assert_eq!(read(&text), text);
        }
    }
}
