//! Refusals in the frame of whoever asked: who has signed in keeps the navigation.
//!
//! A refusal is said where nobody knows who asks, as a page without a frame; on its way out it passes
//! the entrance, which knows.

use axum::body::Body;
use axum::http::{HeaderMap, header};
use axum::response::Response;
use web::{Here, ProblemPage, problem_page};

use super::Visit;
use super::shell::shell;

/// What a refusal says, left beside its page.
#[derive(Clone)]
pub(super) struct Unframed(pub(super) ProblemPage);

/// Draws a refusal again, for somebody who has signed in. Everything else passes as it is.
pub(super) async fn frame(visit: Visit, response: Response) -> Response {
    let Some(Unframed(page)) = response.extensions().get().cloned() else { return response };
    if visit.user().is_none() {
        return response;
    }
    let drawn = visit.aside(move |visit| {
        let shell = shell(visit, page.title.as_str(), Here::None, &HeaderMap::new());
        Ok(problem_page(&shell, &page).into_string())
    });
    let Ok(html) = drawn.await else { return response };
    let (mut parts, _) = response.into_parts();
    parts.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(parts, Body::from(html))
}
