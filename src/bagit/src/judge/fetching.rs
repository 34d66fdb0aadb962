//! `fetch.txt`: read and judged, never followed.

use super::case::{Case, unreadable};
use super::listing::{NoRoom, Parts, number_of};
use super::resolve::resolve;
use super::tagging::{not_decodable, too_long};
use crate::code::Code;
use crate::names::rules::{escapes, shown};
use crate::report::Class;
use crate::text::fetch::parse;
use crate::text::lines::Lines;

const NAME: &str = "fetch.txt";

/// Takes in what is to be fetched.
pub(crate) fn judge(case: &mut Case<'_>) {
    let found = case.ledger.find(NAME.as_bytes()).filter(|id| case.ledger.is_present(*id));
    let Some(id) = found else { return };
    let mut count = 0;
    let mut long = Vec::new();
    let reader = match case.packing.open_file(&case.ledger, id, &case.changed) {
        Ok(reader) => reader,
        Err(error) => return unreadable(&mut case.findings, NAME, &error),
    };
    let mut lines = Lines::new(reader, case.encoding, case.limits.line_bytes);
    loop {
        let line = match lines.next() {
            Ok(Some(line)) => line,
            Ok(None) => break,
            Err(error) => {
                unreadable(&mut case.findings, NAME, &error);
                break;
            }
        };
        if line.too_long {
            if long.len() < case.limits.finding_count {
                long.push(line.number);
            }
            continue;
        }
        if line.text.trim().is_empty() {
            continue;
        }
        count += 1;
        let parts = Parts {
            ledger: &mut case.ledger,
            marks: &mut case.marks,
            findings: &mut case.findings,
            limits: case.limits,
            version: case.version,
        };
        if take(parts, line.number, &line.text).is_err() {
            break;
        }
    }
    let broken = lines.first_broken();
    drop(lines);
    for line in long {
        too_long(case, NAME, line);
    }
    if let Some(line) = broken {
        not_decodable(case, NAME, line);
    }
    case.facts.fetch_count = Some(count);
}

fn take(parts: Parts<'_>, number: u64, text: &str) -> Result<(), NoRoom> {
    let place = format!("{NAME}:{number}");
    let wanted = match parse(text) {
        Ok(wanted) => wanted,
        Err(why) => {
            parts.findings.add(Code::FetchLine, place, || {
                format!("Line {number} of fetch.txt is not in form: {why}.")
            });
            return Ok(());
        }
    };
    let meant = resolve(wanted.path, parts.version, parts.ledger);
    let path = meant.path.as_ref();
    if Class::of(path.as_bytes()) != Class::Payload && escapes(path).is_empty() {
        parts.findings.add(Code::FetchOutside, place, || {
            format!("fetch.txt lists `{}`; only files in data may be fetched.", shown(path))
        });
        return Ok(());
    }
    let Some(id) = number_of(parts.ledger, parts.findings, parts.limits, &place, &meant)? else {
        return Ok(());
    };
    parts.ledger.mark_fetched(id);
    let here = parts.ledger.is_present(id).then(|| parts.ledger.held(id).size_bytes);
    if let (Some(here), Some(said)) = (here, wanted.size_bytes)
        && here != said
    {
        parts.findings.add(Code::FetchLength, place, || {
            format!("`{}` has {here} bytes; fetch.txt says {said}.", shown(path))
        });
    }
    Ok(())
}
