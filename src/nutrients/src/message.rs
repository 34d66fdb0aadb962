//! Job messages of every generation, as one job.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::check::check_job;
use super::finding::{Code, Finding, Findings};
use super::input::{Feature, Features, Geometry, SiteColumns, geojson_geometry, named_crs};
use super::limits::Limits;
use super::shape::Shape;
use super::site::Site;
use super::transform::{Crs, Transform, moved, to_bng};

/// Which of the forms a message had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Generation {
    /// Text without a form, from before there were jobs.
    Opaque,
    /// The geometry is an object in a store.
    StoredInput,
    /// The geometry is in the message.
    InlineBoundary,
}

/// A plan area that the sender found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanName {
    #[serde(default)]
    pub label: String,
    #[serde(default)]
    pub n2k_site_name: String,
}

/// Where the shape is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobShape {
    /// Checked and in metres.
    Inline { shape: Shape, crs: Crs, transform: Transform },
    /// The key of an object that the caller has to fetch.
    Stored(String),
}

/// A job, whatever the message looked like.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    pub generation: Generation,
    /// The reference of the quote, or the job's id.
    pub reference: Option<String>,
    pub name: String,
    pub email: Option<String>,
    /// RFC 3339, as it came.
    pub submitted_at: Option<String>,
    /// The first is the category.
    pub development_types: Vec<String>,
    pub dwellings: u32,
    pub people: Option<u32>,
    pub chosen_works: Option<i64>,
    pub plans: Vec<PlanName>,
    pub trace_id: Option<String>,
    pub shape: JobShape,
}

impl Job {
    /// What is built; houses if nothing is said.
    pub fn category(&self) -> &str {
        self.development_types.first().map_or("housing", String::as_str)
    }

