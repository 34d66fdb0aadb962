//! Who asks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use storage::registry::{Role, Sight, User};

use super::Right;

/// Who asks for something.
#[derive(Clone, Debug)]
pub enum Caller {
    /// The owner of the data directory: its key, or a command that opened it. No person.
    House,
    /// Somebody with an account.
    Person(Box<Person>),
    /// Nobody we know.
    Stranger,
}

/// Somebody with an account, who proved it.
#[derive(Clone, Debug)]
pub struct Person {
    /// Who.
    pub user: User,
    /// How we know.
    pub proof: Proof,
    /// The address they come from; empty where it is not known.
    pub address: String,
}

/// How we know who somebody is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// The cookie of a session.
    Session,
    /// E-mail and password, which a program sends with every request.
    Password,
    /// A token, by its number, and what it may be used for.
    Token(i64, TokenScope),
}

/// What a token may be used for, within what its owner may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TokenScope {
    /// Reading.
    Read,
    /// Everything that the owner may do, but deletions, users and their own account.
    Write,
    /// Research for the owner: taking work, hearing what it is about, telling results.
    Research,
    /// What `write` may, and deletions and users besides.
    Manage,
}

impl Proof {
    /// Whether this way to come in lets its bearer do what the account may.
    fn lets(self, right: Right) -> bool {
        match self {
            Proof::Session | Proof::Password => true,
            Proof::Token(_, TokenScope::Read | TokenScope::Write | TokenScope::Manage) => {
                right != Right::OwnAccount
            }
            Proof::Token(_, TokenScope::Research) => right == Right::DoResearch,
        }
    }
}

impl Caller {
    /// The person, if it is one.
    pub fn user(&self) -> Option<&User> {
        match self {
            Caller::Person(person) => Some(&person.user),
            Caller::House | Caller::Stranger => None,
        }
    }

    /// Whether this caller may do it, if it is their own.
    pub fn may(&self, right: Right) -> bool {
        match self {
            Caller::House => right.held_by_house(),
            Caller::Person(person) => right.held_by(person.user.role) && person.proof.lets(right),
            Caller::Stranger => false,
        }
    }

    /// Whether this caller may change anything at all: a token for reading does not.
    pub fn may_change(&self) -> bool {
        match self {
            Caller::House => true,
            Caller::Person(person) => !matches!(person.proof, Proof::Token(_, TokenScope::Read)),
            Caller::Stranger => false,
        }
    }

    /// Whether this caller may change users and request or approve deletions, as far as the way they
    /// came in goes: a token has to be made for that.
    pub fn may_manage(&self) -> bool {
        match self {
            Caller::House => true,
            Caller::Person(person) => match person.proof {
                Proof::Session | Proof::Password | Proof::Token(_, TokenScope::Manage) => true,
                Proof::Token(_, TokenScope::Read | TokenScope::Write | TokenScope::Research) => {
                    false
                }
            },
            Caller::Stranger => false,
        }
    }

    /// The number of the token, if the caller bears one that is for research only.
    pub fn research_token(&self) -> Option<i64> {
        match self {
            Caller::Person(person) => match person.proof {
                Proof::Token(number, TokenScope::Research) => Some(number),
                Proof::Token(_, TokenScope::Read | TokenScope::Write | TokenScope::Manage)
                | Proof::Session
                | Proof::Password => None,
            },
            Caller::House | Caller::Stranger => None,
        }
    }

    /// How much this caller sees. A stranger sees what the institution that is none owns.
    pub fn sight(&self) -> Sight {
        match self {
            Caller::House => Sight::All,
            Caller::Stranger => Sight::Own { institution: 0, restricted: false },
            Caller::Person(person) => {
                let institution = person.user.institution_id;
                match person.user.role {
                    Role::Admin => Sight::All,
                    Role::InstitutionalAdmin => Sight::Own { institution, restricted: true },
                    Role::InstitutionalUser => Sight::Own { institution, restricted: false },
                    Role::None => Sight::Own { institution: 0, restricted: false },
                }
            }
        }
    }

    /// Whether this caller may change what an institution owns.
    pub fn acts_for(&self, institution: i64) -> bool {
        match self.sight() {
            Sight::All => true,
            Sight::Own { institution: own, .. } => own == institution,
            Sight::Shared { .. } => false,
        }
    }

    /// Who it was, for records.
    pub fn name(&self) -> &str {
        match self {
            Caller::House => "the command line",
            Caller::Person(person) => &person.user.email,
            Caller::Stranger => "a stranger",
        }
    }
}
