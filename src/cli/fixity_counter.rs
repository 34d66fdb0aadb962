//! The way of `fixity` to the desk, and through the appliance to it.

use std::io::Write;

use super::Failure;
use super::client::escape;
use super::counter::{Counter, copy, read, said};
use crate::desk::{ChecksAsked, ItemDetail, ReplicaDue};
use crate::fixity::Standing;

impl Counter {
    pub(super) fn fixity(&self) -> Result<Standing, Failure> {
        match self {
            Counter::Here(app) => said(app.desk().fixity()),
            Counter::There(client) => read(client.get("/api/v1/fixity", &[])?),
        }
    }

    pub(super) fn fixity_due(&self, limit: u32) -> Result<Vec<ReplicaDue>, Failure> {
        match self {
            Counter::Here(app) => said(app.desk().fixity_due(limit)),
            Counter::There(client) => {
                let pairs = [("limit".to_owned(), limit.to_string())];
                read(client.get("/api/v1/fixity/due", &pairs)?)
            }
        }
    }

    /// Writes the table of the replicas, or that of the copies that are not sound.
    pub(super) fn fixity_csv(&self, unsound: bool, out: &mut dyn Write) -> Result<(), Failure> {
        match (self, unsound) {
            (Counter::Here(app), false) => said(app.desk().fixity_csv(out)),
            (Counter::Here(app), true) => said(app.desk().unsound_csv(out)),
            (Counter::There(client), false) => copy(client, "/api/v1/fixity/report.csv", out),
            (Counter::There(client), true) => copy(client, "/api/v1/fixity/unsound.csv", out),
        }
    }

    pub(super) fn check_object(&self, which: &str) -> Result<ItemDetail, Failure> {
        match self {
            Counter::Here(app) => said(app.desk().check_object(which)),
            Counter::There(client) => {
                read(client.post(&format!("/api/v1/objects/{}/check", escape(which)), "")?)
            }
        }
    }

    pub(super) fn check_all(&self) -> Result<ChecksAsked, Failure> {
        match self {
            Counter::Here(app) => said(app.desk().check_all()),
            Counter::There(client) => read(client.post("/api/v1/fixity/check", "")?),
        }
    }
}
