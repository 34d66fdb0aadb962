//! Raises an alert for those whom its kind concerns.

use storage::registry::{AlertRow, Error, NewAlert};

use super::kind::Kind;
use crate::app::App;

/// Raises an alert, and puts what is to be sent about it into the outbox. Repeated under the same
/// name it does nothing.
pub fn raise(app: &App, alert: &NewAlert) -> Result<Option<AlertRow>, Error> {
    let Some(kind) = Kind::of(&alert.kind) else {
        let rule = format!("{:?} is not a kind of alert", alert.kind);
        return Err(Error::Invalid { field: "kind", rule });
    };
    let addresses = app.registry.addresses(kind.audience(), alert.institution_id)?;
    let parcels = app.outbox.parcels(addresses);
    let raised = app.registry.raise_alert(alert, &parcels, app.shop.clock.now())?;
    if let Some(raised) = &raised {
        tracing::info!(alert = raised.id, kind = kind.word(), subject = raised.subject, "alert");
    }
    Ok(raised)
}

/// A name in one line: names come from deposits, and may hold anything.
pub(super) fn line(text: &str) -> String {
    cut(text, 150)
}

/// What somebody said, in one line; a path in it must be whole.
pub(super) fn sentence(text: &str) -> String {
    cut(text, 5000)
}

fn cut(text: &str, longest: usize) -> String {
    let tame = |letter: char| if letter.is_control() { ' ' } else { letter };
    let mut line: String = text.chars().map(tame).take(longest).collect();
    if text.chars().nth(longest).is_some() {
        line.push('…');
    }
    line
}
