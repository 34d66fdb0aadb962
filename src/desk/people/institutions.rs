//! Institutions: members, and accounts under them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use storage::registry::{
    Counting, Deed, Error, INSTITUTIONS, Institution, InstitutionChange, InstitutionKind,
    NewInstitution, Query, USERS,
};

use crate::accounts::{AccountError, Note};
use crate::desk::{Desk, DeskError};
use crate::rights::Right;

/// What it takes to add an institution.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InstitutionWish {
    /// The name.
    #[schemars(example = "Town library")]
    pub name: String,
    /// The DNS name that begins the identifiers of what it owns.
    #[schemars(example = "library.example")]
    pub identifier: String,
    /// The member that it is an account of, by identifier or number; none for a member.
    #[serde(default)]
    pub member: Option<String>,
}

/// What is to be changed of an institution; what is absent stays.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct InstitutionEdit {
    /// The name; only the house and its administrators change it.
    pub name: Option<String>,
    /// Days between restoration tests; zero for none.
    pub spot_restore_frequency: Option<i64>,
    /// Whether everybody there signs in with a second factor.
    pub otp_enabled: Option<bool>,
}

/// One institution.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct InstitutionDetail {
    /// The institution.
    pub institution: Institution,
    /// Its users who are not shut out.
    pub user_count: u64,
    /// The member that it is an account of.
    pub member: Option<Institution>,
    /// The accounts under it, the first hundred.
    pub accounts: Vec<Institution>,
}

impl Desk<'_> {
    /// One institution, by identifier or number.
    pub fn institution(&self, which: &str) -> Result<InstitutionDetail, DeskError> {
        let registry = &self.app.registry;
        let institution = self.find_institution(which)?;
        let number = institution.id.to_string();
        let active = Query::all(&USERS)
            .only("institution_id", &number)?
            .only("deactivated_at__is_null", "true")?
            .counting(Counting::Exact);
        let users = registry.list_users(&active)?;
        let under = [
            ("member_institution_id".to_owned(), number),
            ("per_page".to_owned(), "100".to_owned()),
        ];
        let member = match institution.member_institution_id {
            Some(member) => registry.institution(member)?,
            None => None,
        };
        Ok(InstitutionDetail {
            user_count: users.count.map_or(0, |count| count.value),
            accounts: registry.list_institutions(&Query::parse(&INSTITUTIONS, &under)?)?.rows,
            member,
            institution,
        })
    }

    /// Adds an institution; its areas are named after it.
    pub fn add_institution(&self, wish: &InstitutionWish) -> Result<InstitutionDetail, DeskError> {
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
                self.note(Note::of(Deed::AddInstitution).to_institution(&made));
                self.institution(&made.identifier)
            }
            Err(Error::Conflict(_)) => Err(AccountError::Taken(new.identifier).into()),
            Err(error) => Err(AccountError::from(error).into()),
        }
    }

    /// Changes an institution: its administrators what it chooses for itself, the house its name too.
    pub fn edit_institution(
        &self,
        which: &str,
        edit: &InstitutionEdit,
    ) -> Result<InstitutionDetail, DeskError> {
        let found = self.find_institution(which)?;
        if edit.name.is_some() && !self.caller.may(Right::KeepInstitutions) {
            let what = format!("the name of {}", found.identifier);
            return Err(DeskError::NotAllowed { right: Right::KeepInstitutions, what });
        }
        if edit.otp_enabled.is_some_and(|asked| asked != found.otp_enabled) {
            self.require_managing(Right::KeepUsers)?;
        }
        let change = InstitutionChange {
            name: edit.name.as_deref().map(|name| name.trim().to_owned()),
            spot_restore_frequency: edit.spot_restore_frequency,
            otp_enabled: edit.otp_enabled,
        };
        let now = self.app.shop.clock.now();
        let changed = self.app.registry.change_institution(found.id, &change, now);
        let changed = changed.map_err(AccountError::from)?;
        let note = Note::of(Deed::ChangeInstitution).to_institution(&changed);
        self.note(note.saying(differences(&found, &changed)));
        self.institution(&changed.identifier)
    }

    /// Shuts an institution out with its users, or lets it in again. What it holds stays.
    pub fn admit_institution(
        &self,
        which: &str,
        is_active: bool,
    ) -> Result<InstitutionDetail, DeskError> {
        self.require_managing(Right::KeepUsers)?;
        let (registry, now) = (&self.app.registry, self.app.shop.clock.now());
        let found = self.find_institution(which)?;
        let (changed, deed) = match is_active {
            true => (registry.reactivate_institution(found.id, now), Deed::LetInInstitution),
            false => (registry.deactivate_institution(found.id, now), Deed::ShutOutInstitution),
        };
        changed.map_err(AccountError::from)?;
        self.note(Note::of(deed).to_institution(&found));
        self.institution(&found.identifier)
    }
}

/// What is different now, for the log.
fn differences(before: &Institution, after: &Institution) -> String {
    let mut said = Vec::new();
    if before.name != after.name {
        said.push(format!("name from {:?} to {:?}", before.name, after.name));
    }
    if before.spot_restore_frequency != after.spot_restore_frequency {
        let (from, to) = (before.spot_restore_frequency, after.spot_restore_frequency);
        said.push(format!("days between restoration tests from {from} to {to}"));
    }
    if before.otp_enabled != after.otp_enabled {
        said.push(format!("second factor asked for: {}", after.otp_enabled));
    }
    said.join("; ")
}
