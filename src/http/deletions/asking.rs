//! Where a deletion is asked for: what the page of an object or file says, and the form.

use storage::registry::{HeldState, User};
use web::parts::query;
use web::{AskDeletionPage, DeletionOffer, Fact, FactValue, Link, object_path};

use super::rights::{Target, institution_name, is_admin_of, may_ask};
use crate::http::Visit;
use crate::http::refusal::Refusal;

/// What the page of an object or file says about deleting it.
pub(in crate::http) fn offer(
    visit: &Visit,
    (kind, number, state): (&str, i64, HeldState),
    institution: i64,
    person: Option<&User>,
) -> Result<DeletionOffer, Refusal> {
    if state == HeldState::Deleted {
        return Ok(DeletionOffer::default());
    }
    let owner = institution_name(visit, institution)?;
    let asks = person.is_some_and(|person| is_admin_of(person, institution));
    let form = format!("/deletions/new{}", query(&[(kind, &number.to_string())]));
    let (sentence, link) = match (asks, person) {
        (true, _) => {
            let sentence = "You can ask for it; another administrator has to agree.".to_owned();
            (sentence, Some(Link::new(form, "Ask for deletion")))
        }
        (false, Some(_)) => {
            (format!("Administrators of {owner} can ask for it; another one has to agree."), None)
        }
        (false, None) => {
            let sign_in = format!("/sign-in{}", query(&[("to", &form)]));
            let sentence =
                format!("Administrators of {owner} can ask for it, when they are signed in.");
            (sentence, Some(Link::new(sign_in, "Sign in to ask for deletion")))
        }
    };
    Ok(DeletionOffer { sentence, link, asks })
}

/// The form to ask with; refused for those who may not.
pub(super) fn ask(
    visit: &Visit,
    target: &Target,
    person: &User,
) -> Result<AskDeletionPage, Refusal> {
    let institution = target.owner(visit.desk())?;
    may_ask(visit, institution, person)?;
    let owner = institution_name(visit, institution)?;
    let mut page = match target {
        Target::Object(which) => {
            let object = visit.desk().held_object(which)?;
            AskDeletionPage {
                kind: "object".into(),
                number: object.id.to_string(),
                facts: vec![
                    Fact::text("Title", object.title.clone()),
                    Fact::new("Files", FactValue::Count(object.file_count)),
                    Fact::new("Size", FactValue::Bytes(object.size)),
                ],
                back: Link::new(object_path(&object.identifier, object.id.0), "Keep it"),
                what: object.identifier,
                ..AskDeletionPage::default()
            }
        }
        Target::File(which) => {
            let file = visit.desk().held_file(which)?;
            AskDeletionPage {
                kind: "file".into(),
                number: file.id.to_string(),
                facts: vec![Fact::new("Size", FactValue::Bytes(file.size))],
                back: Link::new(format!("/files/{}", file.uuid), "Keep it"),
                what: file.identifier,
                ..AskDeletionPage::default()
            }
        }
    };
    let others = visit.registry.deletion_approver_count(institution)?.saturating_sub(1);
    page.consequences = vec![
        match others {
            0 => format!("You are the only administrator of {owner}: you have to agree yourself."),
            _ => format!("Another administrator of {owner} has to agree, or nothing happens."),
        },
        match visit.config.deletion.cooling_off.as_secs() / 3600 {
            0 => "Then it goes from every replica, in all its versions. That cannot be undone."
                .into(),
            hours => format!(
                "It then waits for {} and can be cancelled. After that it goes from every replica, in \
                 all its versions. That cannot be undone.",
                web::counted(hours, "hour")
            ),
        },
        "Its names, its events and a certificate stay.".into(),
    ];
    Ok(page)
}
