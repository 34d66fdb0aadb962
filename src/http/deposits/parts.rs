//! The parts of a form that brings a file, as they come: memory stays flat, whatever is sent.
//!
//! By our own hands, because the form is one of our own page, and every length in it is bounded:
//! the head of a part, and what is held back while a boundary may be beginning.

use axum::body::Bytes;
use axum::http::{HeaderMap, header};
use memchr::memmem;

use super::upload::{Incoming, Stopped};

/// Longest head of a part.
const HEAD_BYTES: usize = 8 << 10;
/// Most parts of a form. Ours have a dozen fields, and each part costs as much as a piece of a file.
const PARTS_MAX: usize = 100;
/// Longest boundary, as the standard has it.
const BOUNDARY_BYTES: usize = 70;

/// One part of a form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::http) struct Part {
    pub(in crate::http) name: String,
    pub(in crate::http) file_name: String,
}

/// A form, read from start to end.
pub(in crate::http) struct Parts {
    incoming: Incoming,
    /// What stands before every part but the first, and after the last.
    delimiter: Vec<u8>,
    held: Vec<u8>,
    /// Whether a part, or what stands before the first, is not read to its end.
    inside: bool,
    /// Parts so far.
    count: usize,
}

impl Parts {
    /// The form of a request; none when it is not sent as one.
    pub(in crate::http) fn of(headers: &HeaderMap, incoming: Incoming) -> Option<Parts> {
        let kind = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
        let boundary = boundary(kind)?;
        // The first boundary has no line before it; now it has.
        let (held, delimiter) = (b"\r\n".to_vec(), format!("\r\n--{boundary}").into_bytes());
        Some(Parts { incoming, delimiter, held, inside: true, count: 0 })
    }

    /// The next part; what was not read of the one before is passed over.
    pub(in crate::http) async fn next(&mut self) -> Result<Option<Part>, Stopped> {
        while self.piece().await?.is_some() {}
        // Behind the delimiter: two dashes end the form, a line's end begins a part.
        self.fill(2).await?;
        let mark: Vec<u8> = self.held.drain(..2).collect();
        match mark.as_slice() {
            b"--" => return Ok(None),
            b"\r\n" => {}
            _ => return Err(Stopped::NotAForm),
        }
        self.count += 1;
        if self.count > PARTS_MAX {
            return Err(Stopped::NotAForm);
        }
        let end = loop {
            if let Some(at) = memmem::find(&self.held, b"\r\n\r\n") {
                break at;
            }
            if self.held.len() > HEAD_BYTES {
                return Err(Stopped::NotAForm);
            }
            self.fill(self.held.len() + 1).await?;
        };
        let head: Vec<u8> = self.held.drain(..end + 4).collect();
        let head = String::from_utf8(head).map_err(|_| Stopped::NotAForm)?;
        self.inside = true;
        part(&head).map(Some).ok_or(Stopped::NotAForm)
    }

    /// The next piece of the current part; none at its end.
    pub(in crate::http) async fn piece(&mut self) -> Result<Option<Bytes>, Stopped> {
        while self.inside {
            if let Some(at) = memmem::find(&self.held, &self.delimiter) {
                if at == 0 {
                    self.inside = false;
                    self.held.drain(..self.delimiter.len());
                    break;
                }
                return Ok(Some(self.held.drain(..at).collect::<Vec<u8>>().into()));
            }
            // Its last bytes may be the beginning of a delimiter.
            let sure = self.held.len().saturating_sub(self.delimiter.len() - 1);
            if sure > 0 {
                return Ok(Some(self.held.drain(..sure).collect::<Vec<u8>>().into()));
            }
            self.fill(self.held.len() + 1).await?;
        }
        Ok(None)
    }

    /// The whole of a short part.
    pub(in crate::http) async fn text(&mut self, most: usize) -> Result<String, Stopped> {
        let mut text = Vec::new();
        while let Some(piece) = self.piece().await? {
            text.extend_from_slice(&piece);
            if text.len() > most {
                return Err(Stopped::NotAForm);
            }
        }
        String::from_utf8(text).map_err(|_| Stopped::NotAForm)
    }

    /// What is left of the request, to be read to its end.
    pub(in crate::http) fn rest(self) -> Incoming {
        self.incoming
    }

    /// Reads until so many bytes are held.
    async fn fill(&mut self, wanted: usize) -> Result<(), Stopped> {
        while self.held.len() < wanted {
            let Some(bytes) = self.incoming.next().await? else { return Err(Stopped::Cut) };
            self.held.extend_from_slice(&bytes);
        }
        Ok(())
    }
}

fn boundary(kind: &str) -> Option<String> {
    let rest = kind.strip_prefix("multipart/form-data")?;
    let found = values(rest).into_iter().find(|(name, _)| name == "boundary")?.1;
    (!found.is_empty() && found.len() <= BOUNDARY_BYTES).then_some(found)
}

