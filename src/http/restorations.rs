//! Restorations: asked for, listed, and taken away over the wire.

use std::fs::File;

use axum::extract::{Form, Path};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use schemars::JsonSchema;
use serde::Deserialize;
use storage::registry::ItemRow;
use web::{
    Badge, Here, Link, ReadyRow, RestorationsPage, Tone, UnderWayRow, object_path,
    restorations_fragment, restorations_page,
};

use super::api::{Answer, ask, read_any};
use super::flash::see;
use super::refusal::Refusal;
use super::shell::{answer, shell};
use super::stream::Outgoing;
use super::{Site, Visit};
use crate::desk::{AskedRestoration, DeskError, Restoration, RestorationList};

/// The pages.
pub(super) fn pages() -> Router<Site> {
    Router::new()
        .route("/restorations", get(page).post(ask_by_form))
        .route("/restorations/{item}/download", get(download))
        .route("/fragments/restorations", get(fragment))
}

/// `/api/v1/restorations`.
pub(super) fn api() -> Router<Site> {
    Router::new()
        .route("/restorations", get(list))
        .route("/restorations/{item}/content", get(content))
}

async fn page(visit: Visit, headers: HeaderMap) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let shell = shell(visit, "Restorations", Here::Restorations, &headers);
            Ok(answer(&shell, restorations_page(&shell, &value(visit)?)))
        })
        .await
}

async fn fragment(visit: Visit) -> Result<Html<String>, Refusal> {
    visit.aside(|visit| Ok(Html(restorations_fragment(&value(visit)?).into_string()))).await
}

async fn list(visit: Visit) -> Answer<RestorationList> {
    ask(&visit, |desk| Ok(desk.restorations()?)).await
}

/// The form of a button: an object or a file, and a version.
#[derive(Deserialize)]
struct WishForm {
    object: Option<i64>,
    file: Option<i64>,
    version: Option<u32>,
}

async fn ask_by_form(visit: Visit, Form(form): Form<WishForm>) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let desk = visit.desk();
            let asked = match (form.object, form.file) {
                (Some(object), None) => desk.restore_object(&object.to_string(), form.version),
                (None, Some(file)) => desk.restore_file(&file.to_string(), form.version),
                (None, None) | (Some(_), Some(_)) => {
                    let sentence = "Say one object or one file that is to be restored.";
                    return Err(Refusal::new(StatusCode::BAD_REQUEST, "no-wish", sentence));
                }
            }?;
            let (name, id) = (&asked.item.name, asked.item.id);
            let sentence = match asked.joined {
                true => {
                    format!("{name} is being restored already, by item {id}; this page shows it.")
                }
                false => format!("{name} will be restored by item {id}; this page follows it."),
            };
            Ok(see("/restorations", &sentence))
        })
        .await
}

/// What a wish over the wire may say.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RestoreWish {
    version: Option<u32>,
}

/// `POST /objects/ID/restore`
pub(super) async fn restore_object(
    visit: Visit,
    Path(which): Path<String>,
    body: String,
) -> Result<(StatusCode, Json<AskedRestoration>), Refusal> {
    let (which, wish) = (restored(&which)?, read_any::<RestoreWish>(&body)?);
    let asked = ask(&visit, move |desk| Ok(desk.restore_object(&which, wish.version)?));
    Ok((StatusCode::ACCEPTED, asked.await?))
}

/// `POST /files/ID/restore`
pub(super) async fn restore_file(
    visit: Visit,
    Path(which): Path<String>,
    body: String,
) -> Result<(StatusCode, Json<AskedRestoration>), Refusal> {
    let (which, wish) = (restored(&which)?, read_any::<RestoreWish>(&body)?);
    let asked = ask(&visit, move |desk| Ok(desk.restore_file(&which, wish.version)?));
    Ok((StatusCode::ACCEPTED, asked.await?))
}

