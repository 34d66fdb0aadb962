//! Requests in words for people.

use storage::clock::Timestamp;
use storage::registry::{DeletionPart, DeletionRow, DeletionState, User};
use web::parts::query;
use web::{
    Badge, Choice, DeletionFilter, DeletionLine, DeletionPage, DeletionPartLine, DeletionsPage,
    Fact, FactValue, Link, Pager, Tone, Verdict, counted, object_path,
};

use super::rights::{is_admin_of, is_canceller, words};
use crate::accounts;
use crate::desk::DeletionDetail;
use crate::http::Visit;
use crate::http::asked::{Leaf, Pairs, export_href, find};
use crate::http::refusal::Refusal;

/// Rows of a page unless asked otherwise.
const PER_PAGE: u64 = 25;
/// Most that are counted; a page then says "1,000+".
const COUNTED: u64 = 1001;
/// Longest reason shown in a row, in characters.
const REASON: usize = 120;

/// The list of requests.
pub(super) fn list(visit: &Visit, mut pairs: Pairs) -> Result<DeletionsPage, Refusal> {
    let text = |name: &str| find(&pairs, name).unwrap_or_default().to_owned();
    let filter = DeletionFilter {
        state: text("state"),
        institution_id: text("institution_id"),
        from: text("requested_at__gteq"),
        to: text("requested_at__lteq"),
    };
    let leaf = Leaf::of(&mut pairs, PER_PAGE, COUNTED)?;
    let list = visit.desk().deletions(&pairs, leaf.counting())?;
    let asked = [("per_page".to_owned(), "1000".to_owned())];
    let institutions = visit.desk().institutions(&asked)?.institutions;
    Ok(DeletionsPage {
        filter,
        states: DeletionState::ALL.map(|it| Choice::new(it.name(), badge(it).label)).to_vec(),
        institutions: institutions
            .iter()
            .map(|it| Choice::new(it.id.to_string(), it.name.clone()))
            .collect(),
        pager: Pager {
            export: export_href("deletions", &pairs),
            ..leaf.pager(list.deletions.len(), (list.count, list.count_is_exact))
        },
        rows: list.deletions.iter().map(|row| line(row, visit.shop.clock.now())).collect(),
    })
}

fn line(row: &DeletionRow, now: Timestamp) -> DeletionLine {
    let mut reason: String = row.reason.chars().take(REASON).collect();
    if reason.len() < row.reason.len() {
        reason.push('…');
    }
    DeletionLine {
        id: row.id.0,
        state: shown_badge(row, now),
        what: what(row),
        size: row.size,
        institution: row.institution_name.clone(),
        reason,
        requested_by: row.requested_by_name.clone(),
        requested: row.requested_at.to_string(),
    }
}

fn badge(state: DeletionState) -> Badge {
    match state {
        DeletionState::Requested => Badge::new("Needs a second person", Tone::Warn),
        DeletionState::Approved => Badge::new("Being deleted", Tone::Busy),
        DeletionState::Cancelled => Badge::new("Cancelled", Tone::Calm),
        DeletionState::Expired => Badge::new("Expired", Tone::Calm),
        DeletionState::Completed => Badge::new("Completed", Tone::Good),
    }
}

/// What a request names, for people.
fn what(row: &DeletionRow) -> String {
    match (row.object_count, row.file_count) {
        (0, files) => counted(files, "file"),
        (objects, 0) => counted(objects, "object"),
        (objects, files) => format!("{}, {}", counted(objects, "object"), counted(files, "file")),
    }
}

/// One request, for this reader.
pub(super) fn one(visit: &Visit, id: i64, person: Option<&User>) -> Result<DeletionPage, Refusal> {
    let detail = visit.desk().deletion(id)?;
    let request = &detail.deletion;
    let named = request.object_count + request.file_count;
    let cools_off = request.is_cooling_off(visit.shop.clock.now());
    Ok(DeletionPage {
        id,
        state: shown_badge(request, visit.shop.clock.now()),
        next: next(&detail, visit.shop.clock.now()),
        reason: request.reason.clone(),
        facts: facts(request),
        parts: detail.parts.iter().map(|part| part_line(part, request.state, cools_off)).collect(),
        parts_unshown_count: named.saturating_sub(detail.parts.len() as u64),
        verdict: verdict(visit, &detail, person)?,
        moves: request.state == DeletionState::Approved && !cools_off,
        has_certificate: request.state == DeletionState::Completed,
    })
}

/// The state in words; an approved request that waits is not being deleted yet.
fn shown_badge(row: &DeletionRow, now: Timestamp) -> Badge {
    match row.is_cooling_off(now) {
        true => Badge::new("Approved, can be cancelled", Tone::Warn),
        false => badge(row.state),
    }
}

/// How long from now, in hours, or in minutes where that is less than two of them.
fn in_time(moment: Timestamp, now: Timestamp) -> String {
    let minutes = moment.0.saturating_sub(now.0).div_ceil(60_000);
    match minutes {
        ..120 => format!("in {}", counted(minutes, "minute")),
        _ => format!("in {}", counted(minutes / 60, "hour")),
    }
}

