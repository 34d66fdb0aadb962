//! Ways to deletions. Whoever changes one is a person, with or without a running appliance: the key of
//! the data directory only reads.

use storage::registry::{Counting, User, Uuid};

use super::Failure;
use super::client::Client;
use super::counter::{Counter, read, said, text};
use super::secret::password;
use crate::accounts::{
    AccountError, ConfirmedUser, IdentityProof, confirm_identity, password_caller, pharos_caller,
};
use crate::app::App;
use crate::desk::{DeletionDetail, DeletionList, DeletionWish, Desk, DeskError};
use crate::rights::Caller;

/// Where scripts put a token, in place of a password.
const TOKEN: &str = "STRONGROOM_TOKEN";

/// Somebody who proves who they are.
pub(super) struct Person {
    email: String,
    proof: Proof,
}

enum Proof {
    Password(String),
    Token(String),
}

impl Person {
    /// Takes the token of this user, or asks for their password.
    pub(super) fn ask(email: &str, from_stdin: bool) -> Result<Person, Failure> {
        let proof = match std::env::var(TOKEN) {
            Ok(token) if !token.is_empty() => Proof::Token(token),
            _ => Proof::Password(password(email, from_stdin)?),
        };
        Ok(Person { email: email.to_owned(), proof })
    }

    /// What an approval asks for once more: the code that was given, the password, or both where the
    /// second factor is new. Beside a token and a code, a password is read only where it is piped in.
    pub(super) fn prove_again(
        &self,
        code: Option<String>,
        from_stdin: bool,
    ) -> Result<IdentityProof, Failure> {
        let password = match (&self.proof, &code) {
            (Proof::Password(password), _) => Some(password.clone()),
            (Proof::Token(_), Some(_)) if !from_stdin => None,
            (Proof::Token(_), _) => Some(password(&self.email, from_stdin)?),
        };
        Ok(IdentityProof { password, code })
    }

    /// Does it in the open directory, as the user.
    fn does(
        &self,
        app: &App,
        deed: impl FnOnce(Desk<'_>, &User) -> Result<DeletionDetail, DeskError>,
    ) -> Result<DeletionDetail, Failure> {
        let (registry, now) = (&app.registry, app.shop.clock.now());
        let known = match &self.proof {
            Proof::Password(password) => {
                password_caller(registry, (&self.email, password), "", now)
            }
            Proof::Token(token) => pharos_caller(registry, (&self.email, token), "", now)
                .and_then(|known| known.ok_or(AccountError::NotKnown)),
        };
        said(known.map_err(DeskError::from).and_then(|known| {
            let user = known.user.clone();
            let caller = Caller::Person(Box::new(known));
            deed(app.desk_for(&caller), &user)
        }))
    }

    /// The same through the running appliance.
    fn client(&self, client: &Client) -> Client {
        match &self.proof {
            Proof::Password(password) => client.as_person(&self.email, password),
            Proof::Token(token) => client.bearing(token),
        }
    }
}

impl Counter {
    pub(super) fn deletions(&self, pairs: &[(String, String)]) -> Result<DeletionList, Failure> {
        match self {
            Counter::Here(app) => said(app.desk().deletions(pairs, Counting::Exact)),
            Counter::There(client) => read(client.get("/api/v1/deletions", pairs)?),
        }
    }

    pub(super) fn deletion(&self, id: i64) -> Result<DeletionDetail, Failure> {
        match self {
            Counter::Here(app) => said(app.desk().deletion(id)),
            Counter::There(client) => read(client.get(&format!("/api/v1/deletions/{id}"), &[])?),
        }
    }

    pub(super) fn request_deletion(
        &self,
        wish: &DeletionWish,
        person: &Person,
    ) -> Result<DeletionDetail, Failure> {
        match self {
            Counter::Here(app) => {
                person.does(app, |desk, user| desk.request_deletion(user.id, wish))
            }
            Counter::There(client) => {
                let client = person.client(client);
                read(client.post("/api/v1/deletions", &serde_json::to_string(wish)?)?)
            }
        }
    }

