//! Raises an alert for those whom its kind concerns.

use storage::registry::{Access, AlertRow, Audience, Error, NewAlert};

use super::kind::Kind;
use crate::app::App;

/// Raises an alert, and puts what is to be sent about it into the outbox. Repeated under the same
/// name it does nothing.
pub fn raise(app: &App, alert: &NewAlert) -> Result<Option<AlertRow>, Error> {
    let Some(kind) = Kind::of(&alert.kind) else {
        let rule = format!("{:?} is not a kind of alert", alert.kind);
        return Err(Error::Invalid { field: "kind", rule });
    };
    let audience = audience(app, kind, alert)?;
    let alert = NewAlert { everyone: audience == Audience::Everyone, ..alert.clone() };
    let addresses = app.registry.addresses(audience, alert.institution_id)?;
    let parcels = app.outbox.parcels(addresses);
    let raised = app.registry.raise_alert(&alert, &parcels, app.shop.clock.now())?;
    if let Some(raised) = &raised {
        tracing::info!(alert = raised.id, kind = kind.word(), subject = raised.subject, "alert");
    }
    Ok(raised)
}

/// Who is told: those whom the kind concerns, unless the alert names what is restricted.
fn audience(app: &App, kind: Kind, alert: &NewAlert) -> Result<Audience, Error> {
    let registry = &app.registry;
    let item = alert.item_id.map(|id| registry.item(id)).transpose()?.flatten();
    let object = item.and_then(|item| item.object_identifier);
    let object = object.map(|name| registry.object_by_identifier(&name)).transpose()?.flatten();
    let restricted = object.is_some_and(|object| object.access == Access::Restricted);
    Ok(match kind.audience() {
        Audience::Everyone if restricted => Audience::Administrators,
        told @ (Audience::Everyone
        | Audience::Administrators
        | Audience::AdministratorsAndStaff
        | Audience::Staff) => told,
    })
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