fn next(detail: &DeletionDetail, now: Timestamp) -> String {
    let request = &detail.deletion;
    let owner = &request.institution_identifier;
    if let Some(from) = request.erase_after.filter(|_| request.is_cooling_off(now)) {
        return format!(
            "Erased no earlier than {} ({}). Until then every administrator of {owner} and of the \
             appliance can cancel it.",
            from.to_minute(),
            in_time(from, now)
        );
    }
    match request.state {
        DeletionState::Requested if waits_for_requester(detail) => format!(
            "It was entered in the name of {}, who has to confirm it, and then another administrator \
             of {owner} has to agree before {}; otherwise everything stays.",
            request.requested_by_name,
            request.expires_at.to_minute()
        ),
        DeletionState::Requested => format!(
            "{} administrator of {owner} has to agree before {}; otherwise everything stays.",
            if detail.approver_count > 1 { "A second" } else { "The only" },
            request.expires_at.to_minute()
        ),
        DeletionState::Approved => {
            "It was agreed on. It is being removed from every replica; one that is away makes it wait."
                .into()
        }
        DeletionState::Cancelled => "It was withdrawn. Nothing was deleted.".into(),
        DeletionState::Expired => {
            "Nobody agreed in time. Nothing was deleted; ask again if it still has to go.".into()
        }
        DeletionState::Completed => {
            "It is gone from every replica. What is known about it stays.".into()
        }
    }
}

/// Whether nobody can approve it before the requester confirms it. One who is the only administrator
/// proves who they are by approving it.
fn waits_for_requester(detail: &DeletionDetail) -> bool {
    detail.needs_confirmation && detail.approver_count > 1
}

fn facts(request: &DeletionRow) -> Vec<Fact> {
    let time = |name: &str, at: Timestamp| Fact::new(name, FactValue::Time(at.to_string()));
    let mut facts = vec![
        Fact::text("Institution", request.institution_name.clone()),
        Fact::text("Asked by", request.requested_by_name.clone()),
        time("Asked", request.requested_at),
        Fact::text("Names", what(request)),
        Fact::new("Files in all", FactValue::Count(request.deleted_file_count)),
        Fact::new("Size", FactValue::Bytes(request.size)),
    ];
    if matches!(request.state, DeletionState::Requested | DeletionState::Expired) {
        facts.push(time("Expires", request.expires_at));
    }
    for (who, by, when, at) in [
        ("Agreed to by", &request.confirmed_by_name, "Agreed", request.confirmed_at),
        ("Cancelled by", &request.cancelled_by_name, "Cancelled", request.cancelled_at),
    ] {
        if let (Some(by), Some(at)) = (by, at) {
            facts.extend([Fact::text(who, by.clone()), time(when, at)]);
        }
    }
    facts.extend(request.erase_after.map(|at| time("Erased no earlier than", at)));
    facts.extend(request.completed_at.map(|at| time("Completed", at)));
    facts.push(Fact::new("UUID", FactValue::Code(request.uuid.to_string())));
    facts
}

fn part_line(part: &DeletionPart, state: DeletionState, cools_off: bool) -> DeletionPartLine {
    let object = object_path(&part.object_identifier, part.object_id.0);
    let what = match (&part.path, part.file_id) {
        (Some(path), Some(file)) => {
            Link::new(format!("/files/{file}"), format!("{}/{path}", part.object_identifier))
        }
        _ => Link::new(object, part.object_identifier.clone()),
    };
    let state = match (part.done_at, state) {
        (Some(_), _) => Badge::new("Deleted", Tone::Good),
        (None, DeletionState::Approved) if cools_off => Badge::new("Held", Tone::Calm),
        (None, DeletionState::Approved | DeletionState::Completed) => {
            Badge::new("Being deleted", Tone::Busy)
        }
        (None, DeletionState::Requested) => Badge::new("Held", Tone::Calm),
        (None, DeletionState::Cancelled | DeletionState::Expired) => Badge::new("Kept", Tone::Calm),
    };
    DeletionPartLine {
        what,
        file_count: part.file_count,
        size: part.size,
        state,
        item: part.item_id.map(|id| Link::new(format!("/items/{id}"), format!("Item {id}"))),
    }
}

/// What this reader may do about a request that waits.
fn verdict(
    visit: &Visit,
    detail: &DeletionDetail,
    person: Option<&User>,
) -> Result<Option<Verdict>, Refusal> {
    let request = &detail.deletion;
    let cools_off = request.is_cooling_off(visit.shop.clock.now());
    if request.state != DeletionState::Requested && !cools_off {
        return Ok(None);
    }
    let owner = &request.institution_identifier;
    let Some(person) = person else {
        let to = format!("/deletions/{}", request.id);
        return Ok(Some(Verdict {
            refusal: format!("Administrators of {owner} can agree or cancel, signed in."),
            sign_in: Some(Link::new(format!("/sign-in{}", query(&[("to", &to)])), "Sign in")),
            ..Verdict::default()
        }));
    };
    let may_cancel = is_canceller(request, person);
    let may_approve = is_admin_of(person, request.institution_id);
    let own = person.id == request.requested_by_id && detail.approver_count > 1;
    let waits = waits_for_requester(detail);
    let confirms = may_approve && own && waits;
    let refusal = match (cools_off, may_approve, own) {
        (true, _, _) if may_cancel => "It is approved. You can cancel it.".to_owned(),
        (true, _, _) => {
            format!("Only administrators of {owner} and of the appliance can cancel it.")
        }
        (false, false, _) => format!(
            "Only administrators of {owner} can agree or cancel; those of the appliance can cancel."
        ),
        (false, true, true) if confirms => String::new(),
        (false, true, false) if waits => format!(
            "It was entered in the name of {}, who has to confirm it before you can agree.",
            request.requested_by_name
        ),
        (false, true, true) => {
            format!("You asked for it: another administrator of {owner} has to agree.")
        }
        (false, true, false) => String::new(),
    };
    let (registry, now) = (&visit.registry, visit.shop.clock.now());
    let asked = accounts::proof_asked(registry, person, request.requested_at, now)?;
    let (asks_password, asks_code) = (asked.password, asked.code);
    let words = words(request);
    Ok(Some(Verdict {
        refusal,
        confirms,
        words,
        asks_password,
        asks_code,
        may_cancel,
        ..Verdict::default()
    }))
}
