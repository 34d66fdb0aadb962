//! Deposits, restorations and deletions.

use serde_json::json;

use crate::accounts::IdentityProof;
use crate::deletion::Certificate;
use crate::desk::{DeletionDetail, DeletionList, DeletionWish, DepositList, RestorationList};
use crate::http::contract::operation::{Operation, get, one_of, post, put};
use crate::http::deposits::{Received, Welcome};

pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("/deposits", "What lies in the receiving areas.").gives::<DepositList>(),
        put("/deposits/{institution}/{name}", "Brings a bag.")
            .takes_bytes()
            .gives::<Received>()
            .with_status(201)
            .refuses(&[507]),
        get("/deposits/{institution}/{name}/check", "Whether a bag would be taken.")
            .gives::<Welcome>()
            .asks("size_bytes", json!({"type": "integer", "minimum": 0}), "How large it is.")
            .refuses(&[409, 422, 507]),
        get("/restorations", "What is being restored, and what lies ready.")
            .gives::<RestorationList>(),
        get("/restorations/{item}/content", "The restored thing itself.")
            .sends(&["application/octet-stream"]),
        get("/deletions", "Requests to delete, by filter.").lists::<DeletionList>(),
        post("/deletions", "Asks for a deletion. It waits for a second person.")
            .takes::<DeletionWish>()
            .gives::<DeletionDetail>(),
        get("/deletions/{id}", "One request with what it names.").gives::<DeletionDetail>(),
        post(
            "/deletions/{id}/approve",
            "Approves, as the second person. Takes the password again, or a code where the account has \
             a second factor, and both while that is younger than seven days or than the request.",
        )
        .takes::<IdentityProof>()
        .gives::<DeletionDetail>()
        .refuses(&[401, 422]),
        post(
            "/deletions/{id}/confirm",
            "Confirms a request that somebody else entered in the name of the caller, so that another \
             administrator can approve it. Takes the password or a code as an approval does.",
        )
        .takes::<IdentityProof>()
        .gives::<DeletionDetail>()
        .refuses(&[401, 422]),
        post("/deletions/{id}/cancel", "Cancels a request, until its cooling-off period is over.")
            .gives::<DeletionDetail>(),
        get("/deletions/{id}/certificate", "What went, when, and on whose word.")
            .gives::<Certificate>()
            .asks("format", one_of(&["json", "text"]), "text for people; json unless told.")
            .refuses(&[409]),
    ]
}
