//! The sweeps over HTTP.

use axum::extract::Path;
use axum::http::HeaderMap;
use axum::response::Response;
use web::{Badge, Here, ScheduleLine, SchedulesPage, Tone, schedules_page};

use crate::desk::ScheduleRow;
use crate::http::Visit;
use crate::http::api::{Answer, ask};
use crate::http::flash::see;
use crate::http::refusal::Refusal;
use crate::http::shell::{answer, shell};

pub(super) async fn page(visit: Visit, headers: HeaderMap) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let shell = shell(visit, "Schedules", Here::Schedules, &headers);
            let rows = visit.desk().schedules()?.into_iter().map(line).collect();
            Ok(answer(&shell, schedules_page(&shell, &SchedulesPage { rows })))
        })
        .await
}

pub(super) async fn run(visit: Visit, Path(name): Path<String>) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let row = visit.desk().run_sweep(&name)?;
            let when = if visit.shop.takes_work() {
                "looks within seconds"
            } else {
                "looks as soon as work is taken again"
            };
            Ok(see("/schedules", &format!("The sweep {} {when}.", label(&row.name))))
        })
        .await
}

pub(super) async fn told(visit: Visit) -> Answer<Vec<ScheduleRow>> {
    ask(&visit, |desk| Ok(desk.schedules()?)).await
}

pub(super) async fn wish(visit: Visit, Path(name): Path<String>) -> Answer<ScheduleRow> {
    ask(&visit, move |desk| Ok(desk.run_sweep(&name)?)).await
}

fn label(name: &str) -> String {
    name.replace('_', " ")
}

fn line(row: ScheduleRow) -> ScheduleLine {
    let (word, tone) = if row.failed { ("Failed", Tone::Warn) } else { ("Well", Tone::Good) };
    ScheduleLine {
        label: label(&row.name),
        about: row.about,
        every_seconds: row.every_seconds as f64,
        outcome: row.last_run.as_ref().map(|_| Badge::new(word, tone)),
        note: row.last_outcome.unwrap_or_default(),
        last_run: row.last_run,
        next_run: row.next_run,
        name: row.name,
    }
}