fn part(head: &str) -> Option<Part> {
    let mut lines = head.split("\r\n").filter_map(|line| line.split_once(':'));
    let (_, line) = lines.find(|(name, _)| name.eq_ignore_ascii_case("content-disposition"))?;
    let rest = line.trim().strip_prefix("form-data")?;
    let mut part = Part::default();
    for (name, value) in values(rest) {
        match name.as_str() {
            "name" => part.name = value,
            "filename" => part.file_name = value,
            _ => {}
        }
    }
    Some(part)
}

/// The pairs of `; name="value"; other=word`. Browsers write a quote inside as `%22`, some programs
/// as `\"`.
fn values(text: &str) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    let mut rest = text;
    while let Some((name, after)) = rest.split_once('=') {
        let name = name.trim_matches([';', ' ', '\t']).to_ascii_lowercase();
        let (value, tail) = match after.strip_prefix('"') {
            Some(quoted) => unquoted(quoted),
            None => {
                let end = after.find(';').unwrap_or(after.len());
                (after[..end].trim().to_owned(), &after[end..])
            }
        };
        pairs.push((name, value));
        rest = tail;
    }
    pairs
}

fn unquoted(text: &str) -> (String, &str) {
    let mut value = String::new();
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return (value, &text[at + 1..]),
            '\\' if text[at + 1..].starts_with('"') => {
                value.push('"');
                letters.next();
            }
            other => value.push(other),
        }
    }
    (value, "")
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::time::Duration;

    use axum::body::Body;
    use futures_util::stream;

    use super::*;

    fn read(body: &[u8], piece: usize) -> Result<Vec<(Part, Vec<u8>)>, Stopped> {
        let pieces: Vec<_> =
            body.chunks(piece).map(|it| Ok::<_, Infallible>(Bytes::copy_from_slice(it))).collect();
        let body = Body::from_stream(stream::iter(pieces));
        let mut headers = HeaderMap::new();
        let kind = "multipart/form-data; boundary=\"xyz\"".parse().unwrap();
        headers.insert(header::CONTENT_TYPE, kind);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let incoming = Incoming::new(body, Duration::from_secs(60), || false);
            let mut parts = Parts::of(&headers, incoming).unwrap();
            let mut found = Vec::new();
            while let Some(part) = parts.next().await? {
                let mut bytes = Vec::new();
                while let Some(piece) = parts.piece().await? {
                    bytes.extend_from_slice(&piece);
                }
                found.push((part, bytes));
            }
            Ok(found)
        })
    }

    #[test]
    fn a_form_is_read_alike_however_it_is_cut() {
        let body = b"--xyz\r\ncontent-disposition: form-data; name=\"institution\"\r\n\r\na\r\n--xyz\r\n\
            Content-Type: x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a;=\\\".tar\"\r\n\r\n\
            \r\n--xy\r\n\r\n--\r\n--xyz--\r\n";
        for piece in 1..body.len() + 1 {
            let parts = read(body, piece).unwrap();
            let names: Vec<_> = parts.iter().map(|(part, _)| part.name.as_str()).collect();
            assert_eq!(names, ["institution", "file"], "{piece}");
            assert_eq!(parts[1].0.file_name, "a;=\".tar");
            assert_eq!(parts[1].1, b"\r\n--xy\r\n\r\n--", "{piece}");
        }
    }

    #[test]
    fn what_is_no_form_or_has_no_end_is_told() {
        let long = format!("--xyz\r\n{}", "x".repeat(3 * HEAD_BYTES));
        for bad in [
            &b"--xyzz\r\n\r\n"[..],
            b"--xyz\r\nno head\r\n\r\nx\r\n--xyz--",
            b"--xyz\r\ncontent-disposition: form-data; name=\"\xff\"\r\n\r\n\r\n--xyz--",
            long.as_bytes(),
        ] {
            assert!(matches!(read(bad, 100), Err(Stopped::NotAForm)));
        }
        let head = b"--xyz\r\ncontent-disposition: form-data; name=\"file\"\r\n\r\nabc".as_slice();
        for cut in [b"", b"--xyz".as_slice(), head] {
            assert!(matches!(read(cut, 7), Err(Stopped::Cut)), "{cut:?}");
        }
    }

    #[test]
    fn only_forms_with_a_boundary_are_forms() {
        assert_eq!(boundary("multipart/form-data; boundary=a-b").as_deref(), Some("a-b"));
        for bad in ["text/plain", "multipart/form-data", "multipart/form-data; boundary="] {
            assert_eq!(boundary(bad), None, "{bad}");
        }
        let long = format!("multipart/form-data; boundary={}", "x".repeat(71));
        assert_eq!(boundary(&long), None);
    }
}
