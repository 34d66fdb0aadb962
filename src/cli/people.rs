//! Ways to people and institutions: through the running appliance, or in its directory.

use storage::registry::TokenRow;

use super::Failure;
use super::client::escape;
use super::counter::{Counter, read, said};
use crate::desk::{
    InstitutionDetail, InstitutionEdit, InstitutionWish, Invitation, MadeToken, NewTokenWish,
    TokenList, UserDetail, UserEdit, UserList, UserWish,
};

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
            Counter::Here(app) => said(app.desk().add_user(wish)),
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
            Counter::Here(app) => said(app.desk().admit_user(which, is_active)),
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
            Counter::Here(app) => said(app.desk().add_institution(wish)),
            Counter::There(client) => {
                read(client.post("/api/v1/institutions", &serde_json::to_string(wish)?)?)
            }
        }
    }

    pub(super) fn admit_institution(
        &self,
        which: &str,
        is_active: bool,
    ) -> Result<InstitutionDetail, Failure> {
        match self {
            Counter::Here(app) => said(app.desk().admit_institution(which, is_active)),
            Counter::There(client) => {
                let deed = if is_active { "reactivate" } else { "deactivate" };
                let path = format!("/api/v1/institutions/{}/{deed}", escape(which));
                read(client.post(&path, "")?)
            }
        }
    }

    pub(super) fn edit_institution(
        &self,
        which: &str,
        edit: &InstitutionEdit,
    ) -> Result<InstitutionDetail, Failure> {
        match self {
            Counter::Here(app) => said(app.desk().edit_institution(which, edit)),
            Counter::There(client) => {
                let path = format!("/api/v1/institutions/{}", escape(which));
                read(client.patch(&path, &serde_json::to_string(edit)?)?)
            }
        }
    }

    pub(super) fn edit_user(&self, which: &str, edit: &UserEdit) -> Result<UserDetail, Failure> {
        match self {
            Counter::Here(app) => said(app.desk().edit_user(which, edit)),
            Counter::There(client) => {
                let path = format!("/api/v1/users/{}", escape(which));
                read(client.patch(&path, &serde_json::to_string(edit)?)?)
            }
        }
    }

    pub(super) fn reset_factor(&self, which: &str) -> Result<UserDetail, Failure> {
        match self {
            Counter::Here(app) => said(app.desk().reset_factor(which)),
            Counter::There(client) => {
                read(client.post(&format!("/api/v1/users/{}/reset-factor", escape(which)), "")?)
            }
        }
    }

    pub(super) fn tokens(
        &self,
        of: &str,
        pairs: &[(String, String)],
    ) -> Result<TokenList, Failure> {
        match self {
            Counter::Here(app) => said(app.desk().tokens(Some(of), pairs)),
            Counter::There(client) => {
                read(client.get(&format!("/api/v1/users/{}/tokens", escape(of)), pairs)?)
            }
        }
    }

    pub(super) fn make_token(&self, of: &str, wish: &NewTokenWish) -> Result<MadeToken, Failure> {
        match self {
            Counter::Here(app) => said(app.desk().make_token(Some(of), wish)),
            Counter::There(client) => {
                let path = format!("/api/v1/users/{}/tokens", escape(of));
                read(client.post(&path, &serde_json::to_string(wish)?)?)
            }
        }
    }

    pub(super) fn revoke_token(&self, number: i64) -> Result<TokenRow, Failure> {
        match self {
            Counter::Here(app) => said(app.desk().revoke_token(number)),
            Counter::There(client) => {
                read(client.post(&format!("/api/v1/tokens/{number}/revoke"), "")?)
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
