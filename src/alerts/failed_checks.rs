//! The daily sum of fixity checks that failed.

use storage::clock::Timestamp;
use storage::registry::{EventType, NewAlert, Outcome};

use super::kind::Kind;

/// So many checks of an institution's copies failed in a time.
pub fn checks_failed(
    institution_id: i64,
    count: u64,
    since: Timestamp,
    now: Timestamp,
) -> NewAlert {
    let checks = match count {
        1 => "1 fixity check".to_owned(),
        count => format!("{count} fixity checks"),
    };
    let content = format!(
        "{checks} failed between {since} and {now}.\n\nNothing was thrown away: what was found is \
         set aside, and a repair from a copy that is sound began by itself. Each object that this is \
         about has an alert of its own.\n\nLook at the events."
    );
    let page = web::parts::query(&[
        ("event_type", EventType::FixityCheck.name()),
        ("outcome", Outcome::Failure.name()),
        ("date_time__gteq", &since.to_string()),
        ("date_time__lteq", &now.to_string()),
    ]);
    NewAlert {
        name: format!("{}/{institution_id}", day(now)),
        kind: Kind::CopyFailed.word().into(),
        institution_id: Some(institution_id),
        subject: format!("Failed: {checks}"),
        content,
        page: Some(format!("/events{page}")),
        ..NewAlert::default()
    }
}

/// That the checks of a time were told; nobody is sent it.
pub fn checks_told(since: Timestamp, now: Timestamp) -> NewAlert {
    NewAlert {
        name: day(now),
        kind: Kind::CopyFailed.word().into(),
        subject: "Failed fixity checks were told".into(),
        content: format!(
            "Somebody asked that fixity checks be told that failed between {since} and {now}. \
             Institutions that have such checks have an alert each.\n\nThere is nothing to do."
        ),
        ..NewAlert::default()
    }
}

/// The name of a day, by the calendar of UTC.
fn day(now: Timestamp) -> String {
    let moment = now.to_string();
    format!("{}/day/{}", Kind::CopyFailed.word(), moment.get(..10).unwrap_or(&moment))
}
