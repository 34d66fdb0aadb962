//! Users. A link that sets a password is told once, to who asked for it, or mailed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use storage::clock::Timestamp;
use storage::registry::moment::{MaybeMoment, Moment};
use storage::registry::{
    Counting, Deed, Error, Institution, NewUser, Query, Role, USERS, User, UserChange,
};

use super::letters::{Occasion, path};
use crate::accounts::{self, AccountError, NewAdmin, Note, make_link};
use crate::desk::{Desk, DeskError};
use crate::rights::{Caller, Right};

/// A page of users.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct UserList {
    /// How many there are.
    pub count: u64,
    /// False when there are more than were counted.
    #[serde(default)]
    pub count_is_exact: bool,
    /// Continues behind this page.
    #[serde(default)]
    pub next_cursor: Option<String>,
    /// The users.
    pub users: Vec<User>,
}

/// One user, and what stands between them and the door.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct UserDetail {
    /// The user.
    pub user: User,
    /// The institution's identifier.
    pub institution: String,
    /// Whether they could sign in: not shut out, alone or with the institution.
    pub is_active: bool,
    /// Whether they have set a password.
    pub has_password: bool,
    /// Until when no password is looked at from some browser or address, after too many wrong ones
    /// from there; the latest of several.
    #[serde(with = "MaybeMoment")]
    pub locked_until: Option<Timestamp>,
    /// Whether they have a second factor.
    #[serde(default)]
    pub has_second_factor: bool,
    /// Whether they must have one and have none yet.
    #[serde(default)]
    pub owes_second_factor: bool,
    /// Since when they wait for a link, having forgotten the password.
    #[serde(with = "MaybeMoment", default)]
    pub waits_for_link_since: Option<Timestamp>,
    /// The role from before the registry was rebuilt, until it is confirmed at the console.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unconfirmed_role: Option<Role>,
}

/// A link that sets a password.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Invitation {
    /// For whom.
    pub user: User,
    /// Its path at the appliance, told once; none when it was mailed to them instead.
    pub path: Option<String>,
    /// Whether it was mailed to them.
    pub mailed: bool,
    /// Until when it works.
    #[serde(with = "Moment")]
    pub expires_at: Timestamp,
}

/// What it takes to add a user.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UserWish {
    /// The name.
    #[schemars(example = "Cleo Reader")]
    pub name: String,
    /// The e-mail.
    #[schemars(example = "cleo@archive.example")]
    pub email: String,
    /// `+` and 11 digits.
    #[serde(default)]
    pub phone_number: Option<String>,
    /// What they may do.
    #[schemars(example = Role::InstitutionalUser)]
    pub role: Role,
    /// Where they belong, by identifier or number.
    #[schemars(example = "1")]
    pub institution: String,
}

/// What is to be changed of a user; what is absent stays.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct UserEdit {
    /// The name.
    pub name: Option<String>,
    /// The e-mail.
    pub email: Option<String>,
    /// `+` and 11 digits; empty for none.
    pub phone_number: Option<String>,
    /// What they may do.
    pub role: Option<Role>,
}