    /// The site of a job whose shape came with it.
    pub fn site(&self) -> Option<Site> {
        let JobShape::Inline { shape, crs, transform } = &self.shape else { return None };
        let reference = self.reference.as_deref().unwrap_or_default();
        let mut site = Site::of_job(reference, self.category(), self.dwellings, shape.clone());
        site.crs = *crs;
        site.transform = *transform;
        site.chosen_works = self.chosen_works;
        site.people = self.people;
        Some(site)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Inline {
    #[serde(default)]
    reference: Option<String>,
    boundary_geojson: Boundary,
    #[serde(default)]
    development_types: Option<Vec<String>>,
    #[serde(default)]
    housing_units: Option<Value>,
    #[serde(default)]
    residential_building_count: Option<Value>,
    #[serde(default)]
    people_count: Option<Value>,
    #[serde(default)]
    waste_water_treatment_works_id: Option<Value>,
    #[serde(default)]
    trace_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Boundary {
    boundary_geometry_original: Value,
    #[serde(default)]
    intersecting_edps: Option<Vec<PlanName>>,
}

#[derive(Deserialize)]
struct Stored {
    job_id: String,
    s3_input_key: String,
    #[serde(default)]
    developer_email: Option<String>,
    #[serde(default)]
    submitted_at: Option<String>,
    #[serde(default)]
    development_name: String,
    #[serde(default)]
    dwelling_type: Option<String>,
    #[serde(default)]
    number_of_dwellings: Option<Value>,
}

/// What a message asks for, by the names of all generations.
const KIND: [&str; 2] = ["assessment_type", "assessmentType"];

/// Reads a message, with or without the envelope of a notification.
pub fn read_job(bytes: &[u8], limits: &Limits) -> Result<Job, Findings> {
    if bytes.len() > limits.message_bytes {
        let sentence = format!(
            "the message has {} bytes, and at most {} are taken",
            bytes.len(),
            limits.message_bytes
        );
        return Err(Finding::new(Code::TooLarge, sentence).into());
    }
    let mut body: Value =
        serde_json::from_slice(bytes).map_err(|it| unreadable(&it.to_string()))?;
    if body.get("Type").and_then(Value::as_str) == Some("Notification")
        && let Some(inner) = body.get("Message").and_then(Value::as_str)
    {
        body = serde_json::from_str(inner).map_err(|it| unreadable(&it.to_string()))?;
    }
    nutrient_only(&body)?;
    if body.get("boundaryGeojson").is_some() {
        let body = serde_json::from_value(body).map_err(|it| unreadable(&it.to_string()))?;
        inline(body, limits)
    } else if body.get("s3_input_key").is_some() {
        let body = serde_json::from_value(body).map_err(|it| unreadable(&it.to_string()))?;
        stored(body).map_err(Findings::from)
    } else {
        Err(unreadable("it names neither a boundary nor an input").into())
    }
}

fn unreadable(why: &str) -> Finding {
    Finding::new(Code::UnreadableMessage, format!("the message is not in a known form: {why}"))
}

/// Whoever asks for an assessment of another kind is not answered with this one.
fn nutrient_only(body: &Value) -> Result<(), Finding> {
    let asked = KIND.iter().filter_map(|name| body.get(name)).filter(|kind| !kind.is_null());
    for kind in asked {
        if kind.as_str().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("nutrient")) {
            continue;
        }
        let shown: String = kind.as_str().map_or_else(|| kind.to_string(), str::to_owned);
        let shown: String = shown.chars().filter(|it| !it.is_control()).take(40).collect();
        let sentence = format!(
            "the message asks for an assessment of the type \"{shown}\", and only nutrients are \
             assessed here; send it to a service that makes such assessments, or send \
             assessment_type \"nutrient\" or none"
        );
        return Err(Finding::new(Code::BadValue, sentence));
    }
    Ok(())
}

fn stored(body: Stored) -> Result<Job, Finding> {
    let dwellings = whole(body.number_of_dwellings.as_ref(), "number_of_dwellings")?;
    let types: Vec<String> = body.dwelling_type.into_iter().collect();
    Ok(Job {
        generation: Generation::StoredInput,
        dwellings: needed(dwellings, &types)?,
        reference: Some(body.job_id),
        name: body.development_name,
        email: body.developer_email,
        submitted_at: body.submitted_at,
        development_types: types,
        people: None,
        chosen_works: None,
        plans: Vec::new(),
        trace_id: None,
        shape: JobShape::Stored(body.s3_input_key),
    })
}

fn inline(body: Inline, limits: &Limits) -> Result<Job, Findings> {
    let mut findings = Vec::new();
    let mut kept = |result: Result<Option<u32>, Finding>| {
        result.unwrap_or_else(|finding| {
            findings.push(finding);
            None
        })
    };
    let units = kept(whole(body.housing_units.as_ref(), "housingUnits"));
    let buildings =
        kept(whole(body.residential_building_count.as_ref(), "residentialBuildingCount"));
    let people = kept(whole(body.people_count.as_ref(), "peopleCount"));
    if let Some(reference) = body.reference.as_deref().filter(|it| !is_reference(it)) {
        let shown: String = reference.chars().take(40).collect();
        let sentence = format!("\"{shown}\" is no reference; it is NRF- or NRL- and six digits");
        findings.push(Finding::new(Code::BadValue, sentence));
    }
    let types = body.development_types.unwrap_or_default();
    let dwellings = match (units, buildings) {
        (Some(a), Some(b)) if a != b => {
            let sentence = "housingUnits and residentialBuildingCount differ; send one of them";
            findings.push(Finding::new(Code::BadValue, sentence));
            0
        }
        // A count that is there and bad is told once.
        (None, None) if !findings.is_empty() => 0,
        (a, b) => needed(a.or(b), &types).unwrap_or_else(|finding| {
            findings.push(finding);
            0
        }),
    };
    let boundary = body.boundary_geojson;
    let shape = shape(&boundary.boundary_geometry_original, limits);
    match (findings.is_empty(), shape) {
        (true, Ok(shape)) => Ok(Job {
            generation: Generation::InlineBoundary,
            name: body.reference.clone().unwrap_or_default(),
            reference: body.reference,
            email: None,
            submitted_at: None,
            development_types: types,
            dwellings,
            people,
            chosen_works: works(body.waste_water_treatment_works_id.as_ref()),
            plans: boundary.intersecting_edps.unwrap_or_default(),
            trace_id: body.trace_id,
            shape,
        }),
        (_, Err(Findings(more))) => Err(Findings(findings.into_iter().chain(more).collect())),
        (false, Ok(_)) => Err(Findings(findings)),
    }
}

fn is_reference(text: &str) -> bool {
    let digits = text.strip_prefix("NRF-").or_else(|| text.strip_prefix("NRL-"));
    digits.is_some_and(|it| it.len() == 6 && it.bytes().all(|byte| byte.is_ascii_digit()))
}

/// A whole number from 1; absent and null are none.
fn whole(value: Option<&Value>, name: &str) -> Result<Option<u32>, Finding> {
    let number = match value {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Number(number)) => number.as_u64(),
        Some(Value::String(text)) => text.trim().parse().ok(),
        Some(Value::Bool(_) | Value::Array(_) | Value::Object(_)) => None,
    };
    let fits =
        number.filter(|it| (1..=10_000_000).contains(it)).and_then(|it| u32::try_from(it).ok());
    let sentence = || format!("{name} is no whole number from 1 to 10,000,000");
    fits.map(Some).ok_or_else(|| Finding::new(Code::BadValue, sentence()))
}

/// Houses without a count would be assessed as none: nobody may get a zero by a misspelt name.
fn needed(count: Option<u32>, types: &[String]) -> Result<u32, Finding> {
    let other = types.first().is_some_and(|kind| {
        let kind = kind.to_ascii_lowercase();
        !kind.contains("hous") && !kind.contains("dwelling") && !kind.contains("resid")
    });
    match (count, other) {
        (Some(count), _) => Ok(count),
        (None, true) => Ok(0),
        (None, false) => {
            let sentence = "the job has no count of dwellings; send housingUnits or \
                            residentialBuildingCount";
            Err(Finding::new(Code::MissingDwellings, sentence))
        }
    }
}

fn works(value: Option<&Value>) -> Option<i64> {
    match value? {
        Value::Number(number) => number.as_i64(),
        Value::String(text) => text.trim().parse().ok(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// The geometry of a message is in metres unless it says otherwise.
fn shape(value: &Value, limits: &Limits) -> Result<JobShape, Findings> {
    limits.still_wanted()?;
    let crs = value.get("crs").map_or(Ok(None), named_crs)?.unwrap_or(Crs::Bng);
    let bare = match value.get("type").and_then(Value::as_str) {
        Some("Feature") => value.get("geometry").unwrap_or(&Value::Null),
        _ => value,
    };
    let mut geometry = geojson_geometry(&bare.to_string(), limits)?;
    let mut transform = Transform::None;
    if let (Crs::Wgs84, Some(shape)) = (crs, geometry.shape()) {
        transform = Transform::Ostn15;
        let outside = |at: ::geo::Coord<f64>| {
            let sentence = "the geometry lies outside of Great Britain's grid";
            Finding::new(Code::OutsideGrid, sentence).at(vec![[at.x, at.y]])
        };
        geometry = Geometry::MultiPolygon(moved(shape, to_bng).map_err(outside)?);
    }
    let features = vec![Feature { geometry, columns: SiteColumns::default() }];
    let shape = check_job(&Features { crs, transform, features })?;
    Ok(JobShape::Inline { shape, crs, transform })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: &str = r#"{"type":"Polygon","coordinates":[[[600000,300000],[600100,300000],[600100,300100],[600000,300000]]]}"#;

    fn inline(members: &str) -> Result<Job, Findings> {
        let text = format!(
            r#"{{"reference":"NRF-123456","boundaryGeojson":{{"boundaryGeometryOriginal":{SHAPE},
            "intersectingEdps":[{{"label":"Broads","n2k_site_name":"Broads"}}]}},
            "developmentTypes":["housing"],"traceId":"t"{members}}}"#
        );
        read_job(text.as_bytes(), &Limits::default())
    }

