//! People and institutions, for whoever looks after the appliance. A link that sets a password is
//! told once, to who asked for it.

use serde::{Deserialize, Serialize};
use storage::registry::{
    Counting, Error, Institution, InstitutionKind, NewInstitution, NewUser, Query, Role, USERS,
    User, moment,
};

use super::{Desk, DeskError};
use crate::accounts::{AccountError, NewAdmin, make_link};
use crate::rights::{Right, Sight};

/// A page of users.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct UserList {
    /// How many there are.
    pub count: u64,
    /// The users.
    pub users: Vec<User>,
}

/// One user, and what stands between them and the door.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct UserDetail {
    /// The user.
    pub user: User,
    /// The institution's identifier.
    pub institution: String,
    /// Whether they could sign in: not shut out, alone or with the institution.
    pub is_active: bool,
    /// Whether they have set a password.
    pub has_password: bool,
    /// Until when no password is looked at, after too many wrong ones.
    #[serde(with = "moment::option")]
    pub locked_until: Option<storage::clock::Timestamp>,
}

/// A link that sets a password, told once.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Invitation {
    /// For whom.
    pub user: User,
    /// Its path at the appliance.
    pub path: String,
    /// Until when it works.
    #[serde(with = "moment")]
    pub expires_at: storage::clock::Timestamp,
}

/// What it takes to add a user.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UserWish {
    /// The name.
    pub name: String,
    /// The e-mail.
    pub email: String,
    /// What they may do.
    pub role: Role,
    /// Where they belong, by identifier or number.
    pub institution: String,
}

/// What it takes to add an institution.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InstitutionWish {
    /// The name.
    pub name: String,
    /// The DNS name that begins the identifiers of what it owns.
    pub identifier: String,
    /// The member that it is an account of, by identifier or number; none for a member.
    #[serde(default)]
    pub member: Option<String>,
}

/// One institution.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct InstitutionDetail {
    /// The institution.
    pub institution: Institution,
    /// Its users who are not shut out.
    pub user_count: u64,
}