    /// Approves a request, by somebody who proves once more who they are.
    pub(super) fn approve_deletion(
        &self,
        id: i64,
        person: &Person,
        proof: &IdentityProof,
    ) -> Result<DeletionDetail, Failure> {
        match self {
            Counter::Here(app) => person.does(app, |desk, user| {
                desk.approve_deletion(id, proved(app, (desk, user), id, proof)?)
            }),
            Counter::There(client) => {
                let client = person.client(client);
                let body = serde_json::to_string(proof)?;
                read(client.post(&format!("/api/v1/deletions/{id}/approve"), &body)?)
            }
        }
    }

    /// Confirms a request that was entered in somebody's name, who proves once more who they are.
    pub(super) fn confirm_deletion(
        &self,
        id: i64,
        person: &Person,
        proof: &IdentityProof,
    ) -> Result<DeletionDetail, Failure> {
        match self {
            Counter::Here(app) => person.does(app, |desk, user| {
                desk.confirm_deletion(id, proved(app, (desk, user), id, proof)?)
            }),
            Counter::There(client) => {
                let client = person.client(client);
                let body = serde_json::to_string(proof)?;
                read(client.post(&format!("/api/v1/deletions/{id}/confirm"), &body)?)
            }
        }
    }

    /// Cancels a request.
    pub(super) fn cancel_deletion(
        &self,
        id: i64,
        person: &Person,
    ) -> Result<DeletionDetail, Failure> {
        match self {
            Counter::Here(app) => person.does(app, |desk, user| desk.cancel_deletion(id, user.id)),
            Counter::There(client) => {
                let client = person.client(client);
                read(client.post(&format!("/api/v1/deletions/{id}/cancel"), "")?)
            }
        }
    }

    /// The certificate of a completed request, as text or JSON.
    pub(super) fn certificate(&self, id: i64, as_json: bool) -> Result<String, Failure> {
        match self {
            Counter::Here(app) => {
                let certificate = said(app.desk().deletion_certificate(id))?;
                Ok(match as_json {
                    true => serde_json::to_string_pretty(&certificate)?,
                    false => certificate.text(),
                })
            }
            Counter::There(client) => {
                let format = if as_json { "json" } else { "text" };
                let pairs = [("format".to_owned(), format.to_owned())];
                text(client.get(&format!("/api/v1/deletions/{id}/certificate"), &pairs)?)
            }
        }
    }
}

/// A user whose proof was held against the account, for what is done about a request.
fn proved(
    app: &App,
    (desk, user): (Desk<'_>, &User),
    id: i64,
    proof: &IdentityProof,
) -> Result<ConfirmedUser, DeskError> {
    let requested_at = desk.deletion(id)?.deletion.requested_at;
    let when = (requested_at, app.shop.clock.now());
    Ok(confirm_identity(&app.registry, user, (proof, ""), when)?)
}

/// Sorts names as they are typed: a UUID and what has a path behind its object is a file.
pub(super) fn wish(names: Vec<String>, reason: String) -> DeletionWish {
    let is_file = |name: &String| Uuid::parse(name).is_some() || name.matches('/').count() > 1;
    let (files, objects) = names.into_iter().partition(is_file);
    DeletionWish { objects, files, reason }
}

#[cfg(test)]
mod tests {
    use super::wish;

    #[test]
    fn a_name_tells_what_it_is() {
        let names = [
            "12",
            "archive.local/letters",
            "archive.local/letters/data/a.txt",
            "0f8fad5b-d9cb-469f-a165-70867728950e",
        ]
        .map(str::to_owned);
        let wish = wish(names.to_vec(), "why".into());
        assert_eq!((wish.objects.as_slice(), wish.files.as_slice()), (&names[..2], &names[2..]));
    }
}
