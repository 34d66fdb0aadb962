//! People, institutions, what they prove themselves with, what they did and what they are told.

use serde_json::json;
use storage::registry::TokenRow;

use crate::desk::{
    AlertDetail, AlertList, AuditList, InstitutionDetail, InstitutionEdit, InstitutionList,
    InstitutionWish, Invitation, MadeToken, Marked, NewTokenWish, SessionList, TokenList,
    UserDetail, UserEdit, UserList, UserWish,
};
use crate::http::alerts::ReadingWish;
use crate::http::contract::operation::{Operation, get, one_of, patch, post};

pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("/alerts", "Alerts by filter.")
            .lists::<AlertList>()
            .asks("unread", one_of(&["true"]), "Those that the reader has not read.")
            .asks(
                "as",
                json!({"type": "string"}),
                "The e-mail of the reader; only the key of the data directory may say.",
            )
            .refuses(&[404]),
        get("/alerts/{id}", "One alert with what was sent about it.").gives::<AlertDetail>(),
        post("/alerts/read", "Marks alerts as read or unread: one of read, unread and all.")
            .takes::<ReadingWish>()
            .gives::<Marked>(),
        get("/users", "Users by filter.").lists::<UserList>(),
        post("/users", "Adds a user; gives the link that sets the password, once.")
            .takes::<UserWish>()
            .gives::<Invitation>(),
        get("/users/{which}", "One user, by number or e-mail.").gives::<UserDetail>(),
        patch("/users/{which}", "Changes a user; what is absent stays.")
            .takes::<UserEdit>()
            .gives::<UserDetail>(),
        post("/users/{which}/reset", "Makes a new link that sets a password, once.")
            .gives::<Invitation>(),
        post("/users/{which}/reset-factor", "Takes away a second factor that was lost.")
            .gives::<UserDetail>(),
        get("/users/{which}/tokens", "The tokens of a user, by filter.").lists::<TokenList>(),
        post("/users/{which}/tokens", "Makes a token of a user, with the key of the house only.")
            .takes::<NewTokenWish>()
            .gives::<MadeToken>(),
        post("/users/{which}/deactivate", "Shuts a user out.").gives::<UserDetail>(),
        post("/users/{which}/reactivate", "Lets a user in again.").gives::<UserDetail>(),
        get("/institutions", "Institutions by filter.").lists::<InstitutionList>(),
        post("/institutions", "Adds an institution.")
            .takes::<InstitutionWish>()
            .gives::<InstitutionDetail>(),
        get("/institutions/{which}", "One institution, by number or identifier.")
            .gives::<InstitutionDetail>(),
        patch("/institutions/{which}", "Changes an institution; what is absent stays.")
            .takes::<InstitutionEdit>()
            .gives::<InstitutionDetail>(),
        post("/institutions/{which}/deactivate", "Shuts an institution out, with its users.")
            .gives::<InstitutionDetail>(),
        post("/institutions/{which}/reactivate", "Lets an institution in again.")
            .gives::<InstitutionDetail>(),
        get("/tokens", "The caller's own tokens, by filter.").lists::<TokenList>(),
        post("/tokens", "Makes a token of the caller; its text is told once.")
            .takes::<NewTokenWish>()
            .gives::<MadeToken>(),
        post("/tokens/{id}/revoke", "Revokes a token.").gives::<TokenRow>(),
        get("/sessions", "Where the caller is signed in.").gives::<SessionList>(),
        post("/sessions/{id}/end", "Ends one of them.").gives::<SessionList>(),
        get("/audit", "Who did what, by filter, the newest first.").lists::<AuditList>(),
        get("/audit.csv", "The same in full, as a table.").tables::<AuditList>(),
    ]
}
