//! What a developer pays, in whole numbers only: pennies and millionths, never a binary fraction.
//!
//! There is no default price. Whatever is missing or doubtful is an error, before any map is looked
//! at.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The version of these rules that stands in every audit row.
pub const LEVY_VERSION: u32 = 1;

/// Pounds and pence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pence(pub i128);

/// An index as a decimal of up to six digits after the point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Factor(u64);

/// A day as year, month, day; days in order sort in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day {
    year: u16,
    month: u8,
    day: u8,
}

/// A plan with the day it starts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    pub id: i64,
    pub name: String,
    pub starts: Day,
}

/// What a unit costs between two days, both included.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Charge {
    /// For the audit.
    pub row: i64,
    pub plan: i64,
    pub from: Day,
    pub to: Day,
    pub base_per_unit: Pence,
}

/// The building cost index of a year; 2026 is 1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Index {
    pub row: i64,
    pub year: u16,
    pub factor: Factor,
}

/// The tables. They ship empty: prices are the operator's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LevyTables {
    pub plans: Vec<Plan>,
    pub charges: Vec<Charge>,
    pub indices: Vec<Index>,
}

/// A levy with all that it came from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Levy {
    pub plan: i64,
    pub units: u32,
    pub base_per_unit: Pence,
    pub provisional: Pence,
    pub adjusted: Pence,
    pub calculated_on: Day,
    pub charge_row: i64,
    /// The rows of the calculation's year and the start's; none within one year.
    pub index_rows: Option<(i64, i64)>,
    /// The same two as they were then: a table may change after the price was told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub indices: Option<[Index; 2]>,
    pub version: u32,
}

/// Why there is no price.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LevyError {
    #[error("the boundary meets no plan; nothing can be priced")]
    NoPlan,
    #[error("the boundary meets several plans; nothing can be priced")]
    SeveralPlans,
    #[error("plan \"{0}\" is not in the table")]
    UnknownPlan(String),
    #[error("plan \"{0}\" has two ids in the table")]
    AmbiguousPlan(String),
    #[error("there are no units to be priced")]
    NoUnits,
    #[error("plan {plan} has no charge on {day}")]
    NoCharge { plan: i64, day: Day },
    #[error("plan {plan} has two charges on {day}; their windows overlap")]
    OverlappingCharges { plan: i64, day: Day },
    #[error("the charge of {0} is not in whole pounds")]
    NotWhole(Pence),
    #[error("there is no index for {0}")]
    NoIndex(u16),
    #[error("the levy is larger than can be counted")]
    TooLarge,
}

impl LevyTables {
    /// What the one plan of these names costs for so many units on a day.
    pub fn levy(&self, plans: &[String], units: u32, on: Day) -> Result<Levy, LevyError> {
        let name = match plans {
            [] => return Err(LevyError::NoPlan),
            [name] => name,
            [_, _, ..] => return Err(LevyError::SeveralPlans),
        };
        let mut found = self.plans.iter().filter(|plan| plan.name == *name);
        let plan = match (found.next(), found.next()) {
            (Some(plan), None) => plan,
            (None, _) => return Err(LevyError::UnknownPlan(name.clone())),
            (Some(_), Some(_)) => return Err(LevyError::AmbiguousPlan(name.clone())),
        };
        let charge = self.charge(plan.id, on)?;
        self.price(plan, charge, units, on)
    }

    fn charge(&self, plan: i64, day: Day) -> Result<&Charge, LevyError> {
        let holds = |it: &&Charge| it.plan == plan && it.from <= day && day <= it.to;
        let mut found = self.charges.iter().filter(holds);
        match (found.next(), found.next()) {
            (Some(charge), None) => Ok(charge),
            (None, _) => Err(LevyError::NoCharge { plan, day }),
            (Some(_), Some(_)) => Err(LevyError::OverlappingCharges { plan, day }),
        }
    }

