//! JSON as a stream of tokens, so that an inventory of any size is read in one small buffer.
//!
//! Only as strict as its use needs: inventories are compared with their sidecars before they are
//! read here. Nothing panics on any input, and no string longer than [`STRING_LEN_MAX`] is held.

use std::io::{self, BufRead, Write};

/// Longest digest, path, id or message.
const STRING_LEN_MAX: usize = 1 << 16;

/// Deepest nesting of a value that is copied; inventories need six.
const DEPTH_MAX: usize = 64;

/// A reader of JSON tokens.
pub(super) struct Json<R> {
    input: R,
    raw: Vec<u8>,
}

impl<R: BufRead> Json<R> {
    pub(super) fn new(input: R) -> Json<R> {
        Json { input, raw: Vec::new() }
    }

    /// Takes the bracket that opens an object or array.
    pub(super) fn open(&mut self, bracket: u8) -> io::Result<()> {
        self.expect(bracket)
    }

    /// Whether another member or element follows; takes the comma or the closing bracket.
    pub(super) fn more(&mut self, close: u8, first: &mut bool) -> io::Result<bool> {
        if self.peek()? == close {
            self.input.consume(1);
            return Ok(false);
        }
        if !std::mem::replace(first, false) {
            self.expect(b',')?;
        }
        Ok(true)
    }

    /// The name of a member, with its colon.
    pub(super) fn key(&mut self) -> io::Result<String> {
        let key = self.string()?;
        self.expect(b':')?;
        Ok(key)
    }

    pub(super) fn string(&mut self) -> io::Result<String> {
        self.raw_string()?;
        let text = std::str::from_utf8(&self.raw).map_err(|_| wrong("text is not UTF-8"))?;
        if text.contains('\\') {
            return serde_json::from_str(text).map_err(|_| wrong("a string is malformed"));
        }
        Ok(text[1..text.len() - 1].to_owned())
    }

    /// Passes over one value.
    pub(super) fn skip(&mut self) -> io::Result<()> {
        self.copy(&mut io::sink())
    }

    /// Writes one value out as it stands.
    pub(super) fn copy(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let mut depth = 0_usize;
        loop {
            let byte = if depth == 0 { self.peek()? } else { self.peek_raw()? };
            match byte {
                b'"' => {
                    self.raw_string()?;
                    out.write_all(&self.raw)?;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' => {
                    depth = depth.checked_sub(1).ok_or_else(|| wrong("a bracket is misplaced"))?;
                }
                b',' | b':' if depth == 0 => return Err(wrong("a value is missing")),
                _ => {}
            }
            if byte != b'"' {
                out.write_all(&[byte])?;
                self.input.consume(1);
            }
            if depth > DEPTH_MAX {
                return Err(wrong("values are nested too deep"));
            }
            let ended = matches!(byte, b'"' | b'}' | b']') || self.at_delimiter()?;
            if depth == 0 && ended {
                return Ok(());
            }
        }
    }

    /// Takes a string with its quotes and escapes into `raw`.
    fn raw_string(&mut self) -> io::Result<()> {
        self.expect(b'"')?;
        self.raw.clear();
        self.raw.push(b'"');
        loop {
            let buffer = self.input.fill_buf()?;
            if buffer.is_empty() {
                return Err(wrong("it ends within a string"));
            }
            let stop = buffer.iter().position(|byte| matches!(byte, b'"' | b'\\'));
            let taken = stop.map_or(buffer.len(), |at| at + 1);
            self.raw.extend_from_slice(&buffer[..taken]);
            let last = buffer[taken - 1];
            self.input.consume(taken);
            if self.raw.len() > STRING_LEN_MAX {
                return Err(wrong("a string is too long"));
            }
            match stop {
                Some(_) if last == b'"' => return Ok(()),
                Some(_) => {
                    let escaped = self.peek_raw()?;
                    self.raw.push(escaped);
                    self.input.consume(1);
                }
                None => {}
            }
        }
    }

    fn expect(&mut self, wanted: u8) -> io::Result<()> {
        let found = self.peek()?;
        if found != wanted {
            return Err(wrong("a token is not the expected one"));
        }
        self.input.consume(1);
        Ok(())
    }

    fn at_delimiter(&mut self) -> io::Result<bool> {
        let buffer = self.input.fill_buf()?;
        Ok(buffer.first().is_none_or(|byte| b",:]} \t\r\n".contains(byte)))
    }

    fn peek(&mut self) -> io::Result<u8> {
        loop {
            let byte = self.peek_raw()?;
            if !byte.is_ascii_whitespace() {
                return Ok(byte);
            }
            self.input.consume(1);
        }
    }

    fn peek_raw(&mut self) -> io::Result<u8> {
        self.input.fill_buf()?.first().copied().ok_or_else(|| wrong("it ends too early"))
    }
}

fn wrong(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn copied(text: &[u8]) -> io::Result<Vec<u8>> {
        let mut out = Vec::new();
        // A buffer of one byte makes every token straddle a refill.
        Json::new(io::BufReader::with_capacity(1, text)).copy(&mut out)?;
        Ok(out)
    }

    #[test]
    fn values_are_copied_as_they_stand() {
        let text = br#"{"a": [1, -2.5e3, true, null, "x\"\\]}"], "b": {}}"#;
        assert_eq!(copied(text).unwrap(), text);
        for wrong in [&b"{"[..], b"\"a", b"", b"]", b",", b"{\"a\\"] {
            assert!(copied(wrong).is_err(), "{wrong:?}");
        }
    }

    proptest! {
        #[test]
        fn strings_are_read_as_serde_writes_them(text in ".*") {
            let written = serde_json::to_vec(&text).unwrap();
            prop_assert_eq!(Json::new(&written[..]).string().unwrap(), text);
        }

        #[test]
        fn nothing_panics(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            drop(copied(&bytes));
            drop(Json::new(&bytes[..]).key());
        }
    }
}
