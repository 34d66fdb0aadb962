//! Rules for numbers, spans, amounts and switches.

use std::fmt::Display;
use std::marker::PhantomData;
use std::time::Duration;

use toml::Value;

use super::{Given, Rule};

/// A whole number within bounds, both included.
pub(in crate::config) struct Whole<N> {
    pub(in crate::config) min: u32,
    pub(in crate::config) max: u32,
    kind: PhantomData<N>,
}

pub(in crate::config) const fn whole<N>(min: u32, max: u32) -> Whole<N> {
    Whole { min, max, kind: PhantomData }
}

impl<N: TryFrom<u32> + Display> Rule for Whole<N> {
    type Meant = N;
    fn read(&self, given: Given<'_>) -> Option<N> {
        let number = u32::try_from(given.whole()?).ok()?;
        if !(self.min..=self.max).contains(&number) {
            return None;
        }
        N::try_from(number).ok()
    }
    fn allowed(&self) -> String {
        format!("a whole number from {} to {}", self.min, self.max)
    }
    fn write(&self, meant: &N) -> String {
        meant.to_string()
    }
}

/// A span of time, written as a whole number of `unit_s` seconds.
pub(in crate::config) struct Span {
    number: Whole<u32>,
    unit: &'static str,
    unit_s: u32,
}

pub(in crate::config) const fn seconds(min: u32, max: u32) -> Span {
    Span { number: whole(min, max), unit: "seconds", unit_s: 1 }
}

pub(in crate::config) const fn hours(min: u32, max: u32) -> Span {
    Span { number: whole(min, max), unit: "hours", unit_s: 3600 }
}

pub(in crate::config) const fn days(min: u32, max: u32) -> Span {
    Span { number: whole(min, max), unit: "days", unit_s: 86_400 }
}

impl Rule for Span {
    type Meant = Duration;
    fn read(&self, given: Given<'_>) -> Option<Duration> {
        let count = match given {
            Given::Text(text) => self.count(text.to_str()?.trim()),
            Given::Toml(_) => self.number.read(given),
        };
        let count = u64::from(count?);
        Some(Duration::from_secs(count * u64::from(self.unit_s)))
    }
    fn allowed(&self) -> String {
        let Whole { min, max, .. } = self.number;
        format!("a whole number of {} from {min} to {max}", self.unit)
    }
    fn write(&self, meant: &Duration) -> String {
        (meant.as_secs() / u64::from(self.unit_s)).to_string()
    }
}

impl Span {
    /// The number in a text, which may carry a unit as the described system's variables do: `10s`,
    /// `5m`, `1h`. Other units than that of the key must come out even.
    fn count(&self, text: &str) -> Option<u32> {
        let digits = text.trim_end_matches(|c: char| c.is_ascii_lowercase());
        let unit_s = match &text[digits.len()..] {
            "" => self.unit_s,
            "s" => 1,
            "m" => 60,
            "h" => 3600,
            _ => return None,
        };
        let all_s = digits.parse::<u32>().ok()?.checked_mul(unit_s)?;
        let count = all_s / self.unit_s;
        let sound =
            all_s % self.unit_s == 0 && (self.number.min..=self.number.max).contains(&count);
        sound.then_some(count)
    }
}

/// An amount of bytes, written as a whole number of `unit_bytes`.
pub(in crate::config) struct Amount {
    number: Whole<u32>,
    unit: &'static str,
    unit_bytes: u64,
}

pub(in crate::config) const fn megabytes(min: u32, max: u32) -> Amount {
    Amount { number: whole(min, max), unit: "megabytes", unit_bytes: 1 << 20 }
}

pub(in crate::config) const fn gigabytes(min: u32, max: u32) -> Amount {
    Amount { number: whole(min, max), unit: "gigabytes", unit_bytes: 1 << 30 }
}

impl Rule for Amount {
    type Meant = u64;
    fn read(&self, given: Given<'_>) -> Option<u64> {
        Some(u64::from(self.number.read(given)?) * self.unit_bytes)
    }
    fn allowed(&self) -> String {
        let Whole { min, max, .. } = self.number;
        format!("a whole number of {} from {min} to {max}", self.unit)
    }
    fn write(&self, meant: &u64) -> String {
        (meant / self.unit_bytes).to_string()
    }
}

/// A finite number of at least 1.
pub(in crate::config) struct Factor;

impl Rule for Factor {
    type Meant = f64;
    fn read(&self, given: Given<'_>) -> Option<f64> {
        let factor = match given {
            Given::Toml(Value::Float(float)) => *float,
            Given::Toml(other) => f64::from(i32::try_from(other.as_integer()?).ok()?),
            Given::Text(text) => text.to_str()?.trim().parse().ok()?,
        };
        (factor.is_finite() && factor >= 1.0).then_some(factor)
    }
    fn allowed(&self) -> String {
        "a number of at least 1".to_owned()
    }
    fn write(&self, meant: &f64) -> String {
        format!("{meant:?}")
    }
}

pub(in crate::config) struct Switch;

impl Rule for Switch {
    type Meant = bool;
    fn read(&self, given: Given<'_>) -> Option<bool> {
        match given {
            Given::Toml(value) => value.as_bool(),
            Given::Text(text) => text.to_str()?.trim().parse().ok(),
        }
    }
    fn allowed(&self) -> String {
        "true or false".to_owned()
    }
    fn write(&self, meant: &bool) -> String {
        meant.to_string()
    }
}