impl Desk<'_> {
    /// Users by filter.
    pub fn users(&self, pairs: &[(String, String)]) -> Result<UserList, DeskError> {
        let query = Query::parse(&USERS, pairs)?.counting(Counting::Exact).seen_by(self.sight());
        let page = self.app.registry.list_users(&query)?;
        let shown = page.rows.len() as u64;
        let (count, count_is_exact) = page.count.map_or((shown, false), |it| (it.value, it.exact));
        Ok(UserList { count, count_is_exact, next_cursor: page.next_cursor, users: page.rows })
    }

    /// One user, by e-mail or number.
    pub fn user(&self, which: &str) -> Result<UserDetail, DeskError> {
        let registry = &self.app.registry;
        let user = self.find_user(which)?;
        let credential = registry.credential(user.id)?;
        let institution = registry.institution(user.institution_id)?;
        let now = self.app.shop.clock.now();
        let of_admins = self.app.config.accounts.require_second_factor;
        Ok(UserDetail {
            unconfirmed_role: registry.unconfirmed_role(user.id)?,
            institution: institution.map(|it| it.identifier).unwrap_or_default(),
            is_active: registry.active_user(user.id)?.is_some(),
            has_password: credential.is_some(),
            locked_until: registry.locked_until(user.id)?.filter(|end| now < *end),
            has_second_factor: accounts::has_factor(registry, &user)?,
            owes_second_factor: accounts::owes_factor(registry, &user, of_admins)?,
            waits_for_link_since: registry.password_wish(user.id)?,
            user,
        })
    }

    /// Users who have forgotten their password and wait for a link, the first hundred.
    pub fn users_waiting(&self) -> Result<Vec<User>, DeskError> {
        let registry = &self.app.registry;
        let mut waiting = Vec::new();
        for number in registry.password_wishes(100)? {
            let user = registry.user(number)?;
            waiting.extend(user.filter(|user| self.owns(Some(user.institution_id))));
        }
        Ok(waiting)
    }

    /// Adds a user, and makes the link by which they set their password.
    pub fn add_user(&self, wish: &UserWish) -> Result<Invitation, DeskError> {
        self.require_managing(Right::KeepUsers)?;
        let institution = self.find_institution(&wish.institution)?;
        self.require_role(wish.role, &institution)?;
        let new = NewUser {
            name: wish.name.trim().to_owned(),
            email: wish.email.trim().to_owned(),
            phone_number: wish.phone_number.as_deref().and_then(phone),
            institution_id: institution.id,
            role: wish.role,
        };
        let note = |user: &User| {
            Some(self.line(Note::of(Deed::AddUser).to_user(user).saying(user.role.name())))
        };
        let user = match self.app.registry.create_user(&new, note, self.app.shop.clock.now()) {
            Ok(user) => user,
            Err(Error::Conflict(_)) => return Err(AccountError::Taken(new.email).into()),
            Err(error) => return Err(AccountError::from(error).into()),
        };
        self.invitation(user, Occasion::Welcome)
    }

    /// Changes a user.
    pub fn edit_user(&self, which: &str, edit: &UserEdit) -> Result<UserDetail, DeskError> {
        self.require_managing(Right::KeepUsers)?;
        let before = self.find_kept_user(which)?;
        if let Some(role) = edit.role.filter(|role| *role != before.role) {
            let institution = self.find_institution(&before.institution_id.to_string())?;
            self.require_role(role, &institution)?;
        }
        let own = self.caller.user().is_some_and(|user| user.id == before.id);
        let other_email = edit.email.as_deref().map(str::trim) != Some(before.email.as_str());
        match edit.email.as_deref().filter(|_| own && other_email) {
            // Asked for first: what is refused leaves everything as it was.
            Some(email) => {
                self.ask_own_email(email)?;
                self.change_user(&before, &UserEdit { email: None, ..edit.clone() })
            }
            None => self.change_user(&before, edit),
        }
    }

    /// Somebody changes what is said of themselves: the name and the phone number.
    pub fn edit_own(&self, name: &str, phone_number: &str) -> Result<UserDetail, DeskError> {
        let user = self.person()?.user.clone();
        let edit = UserEdit {
            name: Some(name.to_owned()),
            phone_number: Some(phone_number.to_owned()),
            ..UserEdit::default()
        };
        self.change_user(&user, &edit)
    }

    fn change_user(&self, before: &User, edit: &UserEdit) -> Result<UserDetail, DeskError> {
        let change = UserChange {
            name: edit.name.as_deref().map(|name| name.trim().to_owned()),
            email: edit.email.as_deref().map(|email| email.trim().to_owned()),
            phone_number: edit.phone_number.as_deref().map(phone),
            role: edit.role,
        };
        let note = |(before, after): &(User, User)| {
            let said = differences(before, after);
            Some(self.line(Note::of(Deed::ChangeUser).to_user(after).saying(said)))
        };
        let now = self.app.shop.clock.now();
        let changed = self.app.registry.change_user(before.id, &change, note, now);
        let after = match changed {
            Ok(after) => after,
            Err(Error::Conflict(_)) => {
                return Err(AccountError::Taken(change.email.unwrap_or_default()).into());
            }
            Err(error) => return Err(AccountError::from(error).into()),
        };
        if before.email != after.email {
            self.mail_email_changed(before, &after)?;
        }
        self.user(&after.id.to_string())
    }

    /// Makes a new link by which a user sets a password.
    pub fn reset_user(&self, which: &str) -> Result<Invitation, DeskError> {
        self.require_managing(Right::KeepUsers)?;
        self.invitation(self.find_kept_user(which)?, Occasion::Reset)
    }

    fn invitation(&self, user: User, occasion: Occasion) -> Result<Invitation, DeskError> {
        let now = self.app.shop.clock.now();
        if user.role == Role::None {
            // There is nothing to come in for yet; a link is made when there is.
            return Ok(Invitation { user, path: None, mailed: false, expires_at: now });
        }
        let (secret, expires_at) = make_link(&self.app.registry, self.caller, &user, now)?;
        let path = path(&secret.text());
        let mailed = self.mail_link(&user, &path, occasion)?;
        // Who opened the data directory is told in any case: they could be anyone.
        let told = !mailed || matches!(self.caller, Caller::House);
        Ok(Invitation { user, path: told.then_some(path), mailed, expires_at })
    }

    /// Shuts a user out, or lets one in again.
    pub fn admit_user(&self, which: &str, is_active: bool) -> Result<UserDetail, DeskError> {
        self.require_managing(Right::KeepUsers)?;
        let (registry, now) = (&self.app.registry, self.app.shop.clock.now());
        let user = self.find_kept_user(which)?;
        let note = |deed| Some(self.line(Note::of(deed).to_user(&user)));
        let changed = match is_active {
            true => registry.reactivate_user(user.id, note(Deed::LetInUser), now),
            false => registry.deactivate_user(user.id, note(Deed::ShutOutUser), now),
        };
        changed.map_err(AccountError::from)?;
        self.user(&user.id.to_string())
    }

    /// Takes away the second factor of somebody who lost it.
    pub fn reset_factor(&self, which: &str) -> Result<UserDetail, DeskError> {
        self.require_managing(Right::KeepUsers)?;
        let user = self.find_kept_user(which)?;
        let now = self.app.shop.clock.now();
        accounts::reset_factor(&self.app.registry, self.caller, &user, now)?;
        self.user(&user.id.to_string())
    }

    /// Makes the first administrator, in the configured institution, or in the first one there is.
    pub fn welcome(&self, secret: &str, admin: NewAdmin, address: &str) -> Result<User, DeskError> {
        let (registry, now) = (&self.app.registry, self.app.shop.clock.now());
        if !self.app.welcome.knows(registry, secret)? {
            return Err(AccountError::DeadLink.into());
        }
        let house = self.house()?;
        Ok(self.app.welcome.accept(registry, (secret, house.id), admin, (address, now))?)
    }

    /// Whether the caller may give this role at this institution. Only the house and its
    /// administrators make administrators, and only of people of the house's own institution.
    fn require_role(&self, role: Role, institution: &Institution) -> Result<(), DeskError> {
        if role != Role::Admin {
            return Ok(());
        }
        self.require_all("an administrator of the appliance")?;
        let house = self.house()?;
        if house.id == institution.id {
            return Ok(());
        }
        let rule = format!(
            "can be admin only at {}, the institution that keeps this appliance",
            house.identifier
        );
        Err(AccountError::BadField { field: "role", rule }.into())
    }

    /// Whether the caller may look after this user, for pages that offer it.
    pub fn may_keep(&self, user: &User) -> bool {
        self.caller.may(Right::KeepUsers) && self.find_kept_user(&user.id.to_string()).is_ok()
    }
}

/// A phone number as it was typed, without what people put between the digits; none when empty.
fn phone(text: &str) -> Option<String> {
    let between = |letter: &char| !letter.is_whitespace() && !"-()./".contains(*letter);
    let plain: String = text.chars().take(60).filter(between).collect();
    (!plain.is_empty()).then_some(plain)
}

/// What is different now, for the log.
fn differences(before: &User, after: &User) -> String {
    let mut said = Vec::new();
    let mut differ = |what: &str, from: &str, to: &str| {
        if from != to {
            said.push(format!("{what} from {from:?} to {to:?}"));
        }
    };
    differ("name", &before.name, &after.name);
    differ("e-mail", &before.email, &after.email);
    differ("role", before.role.name(), after.role.name());
    let number = |user: &User| user.phone_number.clone().unwrap_or_default();
    differ("phone number", &number(before), &number(after));
    said.join("; ")
}
