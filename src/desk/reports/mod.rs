//! Reports and the scorecard, for whoever asks: nothing in them is beyond that caller's sight.

mod csv;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use storage::registry::{Declaration, NewDeclaration};

use super::{Desk, DeskError};
use crate::ndsa::{self, Scorecard};
use crate::reports::{self, DepositReport, FormatReport, GrowthReport, Question, StorageReport};
use crate::rights::Right;

/// The reports that are tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportKind {
    /// By institution and option.
    Deposits,
    /// Over time.
    Growth,
    /// By format.
    Formats,
    /// By replica.
    Storage,
    /// The scorecard.
    Ndsa,
}

impl ReportKind {
    /// The word in addresses and names of files.
    pub fn name(self) -> &'static str {
        match self {
            ReportKind::Deposits => "deposits",
            ReportKind::Growth => "growth",
            ReportKind::Formats => "formats",
            ReportKind::Storage => "storage",
            ReportKind::Ndsa => "ndsa",
        }
    }

    /// What may be asked of it.
    pub fn fields(self) -> &'static [&'static str] {
        match self {
            ReportKind::Deposits => &["institution", "storage_option", "date", "metric"],
            ReportKind::Growth => &["institution", "storage_option", "start", "end", "metric"],
            ReportKind::Formats | ReportKind::Storage | ReportKind::Ndsa => &[],
        }
    }

    /// Reads what is asked of it.
    pub fn question(self, pairs: &[(String, String)]) -> Result<Question, DeskError> {
        Ok(Question::parse(pairs, self.fields())?)
    }
}

/// What somebody wants to declare.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeclarationWish {
    /// The requirement that it answers, by name.
    #[schemars(example = "control-reviewed")]
    pub requirement: String,
    /// What is so.
    #[schemars(example = "Ann and Bea looked through the log in May, and found nothing.")]
    pub sentence: String,
}

/// Declarations told with the scorecard.
const DECLARATIONS: u32 = 200;

impl Desk<'_> {
    /// Deposits by institution and option, now or when a month began.
    pub fn deposit_report(&self, asked: &Question) -> Result<DepositReport, DeskError> {
        let now = self.app.shop.clock.now();
        Ok(reports::deposits(&self.app.registry, self.sight(), asked, now)?)
    }

    /// Deposits over time.
    pub fn growth_report(&self, asked: &Question) -> Result<GrowthReport, DeskError> {
        let now = self.app.shop.clock.now();
        Ok(reports::growth(&self.app.registry, self.sight(), asked, now)?)
    }

    /// Formats that are held.
    pub fn format_report(&self) -> Result<FormatReport, DeskError> {
        Ok(reports::formats(&self.app.registry, self.sight())?)
    }

    /// What lies in which replica.
    pub fn storage_report(&self) -> Result<StorageReport, DeskError> {
        Ok(reports::storing(self.app, self.sight())?)
    }

    /// The scorecard of the NDSA Levels.
    pub fn scorecard(&self) -> Result<Scorecard, DeskError> {
        let facts = ndsa::gather(self.app, self.sight())?;
        Ok(ndsa::assess(&facts, &self.app.registry.standing_declarations()?))
    }

    /// The declarations, the latest first, those that were withdrawn among them.
    pub fn declarations(&self) -> Result<Vec<Declaration>, DeskError> {
        Ok(self.app.registry.declarations(DECLARATIONS)?)
    }

    /// Writes down what somebody declares.
    pub fn declare(&self, wish: &DeclarationWish) -> Result<Declaration, DeskError> {
        let user = self.declarer()?;
        let known = ndsa::requirement(&wish.requirement).filter(|it| !it.declare.is_empty());
        if known.is_none() {
            let shown: String = wish.requirement.chars().take(80).collect();
            let sentence = format!(
                "{shown:?} is nothing that a declaration answers; nothing was written down. \
                 Take a name from the scorecard."
            );
            return Err(DeskError::Declined(sentence));
        }
        let new = NewDeclaration {
            requirement: wish.requirement.clone(),
            sentence: wish.sentence.replace("\r\n", "\n"),
            declared_by: user,
        };
        let made = self.app.registry.declare(&new, self.app.shop.clock.now())?;
        let (requirement, by) = (&made.requirement, self.caller.name());
        tracing::info!(target: "audit", requirement, by, "a declaration was made");
        Ok(made)
    }

    /// Takes a declaration back.
    pub fn withdraw_declaration(&self, id: i64) -> Result<Declaration, DeskError> {
        let user = self.declarer()?;
        let now = self.app.shop.clock.now();
        let gone = self.app.registry.withdraw_declaration(id, user, now)?;
        tracing::info!(target: "audit", id, by = self.caller.name(), "a declaration was withdrawn");
        Ok(gone)
    }

    /// The person who may declare something: an administrator of the house, and no key.
    fn declarer(&self) -> Result<i64, DeskError> {
        let may = self.caller.may(Right::KeepHouse) && self.caller.may_change();
        let user = self.caller.user().filter(|_| may);
        user.map(|user| user.id).ok_or_else(|| {
            let sentence = "A declaration is the word of a person who looks after the appliance. \
                Nothing was changed. Sign in as an administrator.";
            DeskError::Declined(sentence.to_owned())
        })
    }
}