impl Desk<'_> {
    /// Users by filter.
    pub fn users(&self, pairs: &[(String, String)]) -> Result<UserList, DeskError> {
        let query = Query::parse(&USERS, pairs)?.counting(Counting::Exact).seen_by(self.sight());
        let page = self.app.registry.list_users(&query)?;
        let count = page.count.map_or(page.rows.len() as u64, |count| count.value);
        Ok(UserList { count, users: page.rows })
    }

    /// One user, by e-mail or number.
    pub fn user(&self, which: &str) -> Result<UserDetail, DeskError> {
        let registry = &self.app.registry;
        let user = self.find_user(which)?;
        let credential = registry.credential(user.id)?;
        let institution = registry.institution(user.institution_id)?;
        let now = self.app.shop.clock.now();
        Ok(UserDetail {
            institution: institution.map(|it| it.identifier).unwrap_or_default(),
            is_active: registry.active_user(user.id)?.is_some(),
            has_password: credential.is_some(),
            locked_until: credential.and_then(|it| it.locked_until).filter(|end| now < *end),
            user,
        })
    }

    /// Adds a user, and makes the link by which they set their password.
    pub fn add_user(&self, wish: &UserWish, by: &str) -> Result<Invitation, DeskError> {
        let institution = self.find_institution(&wish.institution)?;
        self.require_rank(wish.role)?;
        let new = NewUser {
            name: wish.name.trim().to_owned(),
            email: wish.email.trim().to_owned(),
            phone_number: None,
            institution_id: institution.id,
            role: wish.role,
        };
        let user = match self.app.registry.create_user(&new, self.app.shop.clock.now()) {
            Ok(user) => user,
            Err(Error::Conflict(_)) => return Err(AccountError::Taken(new.email).into()),
            Err(error) => return Err(AccountError::from(error).into()),
        };
        let role = user.role.name();
        tracing::info!(target: "audit", user = user.email, role, by, "a user was added");
        self.invitation(user)
    }

    /// Makes a new link by which a user sets a password.
    pub fn reset_user(&self, which: &str) -> Result<Invitation, DeskError> {
        self.invitation(self.find_subject(which)?)
    }

    fn invitation(&self, user: User) -> Result<Invitation, DeskError> {
        let now = self.app.shop.clock.now();
        let (secret, expires_at) = make_link(&self.app.registry, &user, now)?;
        Ok(Invitation { user, path: format!("/password?token={}", secret.text()), expires_at })
    }

    /// Shuts a user out, or lets one in again.
    pub fn admit_user(
        &self,
        which: &str,
        is_active: bool,
        by: &str,
    ) -> Result<UserDetail, DeskError> {
        let (registry, now) = (&self.app.registry, self.app.shop.clock.now());
        let user = self.find_subject(which)?;
        let (changed, deed) = match is_active {
            true => (registry.reactivate_user(user.id, now), "a user was let in again"),
            false => (registry.deactivate_user(user.id, now), "a user was shut out"),
        };
        changed.map_err(AccountError::from)?;
        tracing::info!(target: "audit", user = user.email, by, "{deed}");
        self.user(which)
    }

    /// One institution, by identifier or number.
    pub fn institution(&self, which: &str) -> Result<InstitutionDetail, DeskError> {
        let institution = self.find_institution(which)?;
        let pairs = [
            ("institution_id".to_owned(), institution.id.to_string()),
            ("deactivated_at__is_null".to_owned(), "true".to_owned()),
        ];
        Ok(InstitutionDetail { user_count: self.users(&pairs)?.count, institution })
    }

    /// Adds an institution; its areas are named after it.
    pub fn add_institution(
        &self,
        wish: &InstitutionWish,
        by: &str,
    ) -> Result<InstitutionDetail, DeskError> {
        let member = wish.member.as_deref().map(|it| self.find_institution(it)).transpose()?;
        let identifier = wish.identifier.trim().to_owned();
        let new = NewInstitution {
            name: wish.name.trim().to_owned(),
            kind: match member {
                Some(_) => InstitutionKind::Subscription,
                None => InstitutionKind::Member,
            },
            member_institution_id: member.map(|it| it.id),
            receiving_bucket: format!("receiving/{identifier}"),
            restore_bucket: format!("restore/{identifier}"),
            identifier,
        };
        match self.app.registry.create_institution(&new, self.app.shop.clock.now()) {
            Ok(made) => {
                let institution = made.identifier.as_str();
                tracing::info!(target: "audit", institution, by, "an institution was added");
                self.institution(institution)
            }
            Err(Error::Conflict(_)) => Err(AccountError::Taken(new.identifier).into()),
            Err(error) => Err(AccountError::from(error).into()),
        }
    }

    /// Shuts an institution out, with its users. What it holds stays.
    pub fn deactivate_institution(
        &self,
        which: &str,
        by: &str,
    ) -> Result<InstitutionDetail, DeskError> {
        let found = self.find_institution(which)?;
        let done = self.app.registry.deactivate_institution(found.id, self.app.shop.clock.now());
        done.map_err(AccountError::from)?;
        let institution = found.identifier;
        tracing::info!(target: "audit", institution, by, "an institution was shut out");
        self.institution(&institution)
    }

    /// Makes the first administrator, in the configured institution, or in the first one there is.
    pub fn welcome(&self, secret: &str, admin: NewAdmin) -> Result<User, DeskError> {
        let (registry, now) = (&self.app.registry, self.app.shop.clock.now());
        if !self.app.welcome.knows(registry, secret)? {
            return Err(AccountError::DeadLink.into());
        }
        let house = self.house()?;
        Ok(self.app.welcome.accept(registry, (secret, house.id), admin, now)?)
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

    fn find_user(&self, which: &str) -> Result<User, DeskError> {
        let registry = &self.app.registry;
        let found = match which.parse() {
            Ok(number) => registry.user(number)?,
            Err(_) => registry.user_by_email(which)?,
        };
        let own = found.filter(|user| self.owns(Some(user.institution_id)));
        own.ok_or_else(|| no_such("user", which))
    }

    /// A user whom this caller may change: nobody changes those who may do more.
    fn find_subject(&self, which: &str) -> Result<User, DeskError> {
        let user = self.find_user(which)?;
        self.require_rank(user.role)?;
        Ok(user)
    }

    /// Refuses those who look after one institution to make or change an administrator of all.
    fn require_rank(&self, role: Role) -> Result<(), DeskError> {
        if role != Role::Admin || self.sight() == Sight::All {
            return Ok(());
        }
        let what = "an administrator of the appliance".to_owned();
        Err(DeskError::NotAllowed { right: Right::KeepUsers, what })
    }

    fn find_institution(&self, which: &str) -> Result<Institution, DeskError> {
        let registry = &self.app.registry;
        let found = match which.parse() {
            Ok(number) => registry.institution(number)?,
            Err(_) => registry.institution_by_identifier(which)?,
        };
        match found {
            Some(found) if self.owns(Some(found.id)) => Ok(found),
            Some(_) => Err(no_such(KIND, which)),
            // The configured one is made when it is first needed, as by the first deposit.
            None if which == self.app.config.ingest.institution => self
                .house()
                .and_then(|it| (it.identifier == which).then_some(it).ok_or(no_such(KIND, which))),
            None => Err(no_such(KIND, which)),
        }
    }
}

const KIND: &str = "institution";

fn no_such(kind: &'static str, name: &str) -> DeskError {
    AccountError::NoSuch { kind, name: name.chars().take(200).collect() }.into()
}