    fn price(&self, plan: &Plan, charge: &Charge, units: u32, on: Day) -> Result<Levy, LevyError> {
        let base = charge.base_per_unit;
        if units == 0 {
            return Err(LevyError::NoUnits);
        }
        if base.0 % 100 != 0 {
            return Err(LevyError::NotWhole(base));
        }
        let provisional = base.0.checked_mul(units.into()).ok_or(LevyError::TooLarge)?;
        let (adjusted, indices) = match on.year == plan.starts.year {
            true => (provisional, None),
            false => {
                let (now, then) = (self.index(on.year)?, self.index(plan.starts.year)?);
                let adjusted = inflated(provisional, now.factor, then.factor)?;
                (adjusted, Some([now.clone(), then.clone()]))
            }
        };
        Ok(Levy {
            plan: plan.id,
            units,
            base_per_unit: base,
            provisional: Pence(provisional),
            adjusted: Pence(adjusted),
            calculated_on: on,
            charge_row: charge.row,
            index_rows: indices.as_ref().map(|[now, then]| (now.row, then.row)),
            indices,
            version: LEVY_VERSION,
        })
    }

    fn index(&self, year: u16) -> Result<&Index, LevyError> {
        let found = self.indices.iter().find(|it| it.year == year && it.factor.0 > 0);
        found.ok_or(LevyError::NoIndex(year))
    }
}

/// Multiplied first, divided last, and rounded half up once.
fn inflated(pence: i128, now: Factor, then: Factor) -> Result<i128, LevyError> {
    let then = i128::from(then.0);
    let product = pence.checked_mul(now.0.into()).and_then(|it| it.checked_mul(2));
    let half_up = product.and_then(|it| it.checked_add(then)).ok_or(LevyError::TooLarge)?;
    Ok(half_up.div_euclid(2 * then))
}

impl Pence {
    /// The amount as a number of pounds, for receivers that take no text. It prints with the same two
    /// digits below a hundred thousand million pounds.
    pub fn pounds(self) -> f64 {
        self.0 as f64 / 100.0
    }
}

impl Index {
    /// The index for people, such as "0.83 (2027)".
    pub fn named(&self) -> String {
        let factor = self.factor.to_string();
        let short = factor.trim_end_matches('0').trim_end_matches('.');
        format!("{short} ({})", self.year)
    }
}

impl fmt::Display for Pence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        write!(f, "{sign}{}.{:02}", self.0.unsigned_abs() / 100, self.0.unsigned_abs() % 100)
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

impl Day {
    /// Reads `2026-11-17`.
    pub fn parse(text: &str) -> Option<Day> {
        let mut parts = text.split('-');
        let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
        let shaped =
            year.len() == 4 && month.len() == 2 && day.len() == 2 && parts.next().is_none();
        let day =
            Day { year: year.parse().ok()?, month: month.parse().ok()?, day: day.parse().ok()? };
        let sound = (1..=12).contains(&day.month) && (1..=31).contains(&day.day);
        (shaped && sound).then_some(day)
    }
}

/// A decimal as a whole number of its last of `digits` places. No sign, no exponent.
fn scaled(text: &str, digits: usize) -> Option<u64> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let plain = |it: &str| it.bytes().all(|byte| byte.is_ascii_digit());
    let sound = !whole.is_empty() && whole.len() <= 12 && part.len() <= digits;
    (sound && plain(whole) && plain(part))
        .then(|| format!("{whole}{part:0<digits$}").parse().ok())?
}

impl Factor {
    /// Reads a decimal such as `0.83`.
    pub fn parse(text: &str) -> Option<Factor> {
        scaled(text, 6).map(Factor)
    }
}

impl fmt::Display for Factor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:06}", self.0 / 1_000_000, self.0 % 1_000_000)
    }
}

impl Pence {
    /// Reads pounds such as `2675` or `2675.01`.
    pub fn parse(text: &str) -> Option<Pence> {
        scaled(text, 2).map(|pence| Pence(pence.into()))
    }
}

/// All three are text in JSON.
macro_rules! as_text {
    ($($name:ident),+) => {$(
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<$name, D::Error> {
                let text = String::deserialize(deserializer)?;
                let unread = || serde::de::Error::custom(format!("\"{text}\" is not in form"));
                $name::parse(&text).ok_or_else(unread)
            }
        }
    )+};
}

as_text!(Pence, Factor, Day);

#[cfg(test)]
mod tests;
