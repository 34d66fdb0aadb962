//! Items, queues, and the stores under them.

use schemars::JsonSchema;

use crate::desk::{Diagnosis, Emptied, ItemDetail, ItemList, QueueRow};
use crate::http::api::RequeueWish;
use crate::http::contract::operation::{Operation, get, post};
use crate::work::Requeued;

/// A document that describes itself.
#[derive(JsonSchema)]
#[schemars(with = "serde_json::Map<String, serde_json::Value>")]
struct Document;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("/openapi.json", "This document.").gives::<Document>(),
        get("/items", "Items by filter, the last touched first.")
            .lists::<ItemList>()
            .refuses(&[404]),
        get("/items/{id}", "One item with its attempts and findings.").gives::<ItemDetail>(),
        get("/items/{id}/report", "What was found wrong with a deposit, for the depositor.")
            .sends(&["text/plain; charset=utf-8"]),
        post("/items/requeue", "Puts everything back in line that waits for the same reason.")
            .takes::<RequeueWish>()
            .gives::<Requeued>(),
        post("/items/{id}/requeue", "Puts an item back in line, at its stage or an earlier one.")
            .may_take::<RequeueWish>()
            .gives::<ItemDetail>(),
        post("/items/{id}/cancel", "Cancels an item.").gives::<ItemDetail>(),
        post("/items/{id}/remove-deposit", "Removes the rejected deposit of an item.")
            .gives::<ItemDetail>(),
        post("/items/{id}/take-again", "Makes an item of the deposit of one that was given up.")
            .gives::<ItemDetail>(),
        get("/queues", "What waits where.").gives::<Vec<QueueRow>>(),
        post("/queues/pause", "Begins nothing new anywhere.").gives::<Vec<QueueRow>>(),
        post("/queues/resume", "Goes on everywhere.").gives::<Vec<QueueRow>>(),
        post("/queues/empty", "Cancels everything in line.").gives::<Emptied>(),
        post("/queues/{topic}/pause", "Begins nothing new of one topic.").gives::<Vec<QueueRow>>(),
        post("/queues/{topic}/resume", "Goes on with one topic.").gives::<Vec<QueueRow>>(),
        post("/queues/{topic}/empty", "Cancels what is in line for one topic.").gives::<Emptied>(),
        get("/doctor", "Looks at every store.").gives::<Diagnosis>(),
        post("/doctor", "Looks at every store, and mends what can be mended.").gives::<Diagnosis>(),
        get("/export/{part}", "A table of the registry, or the work, as JSON lines.")
            .sends(&["application/jsonl"]),
    ]
}
