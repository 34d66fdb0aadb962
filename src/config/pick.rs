//! Chooses, for one key at a time, the value of the last layer that gives one.

use std::ffi::{OsStr, OsString};
use std::ops::Range;

use super::load::{Flags, Surroundings};
use super::raw::{Document, Written};
use super::refusal::{Origin, Place, Refusal};
use super::rule::{Given, Rule, quoted};

/// A key: its name in the file, its other names, what it accepts and what it is for.
pub(super) struct Key<'a, R> {
    name: &'a str,
    rule: R,
    about: &'static str,
    default: Option<&'a str>,
    example: &'a str,
    env: &'a [&'a str],
    when_empty: Option<&'a str>,
    flag: Option<&'static str>,
}

impl<'a, R: Rule> Key<'a, R> {
    pub(super) const fn new(name: &'a str, rule: R, default: &'a str, about: &'static str) -> Self {
        Self {
            name,
            rule,
            about,
            default: Some(default),
            example: default,
            env: &[],
            when_empty: None,
            flag: None,
        }
    }

    /// A key that may be left unset.
    pub(super) const fn unset(
        name: &'a str,
        rule: R,
        example: &'a str,
        about: &'static str,
    ) -> Self {
        Self { name, rule, about, default: None, example, env: &[], when_empty: None, flag: None }
    }

    /// Variables that set it; the first one present counts.
    pub(super) const fn env(mut self, names: &'a [&'a str]) -> Self {
        self.env = names;
        self
    }

    /// What the key is where one of its variables is set without a value; else that is as if it were
    /// not set.
    pub(super) const fn when_empty(mut self, text: &'a str) -> Self {
        self.when_empty = Some(text);
        self
    }

    pub(super) const fn flag(mut self, name: &'static str) -> Self {
        self.flag = Some(name);
        self
    }

    /// What the program itself brings for this key, as text a rule can read.
    fn builtin(&self, text: &str) -> R::Meant {
        let given = Given::Text(OsStr::new(text));
        self.rule.read(given).expect("defaults and examples obey their own rule")
    }
}

/// A key as the settings page and the reference show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explained {
    /// Section and key, as in `http.listen`.
    pub key: String,
    /// The value in force as it would stand in the file, or `not set`.
    pub value: String,
    pub origin: Origin,
    /// Where in the file it stands, if it came from there.
    pub line: Option<usize>,
    /// What the key is for.
    pub about: &'static str,
    /// What may stand there.
    pub allowed: String,
    /// The default as it would stand in the file, unless the key is unset by default.
    pub default: Option<String>,
    /// A value that may stand there.
    pub example: String,
    pub env: Vec<String>,
    pub flag: Option<&'static str>,
}

const UNSET: &str = "not set";

impl Explained {
    pub(super) fn place(&self) -> Place {
        Place { origin: self.origin.clone(), line: self.line }
    }

    /// Takes back the value of a key that has no meaning beside the others.
    pub(super) fn unset(&mut self) {
        UNSET.clone_into(&mut self.value);
    }

    /// Whether no layer gives it a value, and it has none by itself.
    pub fn is_unset(&self) -> bool {
        self.value == UNSET
    }
}

/// Walks the keys, collecting what was found and what was refused.
pub(super) struct Pick<'a> {
    flags: &'a Flags,
    around: &'a Surroundings<'a>,
    file: Option<&'a Document>,
    pub(super) explained: Vec<Explained>,
    pub(super) refusals: Vec<Refusal>,
}

impl<'a> Pick<'a> {
    pub(super) fn new(
        flags: &'a Flags,
        around: &'a Surroundings<'a>,
        file: Option<&'a Document>,
    ) -> Self {
        Self { flags, around, file, explained: Vec::new(), refusals: Vec::new() }
    }

    /// The value of a key that has a default. A refused value reads as the default, so that the
    /// walk can go on and find whatever else is wrong.
    pub(super) fn one<R: Rule>(&mut self, written: Written, key: &Key<'_, R>) -> R::Meant {
        let default = key.default.expect("a key read with `one` has a default");
        self.or(written, key, default)
    }

    /// The value of a key whose default is only known at run time.
    pub(super) fn or<R: Rule>(
        &mut self,
        written: Written,
        key: &Key<'_, R>,
        otherwise: &str,
    ) -> R::Meant {
        self.maybe(written, key).unwrap_or_else(|| {
            let meant = key.builtin(otherwise);
            if let Some(row) = self.explained.last_mut() {
                row.value = key.rule.write(&meant);
            }
            meant
        })
    }

    /// The value of a key, if any layer gives one.
    pub(super) fn maybe<R: Rule>(
        &mut self,
        written: Written,
        key: &Key<'_, R>,
    ) -> Option<R::Meant> {
        let mut origin = Origin::Default;
        let mut line = None;
        let mut meant = None;
        if let Some((name, text)) = self.spoken(key) {
            let place = Place { origin: name, line: None };
            origin = place.origin.clone();
            meant = key.rule.read(Given::Text(&text));
            if meant.is_none() {
                self.refuse(key, place, quoted(&text.to_string_lossy()));
            }
        } else if let (Some(value), Some(file)) = (written, self.file) {
            let place = file.place(&value.span());
            origin = place.origin.clone();
            line = place.line;
            meant = key.rule.read(Given::Toml(value.get_ref()));
            if meant.is_none() {
                self.refuse(key, place, file.quote(&value.span()));
            }
        }
        self.explained.push(Explained {
            key: key.name.to_owned(),
            value: meant.as_ref().map_or_else(|| UNSET.to_owned(), |m| key.rule.write(m)),
            origin,
            line,
            about: key.about,
            allowed: key.rule.allowed(),
            default: key.default.map(|text| key.rule.write(&key.builtin(text))),
            example: key.rule.write(&key.builtin(key.example)),
            env: key.env.iter().map(|&name| name.to_owned()).collect(),
            flag: key.flag,
        });
        meant
    }

    /// Where the value in force of an already read key came from.
    pub(super) fn place_of(&self, name: &str) -> Place {
        let row = self.explained.iter().find(|row| row.key == name);
        row.map_or(Place { origin: Origin::Default, line: None }, Explained::place)
    }

    /// Where in the file something stands.
    pub(super) fn place_in_file(&self, span: &Range<usize>) -> Option<Place> {
        self.file.map(|file| file.place(span))
    }

    pub(super) fn cores(&self) -> usize {
        self.around.cores
    }

    /// What flags or environment say about a key.
    fn spoken<R>(&self, key: &Key<'_, R>) -> Option<(Origin, OsString)> {
        if let Some((name, text)) = key.flag.and_then(|name| Some((name, self.flags.value(name)?)))
        {
            return Some((Origin::Flag(name), text));
        }
        key.env.iter().find_map(|&name| {
            let empty =
                || key.when_empty.filter(|_| self.around.is_empty(name)).map(OsString::from);
            let text = self.around.variable(name).or_else(empty)?;
            Some((Origin::Env(name.to_owned()), text))
        })
    }

    fn refuse<R: Rule>(&mut self, key: &Key<'_, R>, place: Place, value: String) {
        let (key, allowed) = (key.name.to_owned(), key.rule.allowed());
        self.refusals.push(Refusal::Value { place, key, value, allowed });
    }
}
