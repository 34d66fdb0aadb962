//! One call writes what was done to the registry's log and to the program's own.
//!
//! A line that cannot be written stops nobody: the deed is done by then, and the program's own log
//! says both. What the rule of two people reads is written with the deed, both or neither; see
//! [`Note::line`].

use storage::clock::Timestamp;
use storage::registry::{AuditHow, AuditOutcome, Deed, Institution, NewNote, Registry, User};

use crate::rights::{Caller, Person, Proof};

/// A line in the making. Unless told, nobody did it, to nothing in particular, and it was done.
#[must_use]
#[derive(Clone, Debug)]
pub struct Note(NewNote);

impl Note {
    /// A line about this deed.
    pub fn of(deed: Deed) -> Note {
        Note(NewNote {
            user_id: None,
            who: Caller::Stranger.name().into(),
            how: AuditHow::Unproved,
            token_id: None,
            address: String::new(),
            deed,
            about: (String::new(), String::new()),
            about_user_id: None,
            institution_id: None,
            outcome: AuditOutcome::Done,
            detail: String::new(),
        })
    }

    /// Who did it. It is their institution's affair, unless it is about another's.
    pub fn by(self, caller: &Caller) -> Note {
        match caller {
            Caller::House => {
                let who = caller.name().to_owned();
                Note(NewNote { who, how: AuditHow::Command, ..self.0 })
            }
            Caller::Person(person) => self.by_person(person),
            Caller::Stranger => self,
        }
    }

    fn by_person(self, person: &Person) -> Note {
        let (how, token_id) = match person.proof {
            Proof::Session => (AuditHow::Session, None),
            Proof::Password => (AuditHow::Password, None),
            Proof::Token(number, _) => (AuditHow::Token, Some(number)),
        };
        let address = person.address.clone();
        let note = self.by_user(&person.user, how).from(&address);
        Note(NewNote { token_id, ..note.0 })
    }

    /// A user did it, and this is how we know.
    pub fn by_user(self, user: &User, how: AuditHow) -> Note {
        let institution_id = self.0.institution_id.or(Some(user.institution_id));
        let (user_id, who) = (Some(user.id), user.email.clone());
        Note(NewNote { user_id, who, how, institution_id, ..self.0 })
    }

    /// From which address.
    pub fn from(self, address: &str) -> Note {
        Note(NewNote { address: address.into(), ..self.0 })
    }

    /// To a user.
    pub fn to_user(self, user: &User) -> Note {
        self.to("user", &user.email).about_account(user).within(Some(user.institution_id))
    }

    /// It is about the account of this user, whatever it was done to.
    pub fn about_account(self, user: &User) -> Note {
        Note(NewNote { about_user_id: Some(user.id), ..self.0 })
    }

    /// To an institution.
    pub fn to_institution(self, institution: &Institution) -> Note {
        self.to("institution", &institution.identifier).within(Some(institution.id))
    }

    /// To something of this kind and name.
    pub fn to(self, kind: &str, name: &str) -> Note {
        Note(NewNote { about: (kind.into(), name.into()), ..self.0 })
    }

    /// Whose affair it is.
    pub fn within(self, institution_id: Option<i64>) -> Note {
        Note(NewNote { institution_id, ..self.0 })
    }

    /// What else there is to say.
    pub fn saying(self, detail: impl Into<String>) -> Note {
        Note(NewNote { detail: detail.into(), ..self.0 })
    }

    /// It was tried and missed.
    pub fn failed(self, why: &str) -> Note {
        Note(NewNote { outcome: AuditOutcome::Failed, ..self.0 }).saying(why)
    }

    /// It was not allowed.
    pub fn refused(self, why: &str) -> Note {
        Note(NewNote { outcome: AuditOutcome::Refused, ..self.0 }).saying(why)
    }

    /// The line, for the registry to write together with the deed.
    pub fn line(self) -> NewNote {
        self.0
    }

    /// Writes it down.
    pub fn write(self, registry: &Registry, now: Timestamp) {
        self.0.trace();
        if let Err(error) = registry.note(&self.0, now) {
            let (deed, who) = (self.0.deed.word(), &self.0.who);
            tracing::error!(error = %error, deed, who, "a line of the log could not be kept");
        }
    }
}
