//! What the steps of a deletion tell.

use storage::registry::{DeletionMoment, DeletionStep, NewAlert};

use super::kind::Kind;
use super::raise::{line, sentence};

/// A step of a deletion request, told to the administrators.
pub fn deletion(step: DeletionStep, request: &DeletionMoment) -> NewAlert {
    let (kind, subject, content) = match step {
        DeletionStep::Requested => requested(request),
        DeletionStep::Approved => approved(request),
        DeletionStep::Cancelled => cancelled(request),
        DeletionStep::Completed => completed(request),
    };
    NewAlert {
        name: format!("deletion/{}/{}", plain(request), step.word()),
        kind: kind.word().into(),
        institution_id: Some(request.institution_id),
        subject,
        content,
        page: Some(format!("/deletions/{}", request.request_id)),
        deletion_request_id: Some(request.request_id),
        ..NewAlert::default()
    }
}

fn requested(request: &DeletionMoment) -> (Kind, String, String) {
    let (what, by) = (what(request), by(request));
    let title = format!("Deletion requested: {what}");
    if request.is_entered {
        return (Kind::DeletionRequested, title, entered(request, (&what, &by)));
    }
    let content = format!(
        "{by} asked on {} to delete {what}.\nReason given: {}\n\nNothing is deleted yet. A second \
         administrator must approve it by {}; until then it can be cancelled, and after that it \
         counts as cancelled.\n\nLook at what it is about, then approve or cancel it.",
        request.at.to_minute(),
        sentence(&request.reason),
        request.expires_at.to_minute(),
    );
    (Kind::DeletionRequested, title, content)
}

/// What is said of a request that an administrator of the appliance entered for somebody.
fn entered(request: &DeletionMoment, (what, by): (&str, &str)) -> String {
    format!(
        "A request to delete {what} was entered on {} in the name of {by}.\nReason given: {}\n\n\
         Nothing is deleted yet. {by} must confirm it, and a second administrator approve it by {}; \
         until then it can be cancelled, and after that it counts as cancelled.\n\nLook at what it is \
         about. {by} confirms it on its page or with strongroom delete confirm {}; if it is not \
         wanted, cancel it.",
        request.at.to_minute(),
        sentence(&request.reason),
        request.expires_at.to_minute(),
        request.request_id,
    )
}

fn approved(request: &DeletionMoment) -> (Kind, String, String) {
    let (what, by) = (what(request), by(request));
    let from = request.erase_after.unwrap_or(request.at).to_minute();
    let content = format!(
        "{by} approved on {} the request to delete {what}.\nReason given: {}\n\nNothing is erased \
         before {from}. Until then every administrator of the institution and of the appliance can \
         cancel it.\n\nIf it is not right, cancel it on the request's page or with strongroom delete \
         cancel {}. From {from} on it is removed from every replica, and that cannot be undone. You \
         are told when nothing is left.",
        request.at.to_minute(),
        sentence(&request.reason),
        request.request_id,
    );
    (Kind::DeletionApproved, format!("Deletion approved: {what}"), content)
}

fn cancelled(request: &DeletionMoment) -> (Kind, String, String) {
    let (what, by) = (what(request), by(request));
    let content = format!(
        "{by} cancelled on {} the request to delete {what}.\nReason that was given for it: \
         {}\n\nNothing was deleted.\n\nThere is nothing to do. If it is to be deleted after all, \
         ask for it again.",
        request.at.to_minute(),
        sentence(&request.reason),
    );
    (Kind::DeletionCancelled, format!("Deletion cancelled: {what}"), content)
}

fn completed(request: &DeletionMoment) -> (Kind, String, String) {
    let what = what(request);
    let content = format!(
        "On {} the last of {what} was gone from every replica, and that was checked.\nReason \
         given: {}\n\nWhat was known about it is kept: that it was held, its digests, and who \
         deleted it and why. The request's page has the certificate.\n\nThere is nothing to do.",
        request.at.to_minute(),
        sentence(&request.reason),
    );
    (Kind::DeletionCompleted, format!("Deletion completed: {what}"), content)
}

fn what(request: &DeletionMoment) -> String {
    let counted = |count: u64, one: &str| match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        many => Some(format!("{many} {one}s")),
    };
    let parts = [counted(request.object_count, "object"), counted(request.file_count, "file")];
    let parts: Vec<_> = parts.into_iter().flatten().collect();
    if parts.is_empty() { "nothing".into() } else { parts.join(" and ") }
}

fn by(request: &DeletionMoment) -> String {
    request.by.as_deref().map_or_else(|| "Someone".to_owned(), line)
}

/// The request's UUID as the registry writes it into names.
fn plain(request: &DeletionMoment) -> String {
    request.uuid.to_string().replace('-', "")
}
