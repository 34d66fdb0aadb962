//! The mark in a form that brings a file: it is the first part, so that nothing is taken before it is
//! known. The form goes on whole, what was read of it included.

use std::time::Duration;

use axum::body::{Body, Bytes};
use futures_util::{StreamExt, stream};
use memchr::memmem;

use super::FIELD;

/// Within so many bytes the first part must end.
const MOST: usize = 2048;
/// And within this time.
const PATIENCE: Duration = Duration::from_secs(30);

/// What the first part holds, if it is the mark, and the whole form again.
pub(super) async fn read(body: Body) -> (Option<Vec<u8>>, Body) {
    let mut rest = body.into_data_stream();
    let mut pieces: Vec<Result<Bytes, axum::Error>> = Vec::new();
    let mut start = Vec::new();
    let reading = async {
        while start.len() < MOST {
            let Some(piece) = rest.next().await else { break };
            if let Ok(bytes) = &piece {
                start.extend_from_slice(&bytes[..bytes.len().min(MOST - start.len())]);
            }
            let is_cut = piece.is_err();
            pieces.push(piece);
            if is_cut || value(&start).is_some() {
                break;
            }
        }
    };
    // What has come by then is judged.
    tokio::time::timeout(PATIENCE, reading).await.ok();
    let given = value(&start).map(<[u8]>::to_vec);
    (given, Body::from_stream(stream::iter(pieces).chain(rest)))
}

/// The text of the first part of a form, if its name is that of the mark and it has ended.
fn value(start: &[u8]) -> Option<&[u8]> {
    let head_end = memmem::find(start, b"\r\n\r\n")?;
    let head = std::str::from_utf8(&start[..head_end]).ok()?;
    let mut lines = head.split("\r\n").skip(1);
    let is_mark = lines.any(|line| {
        let line = line.to_ascii_lowercase();
        line.starts_with("content-disposition:")
            && line.contains(&format!("; name=\"{FIELD}\""))
            && !line.contains("filename")
    });
    let text = &start[head_end + 4..];
    let end = memmem::find(text, b"\r\n--")?;
    is_mark.then_some(&text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORM: &[u8] =
        b"--xyz\r\nContent-Disposition: form-data; name=\"csrf\"\r\n\r\nabc\r\n--xyz\r\n\
        Content-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\nbytes\r\n--xyz--\r\n";

    fn read_in_pieces(form: &[u8], piece: usize) -> (Option<Vec<u8>>, Vec<u8>) {
        let pieces: Vec<_> =
            form.chunks(piece).map(|it| Ok::<_, axum::Error>(Bytes::copy_from_slice(it))).collect();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let (given, body) = read(Body::from_stream(stream::iter(pieces))).await;
            (given, axum::body::to_bytes(body, usize::MAX).await.unwrap().to_vec())
        })
    }

    #[test]
    fn the_mark_is_found_however_it_is_cut_and_the_form_stays_whole() {
        for piece in 1..FORM.len() {
            let (given, whole) = read_in_pieces(FORM, piece);
            assert_eq!((given.as_deref(), whole.as_slice()), (Some(&b"abc"[..]), FORM), "{piece}");
        }
    }

    #[test]
    fn a_mark_that_is_not_first_or_too_far_is_none() {
        let text = String::from_utf8(FORM.to_vec()).unwrap();
        let long = text.replace("abc", &"a".repeat(MOST));
        let other = text.replace("\"csrf\"", "\"other\"");
        let file = text.replace("\"csrf\"", "\"csrf\"; filename=\"x\"");
        for form in [long, other, file, String::new(), "--xyz--\r\n".into()] {
            let (given, whole) = read_in_pieces(form.as_bytes(), 100);
            assert_eq!((given, whole), (None, form.clone().into_bytes()), "{form}");
        }
    }
}