    #[test]
    fn every_generation_becomes_the_same_job() {
        for count in [r#","housingUnits":12"#, r#","residentialBuildingCount":12"#] {
            let job = inline(count).unwrap();
            assert_eq!((job.dwellings, job.category()), (12, "housing"));
            let site = job.site().unwrap();
            assert_eq!((site.id.as_str(), site.dwellings), ("NRF-123456", 12));
            let json = serde_json::to_string(&job).unwrap();
            assert_eq!(serde_json::from_str::<Job>(&json).unwrap(), job);
            let envelope = serde_json::json!({"Type": "Notification", "Message": format!(
                r#"{{"boundaryGeojson":{{"boundaryGeometryOriginal":{SHAPE}}}{count}}}"#
            )});
            let job = read_job(envelope.to_string().as_bytes(), &Limits::default()).unwrap();
            assert_eq!(job.dwellings, 12);
        }
        let old = r#"{"job_id":"8f","s3_input_key":"in/8f.zip","developer_email":"a@b.c",
            "dwelling_type":"house","number_of_dwellings":3,"assessment_type":"nutrient"}"#;
        let job = read_job(old.as_bytes(), &Limits::default()).unwrap();
        assert_eq!(job.shape, JobShape::Stored("in/8f.zip".to_owned()));
        assert_eq!(job.site(), None);
    }

    #[test]
    fn a_message_that_asks_for_another_type_of_assessment_is_refused_in_words() {
        let stored = |kind: &str| {
            let text = format!(
                r#"{{"job_id":"8f","s3_input_key":"in/8f.zip","number_of_dwellings":3,
                "assessment_type":{kind}}}"#
            );
            read_job(text.as_bytes(), &Limits::default())
        };
        for kind in [r#""nutrient""#, r#"" Nutrient""#, "null"] {
            stored(kind).unwrap();
        }
        let long = format!("\"{}\"", "x".repeat(5000));
        for (kind, shown) in [(r#""gcn""#, "\"gcn\""), ("7", "\"7\""), (&long, "xxx")] {
            let Findings(findings) = stored(kind).unwrap_err();
            let [finding] = findings.as_slice() else { panic!("{findings:?}") };
            assert_eq!(finding.code, Code::BadValue);
            let sentence = &finding.sentence;
            assert!(sentence.contains(shown) && sentence.len() < 400, "{sentence}");
            assert!(sentence.contains("only nutrients are assessed here"), "{sentence}");
        }
        // A boundary in the message makes no difference, nor does an envelope around it.
        for name in KIND {
            let told = inline(&format!(r#","housingUnits":12,"{name}":"gcn""#)).unwrap_err();
            assert!(told.to_string().contains("\"gcn\""), "{told}");
        }
        let inner = r#"{"job_id":"8f","s3_input_key":"in","assessment_type":"gcn"}"#;
        let envelope = serde_json::json!({"Type": "Notification", "Message": inner}).to_string();
        let told = read_job(envelope.as_bytes(), &Limits::default()).unwrap_err();
        assert!(told.to_string().contains("\"gcn\""), "{told}");
    }

    #[test]
    fn a_housing_job_without_a_count_is_refused_not_zero() {
        let codes = |job: Result<Job, Findings>| {
            job.unwrap_err().0.into_iter().map(|it| it.code).collect::<Vec<_>>()
        };
        assert_eq!(codes(inline("")), [Code::MissingDwellings]);
        assert_eq!(codes(inline(r#","housingUnits":0"#)), [Code::BadValue]);
        assert_eq!(
            codes(inline(r#","housingUnits":1,"residentialBuildingCount":2"#)),
            [Code::BadValue]
        );
        assert_eq!(codes(read_job(b"hello", &Limits::default())), [Code::UnreadableMessage]);
        let long = vec![b' '; 262_145];
        assert_eq!(codes(read_job(&long, &Limits::default())), [Code::TooLarge]);
    }

    #[test]
    fn degrees_are_moved_and_said_to_be() {
        let text = r#"{"boundaryGeojson":{"boundaryGeometryOriginal":{"type":"Polygon",
            "crs":{"type":"name","properties":{"name":"EPSG:4326"}},
            "coordinates":[[[1.0,52.5],[1.001,52.5],[1.001,52.501],[1.0,52.5]]]}},"housingUnits":1}"#;
        let job = read_job(text.as_bytes(), &Limits::default()).unwrap();
        let site = job.site().unwrap();
        assert_eq!((site.crs, site.transform), (Crs::Wgs84, Transform::Ostn15));
    }
}
