//! What is held, and the checks of it.

use serde_json::json;
use storage::registry::{Found, SEARCH_MAX};

use crate::desk::{
    AskedRestoration, ChecksAsked, DUE_MAX, EventDetail, EventList, FileDetail, FileList,
    ItemDetail, ObjectDetail, ObjectList, Replaced, ReplicaDue,
};
use crate::fixity::Standing;
use crate::http::contract::operation::{Operation, get, one_of, post, put};
use crate::http::listed::CSV;
use crate::http::restorations::RestoreWish;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("/search", "What has all these words, or is named by them: the newest first.")
            .needs("q", json!({"type": "string"}), "What to look for.")
            .asks(
                "limit",
                json!({"type": "integer", "minimum": 1, "maximum": SEARCH_MAX}),
                "Most of each kind; 25 unless told.",
            )
            .gives::<Found>(),
        get("/objects", "Objects by filter.").lists::<ObjectList>().asks(
            "shared",
            one_of(&["true"]),
            "What other institutions share, in place of one's own.",
        ),
        get("/objects/{which}", "One object, by number or identifier.").gives::<ObjectDetail>(),
        get("/objects/{which}/premis", "What is known about an object, as PREMIS 3.")
            .sends(&["application/xml"]),
        post("/objects/{which}/check", "Has every copy of an object read now.")
            .gives::<ItemDetail>()
            .with_status(202),
        post("/objects/{which}/restore", "Has an object restored.")
            .may_take::<RestoreWish>()
            .gives::<AskedRestoration>()
            .with_status(202),
        get("/files", "Files by filter, each in its current version.").lists::<FileList>(),
        get("/files/{which}", "One file, by number, UUID or identifier.").gives::<FileDetail>(),
        post("/files/{which}/restore", "Has a file restored.")
            .may_take::<RestoreWish>()
            .gives::<AskedRestoration>()
            .with_status(202),
        get("/events", "Events by filter.").lists::<EventList>(),
        get("/events/{which}", "One event, by UUID or number.").gives::<EventDetail>(),
        put("/files/{which}/replacement", "Replaces a lost file: repairs every replica with it.")
            .takes_bytes()
            .gives::<Replaced>()
            .refuses(&[507]),
        get("/fixity", "How the checks of all hot replicas stand.").gives::<Standing>(),
        get("/fixity/due", "Which objects are checked next.").gives::<Vec<ReplicaDue>>().asks(
            "limit",
            json!({"type": "integer", "minimum": 1, "maximum": DUE_MAX}),
            "Objects of each replica; 20 unless told.",
        ),
        post("/fixity/check", "Has every copy read now.").gives::<ChecksAsked>().with_status(202),
        get("/fixity/report.csv", "The replicas and their checks, as a table.").sends(&[CSV]),
        get("/fixity/unsound.csv", "Copies that are not sound, as a table.").sends(&[CSV]),
    ]
}
