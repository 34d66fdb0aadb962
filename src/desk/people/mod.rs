//! People and institutions, for whoever looks after them: the house and its administrators after
//! all, an institution's administrators after their own. What somebody does about their own account
//! stands in `keys`.

mod audit;
mod institutions;
mod keys;
mod letters;
mod own_email;
mod users;

use storage::registry::{Deed, Institution, NewNote, Role, User};

pub use audit::AuditList;
pub use institutions::{InstitutionDetail, InstitutionEdit, InstitutionWish};
pub use keys::{MadeToken, NewTokenWish, OwnSession, SessionList, TokenList};
pub use own_email::PendingEmail;
pub use users::{Invitation, UserDetail, UserEdit, UserList, UserWish};

use super::{Desk, DeskError};
use crate::accounts::{AccountError, Note};
use crate::rights::{Caller, Person, Proof, Right, Sight};

impl Desk<'_> {
    /// The user with this e-mail or number, if they are the caller's to know.
    fn find_user(&self, which: &str) -> Result<User, DeskError> {
        let registry = &self.app.registry;
        let found = match which.parse() {
            Ok(number) => registry.user(number)?,
            Err(_) => registry.user_by_email(which)?,
        };
        let seen = found.filter(|user| self.owns(Some(user.institution_id)));
        seen.ok_or_else(|| no_such("user", which))
    }

    /// The same, if the caller may look after them. Nobody looks after an administrator but the
    /// house and its administrators, wherever they belong.
    fn find_kept_user(&self, which: &str) -> Result<User, DeskError> {
        let user = self.find_user(which)?;
        if user.role == Role::Admin {
            self.require_all(&user.email)?;
        }
        // A token does all that its owner may, but not to their account: it would become the owner.
        if let Caller::Person(person) = self.caller
            && person.user.id == user.id
            && matches!(person.proof, Proof::Token(..))
        {
            let what = format!("{} by a token", user.email);
            return Err(DeskError::NotAllowed { right: Right::KeepUsers, what });
        }
        Ok(user)
    }

    /// Refuses a token that was not made for changing users and for deletions.
    pub(crate) fn require_managing(&self, right: Right) -> Result<(), DeskError> {
        if self.caller.may_manage() {
            return Ok(());
        }
        self.note(Note::of(Deed::Enter).refused("a token that was not made for it"));
        Err(DeskError::TokenScope(right))
    }

    /// Refuses who does not see everything.
    fn require_all(&self, what: &str) -> Result<(), DeskError> {
        if self.sight() == Sight::All {
            return Ok(());
        }
        let right = Right::KeepUsers;
        self.note(Note::of(Deed::Enter).to("user", what).refused(right.deed()));
        Err(DeskError::NotAllowed { right, what: what.to_owned() })
    }

    /// The institution with this identifier or number, if it is the caller's to know.
    fn find_institution(&self, which: &str) -> Result<Institution, DeskError> {
        let registry = &self.app.registry;
        let found = match which.parse() {
            Ok(number) => registry.institution(number)?,
            Err(_) => registry.institution_by_identifier(which)?,
        };
        match found.filter(|it| self.owns(Some(it.id))) {
            Some(found) => Ok(found),
            // The configured one is made when it is first needed, as by the first deposit.
            None if self.sight() == Sight::All && which == self.app.config.ingest.institution => {
                let house = self.house()?;
                (house.identifier == which).then_some(house).ok_or_else(|| no_such(KIND, which))
            }
            None => Err(no_such(KIND, which)),
        }
    }

    /// Where those who look after the appliance belong.
    fn house(&self) -> Result<Institution, DeskError> {
        let unmade = |_| AccountError::Refused("no institution could be made".into());
        let active = crate::ingest::institutions(self.app).map_err(unmade)?;
        let own = &self.app.config.ingest.institution;
        let at = active.iter().position(|it| it.identifier == *own).unwrap_or(0);
        let shut_out = || AccountError::Refused("every institution is shut out".into());
        Ok(active.into_iter().nth(at).ok_or_else(shut_out)?)
    }

    /// The person at the desk; a key is none.
    fn person(&self) -> Result<&Person, DeskError> {
        match self.caller {
            Caller::Person(person) => Ok(person),
            Caller::House | Caller::Stranger => Err(DeskError::NotAllowed {
                right: Right::OwnAccount,
                what: "the account of a person".into(),
            }),
        }
    }

    /// A line of this caller, for the registry to write together with the deed.
    fn line(&self, note: Note) -> NewNote {
        note.by(self.caller).line()
    }

    /// Writes a line of this caller into the log.
    pub(in crate::desk) fn note(&self, note: Note) {
        note.by(self.caller).write(&self.app.registry, self.app.shop.clock.now());
    }
}

const KIND: &str = "institution";

fn no_such(kind: &'static str, name: &str) -> DeskError {
    AccountError::NoSuch { kind, name: name.chars().take(200).collect() }.into()
}
