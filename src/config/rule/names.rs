//! Rules for what institutions, replicas and options are called.

use super::words::listed;
use super::{Given, Rule, quoted};
use crate::config::custody::is_name;

/// An identifier as institutions have: a name in the DNS, with a dot in it.
pub(in crate::config) struct Institution;

impl Rule for Institution {
    type Meant = String;
    fn read(&self, given: Given<'_>) -> Option<String> {
        let name = given.text()?.to_ascii_lowercase();
        let label = |label: &str| {
            (1..=63).contains(&label.len())
                && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
                && !label.starts_with('-')
                && !label.ends_with('-')
        };
        (name.len() <= 253 && name.contains('.') && name.split('.').all(label)).then_some(name)
    }
    fn allowed(&self) -> String {
        "a name like that of a web site, with a dot in it, such as \"archive.example.org\""
            .to_owned()
    }
    fn write(&self, meant: &String) -> String {
        quoted(meant)
    }
}

/// A line of text for people.
pub(in crate::config) struct FreeText;

impl Rule for FreeText {
    type Meant = String;
    fn read(&self, given: Given<'_>) -> Option<String> {
        let text = given.text()?.trim();
        let fits = (1..=200).contains(&text.chars().count()) && !text.chars().any(char::is_control);
        fits.then(|| text.to_owned())
    }
    fn allowed(&self) -> String {
        "one line of text of at most 200 letters".to_owned()
    }
    fn write(&self, meant: &String) -> String {
        quoted(meant)
    }
}

/// The name of a section that has one.
pub(in crate::config) struct Name;

impl Rule for Name {
    type Meant = String;
    fn read(&self, given: Given<'_>) -> Option<String> {
        given.text().filter(|name| is_name(name)).map(str::to_owned)
    }
    fn allowed(&self) -> String {
        "the name of a section [option.NAME], such as \"Standard\"".to_owned()
    }
    fn write(&self, meant: &String) -> String {
        quoted(meant)
    }
}

/// A list of replicas. That they are there is checked once all of them are read.
pub(in crate::config) struct Names;

impl Rule for Names {
    type Meant = Vec<String>;
    fn read(&self, given: Given<'_>) -> Option<Vec<String>> {
        let one = |name: &str| is_name(name).then(|| name.to_owned());
        let names: Option<Vec<_>> = match given {
            Given::Toml(value) => value.as_array()?.iter().map(|v| one(v.as_str()?)).collect(),
            Given::Text(text) => text.to_str()?.split(',').map(str::trim).map(one).collect(),
        };
        let names = names?;
        let twice = names.iter().enumerate().any(|(at, name)| names[..at].contains(name));
        (!names.is_empty() && !twice).then_some(names)
    }
    fn allowed(&self) -> String {
        "a list of names of replicas, at least one and each once, such as [\"a\", \"b\"]".to_owned()
    }
    fn write(&self, meant: &Vec<String>) -> String {
        listed(meant)
    }
}
