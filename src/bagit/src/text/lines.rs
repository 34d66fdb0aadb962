//! The lines of a text file of any length, each of bounded length.

use std::borrow::Cow;
use std::io::{self, Read};

use super::encoding::{Decoder, Encoding};

/// One line without its end.
pub(crate) struct Line<'a> {
    /// Counted from one.
    pub(crate) number: u64,
    /// Its text; what is not Unicode is replaced.
    pub(crate) text: Cow<'a, str>,
    /// Whether it went over the limit; then its text is empty.
    pub(crate) too_long: bool,
}

/// Lines that end in LF, CR or CRLF.
pub(crate) struct Lines<R> {
    decoder: Decoder<R>,
    buffer: Vec<u8>,
    /// Where the unread part of the buffer begins.
    at: usize,
    number: u64,
    limit: usize,
    ended: bool,
    after_cr: bool,
    first_broken: Option<u64>,
}

impl<R: Read> Lines<R> {
    pub(crate) fn new(reader: R, encoding: Encoding, limit: usize) -> Lines<R> {
        Lines {
            decoder: Decoder::new(reader, encoding),
            buffer: Vec::new(),
            at: 0,
            number: 0,
            limit,
            ended: false,
            after_cr: false,
            first_broken: None,
        }
    }

    /// The next line; none at the end.
    pub(crate) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        let Some((start, end, too_long)) = self.reach_line_end()? else { return Ok(None) };
        self.number += 1;
        let bytes = if too_long { &[][..] } else { &self.buffer[start..end] };
        let text = match str::from_utf8(bytes) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => String::from_utf8_lossy(bytes),
        };
        let broken = matches!(text, Cow::Owned(_)) || self.decoder.broken;
        if broken && self.first_broken.is_none() {
            self.first_broken = Some(self.number);
        }
        Ok(Some(Line { number: self.number, text, too_long }))
    }

    /// The first line so far that was not in the declared encoding.
    pub(crate) fn first_broken(&self) -> Option<u64> {
        self.first_broken
    }

    /// Whether the file began with a byte order mark.
    pub(crate) fn bom(&self) -> bool {
        self.decoder.bom
    }

    /// Finds the end of a line and steps over it: where the line is, and whether it was too long.
    fn reach_line_end(&mut self) -> io::Result<Option<(usize, usize, bool)>> {
        let mut searched = self.at;
        let mut too_long = false;
        loop {
            if self.after_cr && self.at < self.buffer.len() {
                self.after_cr = false;
                if self.buffer[self.at] == b'\n' {
                    self.at += 1;
                }
                searched = self.at;
            }
            let rest = &self.buffer[searched..];
            if let Some(length) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
                let (start, end) = (self.at, searched + length);
                self.after_cr = self.buffer[end] == b'\r';
                self.at = end + 1;
                return Ok(Some((start, end, too_long || end - start > self.limit)));
            }
            if self.ended {
                let (start, end) = (self.at, self.buffer.len());
                self.at = end;
                too_long |= end - start > self.limit;
                return Ok((end > start || too_long).then_some((start, end, too_long)));
            }
            self.buffer.drain(..self.at);
            self.at = 0;
            if self.buffer.len() > self.limit {
                too_long = true;
                self.buffer.clear();
            }
            searched = self.buffer.len();
            self.ended = !self.decoder.fill(&mut self.buffer)?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &[u8], limit: usize) -> Vec<(String, bool)> {
        let mut lines = Lines::new(text, Encoding::Utf8, limit);
        let mut all = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            assert_eq!(line.number, all.len() as u64 + 1);
            all.push((line.text.into_owned(), line.too_long));
        }
        all
    }

    fn check(text: &str, expected: &[&str]) {
        let found: Vec<String> = lines(text.as_bytes(), 100).into_iter().map(|l| l.0).collect();
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn every_kind_of_line_end_ends_a_line() {
        check("", &[]);
        check("a", &["a"]);
        check("a\n", &["a"]);
        check("a\rb\nc\r\nd", &["a", "b", "c", "d"]);
        check("\r\n\r\n", &["", ""]);
        check("\n\r", &["", ""]);
    }

    #[test]
    fn a_line_over_the_limit_is_told_and_passed_over() {
        let long = "x".repeat(200_000);
        let found = lines(format!("a\n{long}\nb\n{long}").as_bytes(), 64 << 10);
        let told: Vec<_> = found.iter().map(|(text, long)| (text.len(), *long)).collect();
        assert_eq!(told, [(1, false), (0, true), (1, false), (0, true)]);
        assert_eq!(lines(b"abcd\nabc", 3), [(String::new(), true), ("abc".into(), false)]);
    }

    #[test]
    fn a_line_that_is_not_unicode_is_told() {
        let mut lines = Lines::new(&b"a\n\xff\nb"[..], Encoding::Utf8, 10);
        while lines.next().unwrap().is_some() {}
        assert_eq!(lines.first_broken(), Some(2));
    }
}
