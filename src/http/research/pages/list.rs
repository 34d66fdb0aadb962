//! The list of episodes or clips as a page shows it.

use storage::clock::Timestamp;
use storage::registry::{RecordingKind, RecordingOrder, RecordingQuestion, RecordingState};
use web::{
    AddRecordings, Choice, RecordingChoices, RecordingFilter, RecordingRow, RecordingsPage, Sort,
};

use super::words;
use crate::http::Visit;
use crate::http::asked::{bad, find};
use crate::http::refusal::Refusal;
use crate::research::Listed;

/// Rows of a page.
const PER_PAGE: u32 = 25;
const KNOWN: [&str; 7] =
    ["find", "priority__gteq", "state", "date_aired__gteq", "date_aired__lteq", "sort", "page"];

pub(super) fn value(
    visit: &Visit,
    kind: RecordingKind,
    pairs: &[(String, String)],
    adding: Option<AddRecordings>,
) -> Result<RecordingsPage, Refusal> {
    words::only(pairs, &KNOWN)?;
    let text = |name: &str| find(pairs, name).unwrap_or_default().to_owned();
    let filter = RecordingFilter {
        find: text("find"),
        priority: text("priority__gteq"),
        state: text("state"),
        from: text("date_aired__gteq"),
        to: text("date_aired__lteq"),
    };
    let (question, sort) = question(&filter, pairs)?;
    let (page, offset) = words::leaf(pairs, PER_PAGE.into())?;
    let (found, all) = visit.research.browse(kind, &question, (offset, PER_PAGE))?;
    let states = [
        ("waiting", "Waiting"),
        ("searched", "Searched, at least in part"),
        ("trouble", "Could not be searched"),
    ];
    Ok(RecordingsPage {
        kind: match kind {
            RecordingKind::Episode => web::RecordingKind::Episode,
            RecordingKind::Clip => web::RecordingKind::Clip,
        },
        filter,
        choices: RecordingChoices {
            states: states.map(|(value, label)| Choice::new(value, label)).to_vec(),
            priorities: Vec::new(),
        },
        sort,
        pager: words::pager((page, PER_PAGE.into()), found.rows.len(), found.count),
        rows: found.rows.into_iter().map(|it| row(it, all)).collect(),
        adding,
    })
}

fn question(
    filter: &RecordingFilter,
    pairs: &[(String, String)],
) -> Result<(RecordingQuestion, Sort), Refusal> {
    let priority = match filter.priority.as_str() {
        "" => None,
        text => Some(text.parse().map_err(|_| bad("priority__gteq", "must be a whole number"))?),
    };
    let state = match filter.state.as_str() {
        "" => None,
        "waiting" => Some(RecordingState::Waiting),
        "searched" => Some(RecordingState::Searched),
        "trouble" => Some(RecordingState::Trouble),
        _ => return Err(bad("state", "must be waiting, searched or trouble")),
    };
    let sort = find(pairs, "sort").and_then(|text| text.rsplit_once("__"));
    let (order, descending) = match (find(pairs, "sort"), sort) {
        (None, _) => (RecordingOrder::Priority, true),
        (Some(_), Some((column, way @ ("asc" | "desc")))) => (order(column)?, way == "desc"),
        (Some(_), _) => return Err(bad("sort", "must end in __asc or __desc")),
    };
    let question = RecordingQuestion {
        find: filter.find.chars().take(200).collect(),
        priority,
        from: moment("date_aired__gteq", &filter.from, "T00:00:00.000Z")?,
        to: moment("date_aired__lteq", &filter.to, "T23:59:59.999Z")?,
        state,
        order,
        descending,
    };
    let column = sort.map(|(column, _)| column.to_owned()).unwrap_or_default();
    Ok((question, Sort { column, descending }))
}

fn order(column: &str) -> Result<RecordingOrder, Refusal> {
    match column {
        "title" => Ok(RecordingOrder::Title),
        "date_aired" => Ok(RecordingOrder::DateAired),
        "priority" => Ok(RecordingOrder::Priority),
        "first_curated_at" => Ok(RecordingOrder::FirstCurated),
        _ => Err(bad("sort", "must be by title, date_aired, priority or first_curated_at")),
    }
}

/// A day, the whole of it in UTC, or a moment.
fn moment(name: &str, text: &str, rest: &str) -> Result<Option<Timestamp>, Refusal> {
    if text.is_empty() {
        return Ok(None);
    }
    let found = Timestamp::parse(&format!("{text}{rest}")).or_else(|| Timestamp::parse(text));
    found.map(Some).ok_or_else(|| bad(name, "must be a day such as 2021-02-28"))
}

fn row(listed: Listed, all_count: u64) -> RecordingRow {
    let Listed { recording, searched_count, found_count, is_troubled } = listed;
    RecordingRow {
        id: recording.id,
        title: recording.title,
        aired: recording.date_aired.map(|at| at.to_string()),
        curated: recording.first_curated_at.to_string(),
        priority: recording.priority,
        duration_ns: recording.duration_ns,
        state: words::state(is_troubled, (searched_count, all_count)),
        searched_count,
        all_count,
        found_count,
    }
}