/// What is to be restored: an identifier has slashes, and the last word says what to do with it.
fn restored(which: &str) -> Result<String, Refusal> {
    which.strip_suffix("/restore").map(str::to_owned).ok_or_else(|| {
        let sentence = "Say what is asked for by the end of the address: /restore, or /check for \
                        an object.";
        Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "wrong-method", sentence)
            .allowing("GET, HEAD")
            .as_json()
    })
}

async fn content(visit: Visit, Path(item): Path<String>) -> Result<Response, Refusal> {
    download(visit, Path(item)).await.map_err(Refusal::as_json)
}

/// The restored thing itself, as it is read from the disk.
async fn download(visit: Visit, Path(item): Path<String>) -> Result<Response, Refusal> {
    let outgoing = Outgoing::begin(&visit)?;
    let (file, name, length) = visit
        .aside(move |visit| {
            let number = item.parse().map_err(|_| {
                let sentence = "Restorations have the numbers of their items.";
                Refusal::new(StatusCode::NOT_FOUND, "no-such-item", sentence)
            })?;
            let path = visit.desk().restored_file(number)?;
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let opened = File::open(&path).and_then(|file| Ok((file.metadata()?.len(), file)));
            let (length, file) = opened.map_err(DeskError::Write)?;
            Ok((file, name, length))
        })
        .await?;
    // No more than was announced, whatever happens to the file.
    let body = outgoing.bytes(name.clone(), file, length);
    let headers = [
        (header::CONTENT_TYPE, "application/octet-stream".to_owned()),
        (header::CONTENT_LENGTH, length.to_string()),
        (header::CONTENT_DISPOSITION, disposition(&name)),
    ];
    Ok((headers, body).into_response())
}

/// The name to keep it under: plain for old browsers, escaped for the others.
fn disposition(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_. ".contains(c) { c } else { '_' };
    let escaped = web::parts::path(&[name]);
    let escaped = escaped.trim_start_matches('/');
    let plain: String = name.chars().map(plain).collect();
    format!("attachment; filename=\"{plain}\"; filename*=UTF-8''{escaped}")
}

fn value(visit: &Visit) -> Result<RestorationsPage, Refusal> {
    let RestorationList { under_way, restorations, rehearsals } = visit.desk().restorations()?;
    let days = visit.config.restore.keep.as_secs() / 86_400;
    Ok(RestorationsPage {
        under_way: under_way.into_iter().map(under_way_row).collect(),
        ready: restorations.into_iter().map(ready_row).collect(),
        area: visit.config.restoration_folder().display().to_string(),
        stay: web::counted(days, "day"),
        rehearsals: rehearsals.sentences,
    })
}

fn under_way_row(item: ItemRow) -> UnderWayRow {
    let state = match item.status.as_str() {
        "Suspended" => Badge::new("Needs a person", Tone::Warn),
        "Started" => Badge::new("Being restored", Tone::Busy),
        _ => Badge::new("Waiting", Tone::Calm),
    };
    let what = item.generic_file_identifier.or(item.object_identifier).unwrap_or(item.name);
    UnderWayRow {
        item: item.id.unsigned_abs(),
        what,
        state,
        note: item.happened.unwrap_or(item.note),
        asked: item.created_at.to_string(),
        user: item.user,
    }
}

fn ready_row(restoration: Restoration) -> ReadyRow {
    let Restoration { slip, expires_at, expires_soon, is_there } = restoration;
    let state = match (is_there, expires_soon) {
        (false, _) => Badge::new("Not there", Tone::Calm),
        (true, true) => Badge::new("Goes soon", Tone::Warn),
        (true, false) => Badge::new("Ready", Tone::Good),
    };
    let label = slip.file_identifier.as_ref().unwrap_or(&slip.object_identifier);
    ReadyRow {
        item: slip.item,
        what: Link::new(object_path(&slip.object_identifier, 0), label.clone()),
        version: u64::from(slip.version),
        path: slip.path.display().to_string(),
        size_bytes: slip.size_bytes,
        restored: slip.restored_at.to_string(),
        user: slip.user,
        state,
        expires: expires_at,
        is_there,
    }
}
