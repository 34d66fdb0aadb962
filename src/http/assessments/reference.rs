//! Reference data: the page, the load, and the way back.

use axum::Json;
use axum::extract::Form;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{Html, IntoResponse, Response};
use serde::Deserialize;
use web::{
    Badge, ConfirmPage, Here, LayerRow, Link, LoadRun as RunShown, QualityReport, ReferencePage,
    ReferenceVersion as VersionShown, Tone, confirm_page, reference_fragment, reference_page,
};

use crate::assess::LastLoad;
use crate::desk::{LoadRun, LoadWish, ReferenceTold, ReferenceVersion, RolledBackTold};
use crate::http::Visit;
use crate::http::api::{Answer, ask as answered, read_body};
use crate::http::flash::see;
use crate::http::refusal::Refusal;
use crate::http::shell::{answer, shell};
use crate::rights::Right;

pub(super) async fn told(visit: Visit) -> Answer<ReferenceTold> {
    answered(&visit, |desk| Ok(desk.reference_data()?)).await
}

pub(super) async fn wish(
    visit: Visit,
    body: String,
) -> Result<(StatusCode, Json<LoadRun>), Refusal> {
    let wish: LoadWish = read_body(&body)?;
    let run = answered(&visit, move |desk| Ok(desk.load_reference(&wish)?)).await?;
    Ok((StatusCode::ACCEPTED, run))
}

pub(super) async fn wish_back(visit: Visit) -> Answer<RolledBackTold> {
    answered(&visit, |desk| Ok(desk.roll_back_reference()?)).await
}

pub(super) async fn page(visit: Visit, headers: HeaderMap) -> Result<Response, Refusal> {
    shown(&visit, (String::new(), None), headers).await
}

async fn shown(
    visit: &Visit,
    (folder, problem): (String, Option<String>),
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let page = ReferencePage { folder, problem, ..value(visit)? };
            let shell = shell(visit, "Reference data", Here::ReferenceData, &headers);
            Ok(answer(&shell, reference_page(&shell, &page)))
        })
        .await
}

pub(super) async fn fragment(visit: Visit) -> Result<Html<String>, Refusal> {
    visit.aside(|visit| Ok(Html(reference_fragment(&value(visit)?).into_string()))).await
}

#[derive(Deserialize)]
pub(super) struct Folder {
    #[serde(default)]
    folder: String,
    #[serde(default)]
    force: String,
}

pub(super) async fn load(
    visit: Visit,
    headers: HeaderMap,
    Form(typed): Form<Folder>,
) -> Result<Response, Refusal> {
    let folder = typed.folder.clone();
    let force = typed.force == "true";
    let wish = LoadWish { folder: typed.folder, force, ..LoadWish::default() };
    match visit.aside(move |visit| Ok(visit.desk().load_reference(&wish)?)).await {
        Ok(_) => Ok(see("/reference-data", "It is in line to be loaded and checked.")),
        Err(refusal) if refusal.is_about_wish() => {
            let (status, problem) = refusal.said();
            let page = shown(&visit, (folder, Some(problem)), headers).await?;
            Ok((status, page).into_response())
        }
        Err(refusal) => Err(refusal),
    }
}

pub(super) async fn ask(visit: Visit, headers: HeaderMap) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let told = visit.desk().reference_data()?;
            let before = told.versions.iter().find(|it| !it.is_current);
            let Some(before) = before else {
                let sentence = "There is no version to go back to.";
                return Err(Refusal::new(StatusCode::CONFLICT, "nothing-to-roll-back", sentence));
            };
            let page = ConfirmPage {
                title: format!("Go back to version {}?", before.data_version),
                sentence: "Sites are assessed with it from then on.".into(),
                consequences: vec![
                    "Results that are there stay as they are.".into(),
                    "There is no way back from there but to load the newer one again.".into(),
                ],
                action: "/reference-data/roll-back".into(),
                hidden: Vec::new(),
                button: format!("Go back to {}", before.data_version),
                back: Link::new("/reference-data", "Keep the one in use"),
            };
            let shell = shell(visit, "Reference data", Here::ReferenceData, &headers);
            Ok(answer(&shell, confirm_page(&shell, &page)))
        })
        .await
}

pub(super) async fn roll_back(visit: Visit) -> Result<Response, Refusal> {
    visit.aside(|visit| Ok(visit.desk().roll_back_reference()?)).await?;
    Ok(see("/reference-data", "The version before is in use again."))
}

fn value(visit: &Visit) -> Result<ReferencePage, Refusal> {
    let told = visit.desk().reference_data()?;
    let last = told.last_load.as_ref();
    let versions = told.versions.iter().map(version).collect();
    let current = told.versions.iter().find(|it| it.is_current);
    let back = told.versions.iter().find(|it| !it.is_current);
    let running = told.loading.as_ref().map(|run| RunShown {
        item: Some(run.item),
        is_refused: run.status == "parked",
        folder: run.folder.clone(),
        started: run.since.clone(),
        progress: None,
    });
    Ok(ReferencePage {
        versions,
        running,
        report: last.map(report),
        report_in_use: current.filter(|_| last.is_some_and(|it| it.trouble.is_some())).map(in_use),
        may_keep: visit.may(Right::KeepHouse),
        folder: String::new(),
        problem: None,
        roll_back_to: back.map(|it| it.data_version.clone()),
    })
}

fn version(version: &ReferenceVersion) -> VersionShown {
    VersionShown {
        version: version.data_version.clone(),
        is_active: version.is_current,
        state: match version.is_current {
            true => Badge::new("In use", Tone::Good),
            false => Badge::new("Kept", Tone::Calm),
        },
        loaded: version.loaded_at.clone(),
        by: version.loaded_by.clone(),
        layers: version
            .tables
            .iter()
            .map(|(name, table)| LayerRow {
                label: name.replace('_', " "),
                name: name.clone(),
                count: table.rows,
                size: table.size_bytes,
                sha256: table.sha256.clone(),
            })
            .collect(),
    }
}

/// The report of the last load, a line each.
fn report(last: &LastLoad) -> QualityReport {
    let (refused, cleaned) = lines(&last.report);
    QualityReport {
        version: last.data_version.clone(),
        passed: last.trouble.is_none(),
        at: last.at.to_string(),
        rows: Vec::new(),
        // The trouble is all refusals in one sentence, or something that no line tells.
        refused: if refused.is_empty() { last.trouble.iter().cloned().collect() } else { refused },
        cleaned,
    }
}

fn in_use(version: &ReferenceVersion) -> QualityReport {
    let (_, cleaned) = lines(&version.report);
    QualityReport {
        version: version.data_version.clone(),
        passed: true,
        at: version.loaded_at.clone(),
        cleaned,
        ..QualityReport::default()
    }
}

/// What a report refuses, and the rest of it.
fn lines(report: &str) -> (Vec<String>, Vec<String>) {
    let (refused, rest): (Vec<&str>, Vec<&str>) =
        report.lines().partition(|line| line.starts_with(REFUSED));
    let refused = refused.iter().map(|line| line[REFUSED.len()..].to_owned());
    (refused.collect(), rest.into_iter().map(str::to_owned).collect())
}

/// What lines of a report begin with that refuse a version.
const REFUSED: &str = "refused: ";
