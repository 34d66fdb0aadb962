//! How one thing is looked for, and what is said of one that is not for the caller.

use axum::Json;
use axum::http::StatusCode;

use crate::desk::Desk;
use crate::http::Visit;
use crate::http::refusal::Refusal;
use crate::rights::Sight;

/// An answer, or a refusal in the described form.
pub(super) type Told<T> = Result<Json<T>, Refusal>;

/// Answers with what is looked up on a thread that may wait.
pub(super) async fn tell<T: Send + 'static>(
    visit: &Visit,
    look: impl FnOnce(&Visit) -> Result<T, Refusal> + Send + 'static,
) -> Told<T> {
    visit.aside(look).await.map(Json).map_err(Refusal::described)
}

/// Answers with one thing. What is there and not for this caller is refused, not hidden: clients of
/// the described registry tell the two apart.
pub(super) async fn one<T: Send + 'static>(
    visit: &Visit,
    look: impl Fn(&Visit, Desk<'_>) -> Result<T, Refusal> + Send + 'static,
) -> Told<T> {
    tell(visit, move |visit| match look(visit, visit.desk()) {
        Err(missing) if missing.is_missing() && visit.desk().sight() != Sight::All => {
            // Only the house knows all that is there; what it found stays with it.
            match look(visit, visit.site.app.desk()) {
                Ok(_) => Err(not_yours()),
                Err(_) => Err(missing),
            }
        }
        other => other,
    })
    .await
}

fn not_yours() -> Refusal {
    let sentence = "This belongs to another institution, or is restricted to its administrators.";
    Refusal::new(StatusCode::FORBIDDEN, "not-allowed", sentence)
}

/// A text that says something; the described registry has null for one that says nothing.
pub(super) fn said(text: String) -> Option<String> {
    Some(text).filter(|text| !text.is_empty())
}

/// The number in an address.
pub(super) fn number<N: std::str::FromStr>(text: &str) -> Result<N, Refusal> {
    text.parse().map_err(|_| {
        let shown: String = text.chars().take(40).collect();
        let sentence = format!("{shown:?} is not a number.");
        Refusal::new(StatusCode::BAD_REQUEST, "not-a-number", sentence).described()
    })
}
