//! Assessments of sites, and the reference data they stand on.

use schemars::JsonSchema;
use serde_json::{Map, Value, json};

use crate::desk::{
    AssessmentAsked, AssessmentDetail, AssessmentList, LoadRun, LoadWish, ReferenceTold,
    RolledBackTold, WorksNearby,
};
use crate::http::assessments::{JobMessage, NearbyWish};
use crate::http::contract::operation::{Operation, get, post};
use crate::http::listed::CSV;

/// A boundary that was looked at: always these five keys.
#[derive(JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "it describes what the kernel writes")]
struct BoundaryAnswer {
    /// The shape in metres of the National Grid.
    boundary_geometry_original: Option<Map<String, Value>>,
    /// The shape in degrees, also when it is bad.
    boundary_geometry_wgs84: Option<Map<String, Value>>,
    /// The plan areas that it meets.
    intersecting_edps: Vec<Map<String, Value>>,
    /// Area, perimeter, centre and corners.
    boundary_metadata: Option<Map<String, Value>>,
    /// What is wrong first, by its code.
    error: Option<String>,
}

/// A document whose form is told elsewhere.
#[derive(JsonSchema)]
#[schemars(with = "Map<String, Value>")]
struct ResultDocument;

pub(super) fn operations() -> Vec<Operation> {
    let text = || json!({"type": "string"});
    vec![
        get("/assessments", "Assessments by filter, the newest first.").lists::<AssessmentList>(),
        post(
            "/assessments",
            "Asks for an assessment: by a job message of any generation, or by a file, as \
             multipart/form-data with geometry_file, reference, dwellings and so on, or bare with \
             file_name and the same in the address. The same question again is answered with what \
             is there.",
        )
        .takes::<JobMessage>()
        .asks("file_name", text(), "What a bare file is called; without it the body is a message.")
        .asks("reference", text(), "What you call it, of a bare file.")
        .asks("dwellings", text(), "How many are built, of a bare file.")
        .asks("institution", text(), "For whom, by identifier or number; your own unless told.")
        .asks("method", text(), "A, B or C; the house's own unless told.")
        .gives::<AssessmentAsked>()
        .with_status(202),
        get("/assessments/{which}", "One assessment with its result, by number or UUID.")
            .gives::<AssessmentDetail>(),
        get("/assessments/{which}/poll", "The same for whoever has its token.")
            .needs("access_token", text(), "As it was given to the asker.")
            .gives::<AssessmentDetail>(),
        get("/assessments/{which}/result.json", "The whole result, with the shapes of its pieces.")
            .gives::<ResultDocument>()
            .refuses(&[409]),
        get("/assessments/{which}/result.csv", "The result as the table of 31 columns.")
            .sends(&[CSV])
            .refuses(&[409]),
        get("/assessments/{which}/result.geojson", "Site, catchments and pieces, for maps.")
            .sends(&["application/geo+json"])
            .refuses(&[409]),
        post("/assessments/{which}/again", "Assesses the same site with what is in use now.")
            .gives::<AssessmentAsked>()
            .with_status(202),
        post("/assessments/{which}/send", "Sends a result that was given up once more.")
            .gives::<AssessmentDetail>(),
        post(
            "/check-boundary",
            "Looks at a boundary and keeps nothing: multipart/form-data with geometry_file and \
             maybe boundary_filename, or the bare file with file_name in the address.",
        )
        .takes_bytes()
        .asks("file_name", text(), "What a bare file is called.")
        .gives::<BoundaryAnswer>()
        .refuses_alike(&[400, 413, 422]),
        post("/treatment-works/nearby", "Treatment works near a site, the nearest first.")
            .takes::<NearbyWish>()
            .gives::<Vec<WorksNearby>>()
            .refuses(&[413]),
        get("/reference-data", "What sites are assessed with, and how the last load went.")
            .gives::<ReferenceTold>(),
        post("/reference-data", "Loads a folder of the appliance's machine: whole, or not at all.")
            .takes::<LoadWish>()
            .gives::<LoadRun>()
            .with_status(202),
        post("/reference-data/roll-back", "Goes back to the version before.")
            .gives::<RolledBackTold>(),
    ]
}
