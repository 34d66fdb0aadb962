//! Takes a wish: kept in the registry first, put in line then. A power cut between the two costs a
//! minute, until the sweep finds the row without an item.

use nutrients::{Method, ReferenceError};
use storage::registry::{AssessmentRow, AssessmentState, NewAssessment, Uuid};
use storage::work::item::{ItemId, Subject};
use storage::work::queue::NewItem;

use super::ASSESS;
use super::wish::{Wish, nameless};
use crate::accounts::{AccountError, Secret};
use crate::app::App;

/// Who asks, and for whom.
#[derive(Clone, Copy, Debug)]
pub struct Asker<'a> {
    pub name: &'a str,
    pub institution: i64,
}

/// What became of asking.
#[derive(Clone, Debug)]
pub struct Asked {
    pub row: AssessmentRow,
    /// Whether the same was asked before: then what is there is the answer.
    pub joined: bool,
    /// Who has this may read the result.
    pub token: String,
}

/// Why a wish was not taken. Nothing was kept.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    #[error("there is no method {0:?}; there are A, B and C")]
    NoSuchMethod(String),
    #[error(transparent)]
    Registry(#[from] storage::registry::Error),
    #[error(transparent)]
    Work(#[from] storage::Error),
    #[error(transparent)]
    Reference(#[from] ReferenceError),
    #[error(transparent)]
    Account(#[from] AccountError),
    #[error("the wish cannot be written down: {0}")]
    Unwritable(#[from] serde_json::Error),
}

/// Takes a wish. When this returns it is on the medium.
pub fn ask(app: &App, asker: Asker<'_>, wish: &Wish) -> Result<Asked, AskError> {
    let method = Method::named(&wish.method);
    let method = method.ok_or_else(|| AskError::NoSuchMethod(wish.method.clone()))?;
    let reference = match app.atlas.reference() {
        Ok(reference) => Some(reference),
        // It is kept all the same: its item waits until there is some, or says what is damaged.
        Err(ReferenceError::Empty | ReferenceError::Damaged { .. }) => None,
        Err(error) => return Err(error.into()),
    };
    let token = Secret::draw()?;
    let new = NewAssessment {
        uuid: draw()?,
        reference: wish.reference.clone(),
        is_named: wish.reference != nameless(&wish.site.shape),
        name: wish.site.name.chars().filter(|it| !it.is_control()).take(200).collect(),
        institution_id: asker.institution,
        asked_by: asker.name.to_owned(),
        method: method.key(),
        data_version: reference.as_ref().map_or_else(String::new, |it| it.version().to_owned()),
        dwellings: wish.site.dwellings,
        same: wish.same(reference.as_deref(), &method),
        token: token.digest(),
        wish: serde_json::to_string(wish)?,
    };
    let kept = app.registry.keep_assessment(&new, app.shop.clock.now())?;
    let mut row = kept.row;
    if kept.new || row.item_id.is_none() && row.state == AssessmentState::Waiting {
        row.item_id = Some(put_in_line(app, &row)?);
    }
    Ok(Asked { row, joined: !kept.new, token: token.text() })
}

/// Makes the item of an assessment that waits, or finds the one that is there.
pub(super) fn put_in_line(app: &App, row: &AssessmentRow) -> Result<i64, AskError> {
    let pushed = app.shop.queue.push(NewItem {
        flow: ASSESS.name.into(),
        topic: ASSESS.stages[0].about().topic.into(),
        subject: Subject {
            action: ASSESS.action.into(),
            name: row.reference.clone(),
            institution: Some(row.institution_id),
            user: row.asked_by.clone(),
            ..Subject::default()
        },
        unique: Some(unique(row.uuid)),
        note: format!("asked for by {}", row.asked_by),
        ..NewItem::default()
    })?;
    let number = number_of(pushed.id);
    app.registry.note_assessment_item(row.id, number)?;
    Ok(number)
}

/// The name that at most one live item bears, and that leads from the item to its row.
fn unique(uuid: Uuid) -> String {
    format!("assess/{uuid}")
}

/// The assessment that an item works on.
pub(super) fn uuid_of(unique: Option<&str>) -> Option<Uuid> {
    Uuid::parse(unique?.strip_prefix("assess/")?)
}

fn number_of(id: ItemId) -> i64 {
    i64::try_from(id.0).unwrap_or(i64::MAX)
}

/// A random UUID (version 4).
fn draw() -> Result<Uuid, AccountError> {
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&Secret::draw()?.digest().0[..16]);
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    Ok(Uuid(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_leads_to_its_row() {
        let uuid = draw().unwrap();
        assert_eq!(uuid_of(Some(&unique(uuid))), Some(uuid));
        for bad in [None, Some("assess/"), Some("restore/x@1"), Some("assess/nothing")] {
            assert_eq!(uuid_of(bad), None);
        }
    }
}
