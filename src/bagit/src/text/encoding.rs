//! The encodings that tag files are declared in, turned into UTF-8 as they are read.

use std::io::{self, Read};

const CHUNK_BYTES: usize = 64 << 10;

/// An encoding of tag files that can be read here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    Utf8,
    Latin1,
    /// The byte order mark tells the order; without one it is big-endian (RFC 2781).
    Utf16,
    Utf16Le,
    Utf16Be,
}

impl Encoding {
    /// The encoding of this name, by the names and aliases that IANA registers.
    pub(crate) fn named(name: &str) -> Option<Encoding> {
        Some(match name.to_ascii_lowercase().as_str() {
            "utf-8" | "utf8" | "us-ascii" | "ascii" => Encoding::Utf8,
            "iso-8859-1" | "iso8859-1" | "iso_8859-1" | "latin1" | "l1" => Encoding::Latin1,
            "utf-16" | "utf16" => Encoding::Utf16,
            "utf-16le" => Encoding::Utf16Le,
            "utf-16be" => Encoding::Utf16Be,
            _ => return None,
        })
    }
}

/// Reads bytes in an encoding and gives UTF-8. Bytes declared as UTF-8 pass unchanged: they are
/// judged line by line.
pub(crate) struct Decoder<R> {
    reader: R,
    encoding: Encoding,
    chunk: Box<[u8]>,
    /// A byte that waits for its other half, and a surrogate that waits for its own.
    half_unit: Option<u8>,
    half_pair: Option<u16>,
    started: bool,
    /// Whether the file began with a byte order mark.
    pub(crate) bom: bool,
    /// Whether anything was not in the encoding.
    pub(crate) broken: bool,
}

impl<R: Read> Decoder<R> {
    pub(crate) fn new(reader: R, encoding: Encoding) -> Decoder<R> {
        Decoder {
            reader,
            encoding,
            chunk: vec![0; CHUNK_BYTES].into_boxed_slice(),
            half_unit: None,
            half_pair: None,
            started: false,
            bom: false,
            broken: false,
        }
    }

    /// Appends the next piece of text; false at the end.
    pub(crate) fn fill(&mut self, out: &mut Vec<u8>) -> io::Result<bool> {
        let mut got = read_some(&mut self.reader, &mut self.chunk)?;
        // The mark must not be torn in two.
        while !self.started && got > 0 && got < 3 {
            let more = read_some(&mut self.reader, &mut self.chunk[got..])?;
            if more == 0 {
                break;
            }
            got += more;
        }
        if got == 0 {
            self.end(out);
            return Ok(false);
        }
        let chunk = std::mem::take(&mut self.chunk);
        let mut bytes = &chunk[..got];
        if !self.started {
            self.started = true;
            bytes = self.begin(bytes);
        }
        match self.encoding {
            Encoding::Utf8 => out.extend_from_slice(bytes),
            Encoding::Latin1 => push_chars(out, bytes.iter().map(|byte| char::from(*byte))),
            Encoding::Utf16 | Encoding::Utf16Be => self.wide(bytes, u16::from_be_bytes, out),
            Encoding::Utf16Le => self.wide(bytes, u16::from_le_bytes, out),
        }
        self.chunk = chunk;
        Ok(true)
    }

    /// Takes off a byte order mark, and learns the byte order from it.
    fn begin<'b>(&mut self, bytes: &'b [u8]) -> &'b [u8] {
        let (mark, encoding) = match self.encoding {
            Encoding::Utf8 => (&b"\xef\xbb\xbf"[..], Encoding::Utf8),
            Encoding::Utf16 if bytes.starts_with(b"\xff\xfe") => {
                (&b"\xff\xfe"[..], Encoding::Utf16Le)
            }
            Encoding::Utf16 | Encoding::Utf16Be => (&b"\xfe\xff"[..], Encoding::Utf16Be),
            Encoding::Utf16Le => (&b"\xff\xfe"[..], Encoding::Utf16Le),
            Encoding::Latin1 => return bytes,
        };
        self.encoding = encoding;
        match bytes.strip_prefix(mark) {
            Some(rest) => {
                self.bom = true;
                rest
            }
            None => bytes,
        }
    }

    fn wide(&mut self, bytes: &[u8], unit_of: fn([u8; 2]) -> u16, out: &mut Vec<u8>) {
        for byte in bytes {
            let Some(first) = self.half_unit.take() else {
                self.half_unit = Some(*byte);
                continue;
            };
            let unit = unit_of([first, *byte]);
            let pair = match self.half_pair.take() {
                Some(high) => [Some(high), Some(unit)],
                None if (0xd800..0xdc00).contains(&unit) => {
                    self.half_pair = Some(unit);
                    continue;
                }
                None => [Some(unit), None],
            };
            for decoded in char::decode_utf16(pair.into_iter().flatten()) {
                self.broken |= decoded.is_err();
                push_chars(out, [decoded.unwrap_or(char::REPLACEMENT_CHARACTER)]);
            }
        }
    }

    fn end(&mut self, out: &mut Vec<u8>) {
        if self.half_unit.take().is_some() || self.half_pair.take().is_some() {
            self.broken = true;
            push_chars(out, [char::REPLACEMENT_CHARACTER]);
        }
    }
}

fn push_chars(out: &mut Vec<u8>, chars: impl IntoIterator<Item = char>) {
    for char in chars {
        out.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
    }
}

/// Reads once, through interruptions.
fn read_some(reader: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match reader.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(bytes: &[u8], encoding: Encoding) -> (String, bool, bool) {
        // One byte at a time: nothing may depend on where chunks end.
        struct Drops<'a>(&'a [u8]);
        impl Read for Drops<'_> {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                let take = self.0.len().min(1);
                buffer[..take].copy_from_slice(&self.0[..take]);
                self.0 = &self.0[take..];
                Ok(take)
            }
        }
        let mut decoder = Decoder::new(Drops(bytes), encoding);
        let mut out = Vec::new();
        while decoder.fill(&mut out).unwrap() {}
        (String::from_utf8(out).unwrap(), decoder.bom, decoder.broken)
    }

    #[test]
    fn text_is_decoded_wherever_chunks_end() {
        assert_eq!(decode(b"\xef\xbb\xbfa", Encoding::Utf8), ("a".into(), true, false));
        assert_eq!(decode(b"caf\xe9", Encoding::Latin1), ("café".into(), false, false));
        let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
        assert_eq!(decode(&wide("\u{feff}é🦀"), Encoding::Utf16), ("é🦀".into(), true, false));
        assert_eq!(decode(b"\0a\0b", Encoding::Utf16), ("ab".into(), false, false));
        assert!(decode(b"\xd8\0\0a", Encoding::Utf16Be).2, "a lone surrogate");
        assert!(decode(b"\0a\0", Encoding::Utf16Be).2, "half a unit");
    }
}
