//! Ways to people and institutions: through the running appliance, or in its directory.

use super::Failure;
use super::client::escape;
use super::counter::{Counter, read, said};
use crate::desk::{InstitutionDetail, InstitutionWish, Invitation, UserDetail, UserList, UserWish};

const BY: &str = "the command line";

impl Counter {
    pub(super) fn users(&self, pairs: &[(String, String)]) -> Result<UserList, Failure> {
        match self {
            Counter::Here(app) => said(app.desk().users(pairs)),
            Counter::There(client) => read(client.get("/api/v1/users", pairs)?),
        }
    }

    pub(super) fn user(&self, which: &str) -> Result<UserDetail, Failure> {
        match self {
            Counter::Here(app) => said(app.desk().user(which)),
            Counter::There(client) => {
                read(client.get(&format!("/api/v1/users/{}", escape(which)), &[])?)
            }
        }
    }

    pub(super) fn add_user(&self, wish: &UserWish) -> Result<Invitation, Failure> {
        match self {
            Counter::Here(app) => said(app.desk().add_user(wish, BY)),
            Counter::There(client) => {
                read(client.post("/api/v1/users", &serde_json::to_string(wish)?)?)
            }
        }
    }

    pub(super) fn reset_user(&self, which: &str) -> Result<Invitation, Failure> {
        match self {
            Counter::Here(app) => said(app.desk().reset_user(which)),
            Counter::There(client) => {
                read(client.post(&format!("/api/v1/users/{}/reset", escape(which)), "")?)
            }
        }
    }

    pub(super) fn admit_user(&self, which: &str, is_active: bool) -> Result<UserDetail, Failure> {
        match self {
            Counter::Here(app) => said(app.desk().admit_user(which, is_active, BY)),
            Counter::There(client) => {
                let deed = if is_active { "reactivate" } else { "deactivate" };
                read(client.post(&format!("/api/v1/users/{}/{deed}", escape(which)), "")?)
            }
        }
    }

    pub(super) fn institution(&self, which: &str) -> Result<InstitutionDetail, Failure> {
        match self {
            Counter::Here(app) => said(app.desk().institution(which)),
            Counter::There(client) => {
                read(client.get(&format!("/api/v1/institutions/{}", escape(which)), &[])?)
            }
        }
    }

    pub(super) fn add_institution(
        &self,
        wish: &InstitutionWish,
    ) -> Result<InstitutionDetail, Failure> {
        match self {
            Counter::Here(app) => said(app.desk().add_institution(wish, BY)),
            Counter::There(client) => {
                read(client.post("/api/v1/institutions", &serde_json::to_string(wish)?)?)
            }
        }
    }

    pub(super) fn deactivate_institution(&self, which: &str) -> Result<InstitutionDetail, Failure> {
        match self {
            Counter::Here(app) => said(app.desk().deactivate_institution(which, BY)),
            Counter::There(client) => {
                let path = format!("/api/v1/institutions/{}/deactivate", escape(which));
                read(client.post(&path, "")?)
            }
        }
    }

    /// What browsers call the appliance, now or when it runs.
    pub(super) fn origin(&self) -> String {
        match self {
            Counter::Here(app) => app.config.http.origin(app.config.http.listen),
            Counter::There(client) => client.origin().to_owned(),
        }
    }
}
