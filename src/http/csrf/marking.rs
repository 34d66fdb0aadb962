//! Puts the mark into the forms of a page.
//!
//! Pages are made by templates that write text with its angle brackets escaped, so that a `<form` in
//! a page is a form and the next `>` ends its tag.

use axum::body::{Body, to_bytes};
use axum::http::header;
use axum::response::Response;
use hyper::body::Body as _;
use memchr::memmem;

use super::FIELD;

/// Largest page; all else goes by as it is.
const LARGEST: u64 = 8 << 20;

/// Marks every form of an answer that changes something, and says whether there was one.
pub(super) async fn mark(response: Response, mark: &str) -> (Response, bool) {
    let kind = response.headers().get(header::CONTENT_TYPE);
    let is_page = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/html"));
    // What comes piece by piece has no known end, and is no page.
    let size = response.body().size_hint().exact().filter(|size| *size <= LARGEST);
    let (true, Some(size)) = (is_page, size.and_then(|size| usize::try_from(size).ok())) else {
        return (response, false);
    };
    let (mut parts, body) = response.into_parts();
    let Ok(page) = to_bytes(body, size).await else {
        return (Response::from_parts(parts, Body::empty()), false);
    };
    match with_marks(&page, mark) {
        Some(marked) => {
            parts.headers.remove(header::CONTENT_LENGTH);
            (Response::from_parts(parts, Body::from(marked)), true)
        }
        None => (Response::from_parts(parts, Body::from(page)), false),
    }
}

/// The page with its forms marked; none when it has none that changes something.
fn with_marks(page: &[u8], mark: &str) -> Option<Vec<u8>> {
    let field = format!("<input type=\"hidden\" name=\"{FIELD}\" value=\"{mark}\">");
    let mut marked: Option<Vec<u8>> = None;
    let mut done = 0;
    for at in memmem::find_iter(page, b"<form") {
        let Some(length) = memchr::memchr(b'>', &page[at..]) else { break };
        let end = at + length + 1;
        if memmem::find(&page[at..end], b"method=\"post\"").is_none() {
            continue;
        }
        let all = marked.get_or_insert_with(|| Vec::with_capacity(page.len() + 4 * field.len()));
        all.extend_from_slice(&page[done..end]);
        all.extend_from_slice(field.as_bytes());
        done = end;
    }
    let mut marked = marked?;
    marked.extend_from_slice(&page[done..]);
    Some(marked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_that_change_something_are_marked_and_others_are_not() {
        let page = br#"<p>&lt;form method="post"&gt;</p><form action="/find"><input></form><form
            class="entry" method="post" action="/a?b=&gt;"><b>x</b></form><form method="post"></form>"#;
        let marked = String::from_utf8(with_marks(page, "abc").unwrap()).unwrap();
        let field = r#"<input type="hidden" name="csrf" value="abc">"#;
        assert_eq!(marked.matches(field).count(), 2);
        assert!(marked.contains(&format!(r#"action="/a?b=&gt;">{field}<b>"#)), "{marked}");
        assert_eq!(marked.replace(field, "").as_bytes(), page);
        assert_eq!(with_marks(b"<form action=\"/find\">", "abc"), None);
        assert_eq!(with_marks(b"<form method=\"post\"", "abc"), None);
    }
}
