//! What is sent: a form with a file, a bare file, or a job message. Every length is bounded, and nothing
//! is named after what somebody sent.

use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, StatusCode, header};
use nutrients::Limits;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::desk::SiteForm;
use crate::http::Visit;
use crate::http::asked::{Pairs, find};
use crate::http::csrf;
use crate::http::deposits::parts::Parts;
use crate::http::deposits::upload::{Incoming, Stopped};
use crate::http::refusal::Refusal;

/// Longest field of a form.
const FIELD_BYTES: usize = 1000;
/// Names of the part that brings the boundary.
const FILES: [&str; 3] = ["geometry_file", "boundary", "file"];

/// A job message, as the current generation has it; older ones are taken as well.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "the kernel reads messages; this tells their form")]
pub(in crate::http) struct JobMessage {
    /// What the sender calls it, such as `NRF-000123`.
    reference: Option<String>,
    boundary_geojson: JobBoundary,
    /// What is built; the first counts.
    development_types: Option<Vec<String>>,
    /// Dwellings; `residentialBuildingCount` means the same.
    housing_units: Option<u32>,
    people_count: Option<u32>,
    waste_water_treatment_works_id: Option<i64>,
    trace_id: Option<String>,
}

/// The boundary of a job.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "the kernel reads messages; this tells their form")]
pub(in crate::http) struct JobBoundary {
    /// A GeoJSON geometry: Polygon or MultiPolygon.
    boundary_geometry_original: Map<String, Value>,
    /// The plan areas that it meets.
    intersecting_edps: Option<Vec<JobPlan>>,
}

/// A plan area that the sender found.
#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "the kernel reads messages; this tells their form")]
pub(in crate::http) struct JobPlan {
    label: Option<String>,
    n2k_site_name: Option<String>,
}

/// What was sent.
#[derive(Default)]
pub(super) struct Intake {
    pub(super) form: SiteForm,
    /// A job message, if there was one.
    pub(super) message: Option<Vec<u8>>,
}

/// Reads a request: a form, a bare file that the address names, or a message.
pub(super) async fn read(
    visit: &Visit,
    pairs: &Pairs,
    (headers, body): (&HeaderMap, Body),
) -> Result<Intake, Refusal> {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let mut intake = Intake::default();
    for (name, value) in pairs {
        take(&mut intake.form, name, value.clone());
    }
    if kind.is_some_and(|kind| kind.starts_with("multipart/form-data")) {
        let Some(parts) = Parts::of(headers, Incoming::of(visit, body)) else {
            return Err(stopped(Stopped::NotAForm));
        };
        return from_form(intake, parts).await;
    }
    let most = usize::try_from(Limits::default().file_bytes).unwrap_or(usize::MAX);
    let bytes = to_bytes(body, most).await.map_err(|_| too_large())?;
    if find(pairs, "file_name").is_some() {
        intake.form.bytes = bytes.to_vec();
    } else {
        intake.message = Some(bytes.to_vec());
    }
    Ok(intake)
}

async fn from_form(mut intake: Intake, mut parts: Parts) -> Result<Intake, Refusal> {
    let most = usize::try_from(Limits::default().file_bytes).unwrap_or(usize::MAX);
    let message_most = Limits::default().message_bytes;
    while let Some(part) = parts.next().await.map_err(stopped)? {
        let name = part.name.as_str();
        if name == csrf::FIELD {
            // Looked at before the form came here.
            drop(parts.text(FIELD_BYTES).await.map_err(stopped)?);
        } else if FILES.contains(&name) {
            intake.form.file_name = part.file_name;
            intake.form.bytes = whole(&mut parts, most).await?;
        } else if name == "message" {
            intake.message = Some(whole(&mut parts, message_most).await?);
        } else {
            let name = part.name;
            let value = parts.text(FIELD_BYTES).await.map_err(stopped)?;
            take(&mut intake.form, &name, value);
        }
    }
    Ok(intake)
}

/// The bytes of a part; more than so many are refused.
async fn whole(parts: &mut Parts, most: usize) -> Result<Vec<u8>, Refusal> {
    let mut bytes = Vec::new();
    while let Some(piece) = parts.piece().await.map_err(stopped)? {
        if bytes.len() + piece.len() > most {
            return Err(too_large());
        }
        bytes.extend_from_slice(&piece);
    }
    Ok(bytes)
}

fn take(form: &mut SiteForm, name: &str, value: String) {
    let field = match name {
        "reference" => &mut form.reference,
        "name" => &mut form.name,
        "dwellings" => &mut form.dwellings,
        "people" => &mut form.people,
        "development_type" => &mut form.development_type,
        "treatment_works" => &mut form.treatment_works,
        "method" => &mut form.method,
        "email" => &mut form.email,
        "institution" => &mut form.institution,
        "boundary_filename" => &mut form.inside,
        "file_name" => &mut form.file_name,
        // A browser sends every field, and some of them are not for us.
        _ => return,
    };
    *field = value;
}

/// Why a form was not read to its end.
fn stopped(stopped: Stopped) -> Refusal {
    match stopped {
        Stopped::NotAForm => {
            let sentence = "The form is not understood: it has too many parts, or one that is too \
                long or has no name.";
            Refusal::new(StatusCode::BAD_REQUEST, "not-a-form", sentence)
                .next("Send the boundary as geometry_file, and short fields beside it.")
        }
        Stopped::Cut | Stopped::Silent(_) | Stopped::Stopping => stopped.into(),
    }
}

pub(super) fn too_large() -> Refusal {
    let most = web::parts::human_size(Limits::default().file_bytes);
    let sentence = format!("The file is larger than {most}, which is all that is taken here.");
    Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, "file_size_too_large", sentence)
        .next("Simplify the boundary, or send it without what is not the boundary.")
}
