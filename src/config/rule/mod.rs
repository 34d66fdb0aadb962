//! What may stand as a value: one rule per kind, the same for file, environment and flags.

mod addresses;
mod locations;
mod names;
mod networks;
mod numbers;
mod times;
mod words;

use std::ffi::OsStr;

use toml::Value;

pub(super) use addresses::{HostPort, MailAddress, Security, WebAddress};
pub(super) use locations::{
    Class, DataFile, DataFolder, Endpoint, Folders, KeySource, Profile, Region, Target, Url,
};
pub(super) use names::{FreeText, Institution, Name, Names};
pub use networks::Network;
pub(super) use networks::{ForwardingHeaders, Networks};
pub(super) use numbers::{Factor, Switch, days, gigabytes, hours, megabytes, seconds, whole};
pub(super) use times::Hours;
use words::is_address;
pub(super) use words::{Address, Folder, Format, HostNames, Levels, quoted};

/// A value as one of the layers gave it.
#[derive(Clone, Copy)]
pub(super) enum Given<'a> {
    Toml(&'a Value),
    Text(&'a OsStr),
}

impl<'a> Given<'a> {
    pub(super) fn text(self) -> Option<&'a str> {
        match self {
            Self::Toml(value) => value.as_str(),
            Self::Text(text) => text.to_str().map(str::trim),
        }
    }

    fn whole(self) -> Option<i64> {
        match self {
            Self::Toml(value) => value.as_integer(),
            Self::Text(text) => text.to_str()?.trim().parse().ok(),
        }
    }
}

/// Reads one kind of value, and says in words what it accepts.
pub(super) trait Rule {
    type Meant;
    /// The value as meant, or nothing when the rule does not allow it.
    fn read(&self, given: Given<'_>) -> Option<Self::Meant>;
    /// Completes the sentence "it must be ...".
    fn allowed(&self) -> String;
    /// The value as it would stand in the file.
    fn write(&self, meant: &Self::Meant) -> String;
}
