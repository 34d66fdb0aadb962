//! Rules for payload files, judged while the bag is walked: paths are seen one by one, because a
//! bag can hold more of them than memory.

use super::glob::Pattern;
use super::judge::{ALIKE_MAX, rest};
use super::rules::Profile;
use crate::code::Code;
use crate::finding::Finding;
use crate::report::{Class, FileReport, Survey};

/// `Payload-Files-Required` and `Payload-Files-Allowed` at work.
#[derive(Clone, Debug)]
pub struct PayloadWatch<'a> {
    profile: &'a Profile,
    patterns: Vec<Pattern>,
    /// Which of the required ones came by.
    met: Vec<bool>,
    strays: Vec<Finding>,
    stray_count: u64,
}

impl Profile {
    /// Starts to watch payload paths; `None` if the profile has no rules for them.
    pub fn payload_watch(&self) -> Option<PayloadWatch<'_>> {
        let choice = &self.payload_files;
        let ruled = !choice.required.is_empty() || !choice.allowed.is_empty();
        ruled.then(|| PayloadWatch {
            profile: self,
            patterns: choice.allowed.iter().map(|pattern| Pattern::new(pattern)).collect(),
            met: vec![false; choice.required.len()],
            strays: Vec::new(),
            stray_count: 0,
        })
    }
}

impl PayloadWatch<'_> {
    /// Sees one payload file by its path in the bag: `data/a.txt`.
    pub fn see(&mut self, path: &str) {
        for (required, met) in self.profile.payload_files.required.iter().zip(&mut self.met) {
            // A folder is there when something in it is.
            *met |= required == path || (required.ends_with('/') && path.starts_with(required));
        }
        if self.patterns.is_empty() {
            return;
        }
        let chars: Vec<char> = path.chars().collect();
        if self.patterns.iter().any(|pattern| pattern.fits(&chars)) {
            return;
        }
        self.stray_count += 1;
        if self.strays.len() < ALIKE_MAX {
            let allowed = self.profile.payload_files.allowed.join(", ");
            let sentence = format!("The profile allows only {allowed}. Move or remove the file.");
            self.strays.push(Finding::new(Code::PayloadFileNotAllowed, path, sentence));
        }
    }

    /// What was missing and what was too much, once every payload file was seen.
    pub fn findings(self) -> Vec<Finding> {
        let required = self.profile.payload_files.required.iter().zip(&self.met);
        let missing = required.filter(|(_, met)| !**met).map(|(path, _)| {
            let sentence = format!("The profile requires {path} in the payload. Add it.");
            Finding::new(Code::PayloadFileRequired, path.as_str(), sentence)
        });
        let more = rest(Code::PayloadFileNotAllowed, self.stray_count - self.strays.len() as u64);
        missing.chain(self.strays).chain(more).collect()
    }
}

/// Looks on while a bag is judged.
impl Survey for PayloadWatch<'_> {
    fn file(&mut self, file: &FileReport<'_>) {
        if file.class == Class::Payload {
            self.see(file.path);
        }
    }
}
