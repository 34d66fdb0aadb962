//! From a document to rules.

use super::dart;
use super::document::{Document, Node, ProfileError};
use super::keys::{self, GENERATION_MAX, Key};
use super::rules::{Choice, EmptyRule, FetchRule, Profile, SerializationRule, TagRule, plain};
use crate::code::Code;
use crate::finding::Finding;

/// More remarks than this about one document help nobody.
const NOTES_MAX: usize = 100;

impl Profile {
    /// Loads a BagIt Profile document, version 1.1 to 1.4, or one in DART's own format. A key of the
    /// wrong type, a contradiction or a missing identifier refuses it, with all such problems; unknown
    /// keys become `notes`.
    pub fn parse(text: &str) -> Result<Profile, ProfileError> {
        let (mut document, top) = Document::open(text)?;
        let members = document.members(&top);
        if dart::is_profile(&members) {
            return dart::load(document, &top, &members);
        }
        let mut loader = Loader::new(document);
        loader.identity(&top, members.iter().find(|(name, _)| name == "BagIt-Profile-Info"));
        for (name, node) in &members {
            loader.member(name, node);
        }
        loader.complete(&top);
        let Loader { document, profile, .. } = loader;
        document.close(profile)
    }
}

struct Loader<'a> {
    document: Document<'a>,
    profile: Profile,
    allow_fetch: bool,
    require_fetch: bool,
    tags_need_values: bool,
}

impl<'a> Loader<'a> {
    fn new(document: Document<'a>) -> Loader<'a> {
        Loader {
            document,
            profile: Profile::blank(),
            allow_fetch: true,
            require_fetch: false,
            tags_need_values: false,
        }
    }

    /// Read first, because the generation decides which keys are too new.
    fn identity(&mut self, top: &Node<'a>, info: Option<&(String, Node<'a>)>) {
        let Some((_, info)) = info else {
            self.document.refuse(top, "BagIt-Profile-Info is missing: say which profile this is");
            return;
        };
        let mut generation = None;
        for (name, node) in self.document.members(info) {
            let text = self.document.text(&node);
            let identity = &mut self.profile.identity;
            match name.as_str() {
                "BagIt-Profile-Identifier" => identity.identifier = text,
                "Version" => identity.version = text,
                "Source-Organization" => identity.source_organization = text,
                "External-Description" => identity.description = text,
                "BagIt-Profile-Version" => generation = Some((node, text)),
                // Contact-Name and the like: any tag may describe a profile.
                _ => {}
            }
        }
        if self.profile.identity.identifier.trim().is_empty() {
            let sentence = "BagIt-Profile-Identifier is missing: give the address of this profile";
            self.document.refuse(info, sentence);
        }
        let identity = &self.profile.identity;
        let missing: Vec<&str> = [
            ("Source-Organization", &identity.source_organization),
            ("External-Description", &identity.description),
            ("Version", &identity.version),
        ]
        .into_iter()
        .filter(|(_, value)| value.is_empty())
        .map(|(name, _)| name)
        .collect();
        if !missing.is_empty() {
            self.note(Code::ProfileIncomplete, info, format!("Add {}.", missing.join(", ")));
        }
        self.generation(generation);
    }

    fn generation(&mut self, declared: Option<(Node<'a>, String)>) {
        // The key came with 1.2, so a document without it is of the generation before.
        self.profile.identity.generation = 1;
        let Some((node, text)) = declared else { return };
        let mut parts = text.trim().split('.').map(str::parse::<u32>);
        match (parts.next(), parts.next()) {
            (Some(Ok(1)), Some(Ok(minor))) => {
                self.profile.identity.generation = minor.clamp(1, GENERATION_MAX);
                if minor > GENERATION_MAX {
                    let sentence = format!("Version {text} is newer than 1.4, the newest known.");
                    self.note(Code::ProfileKeyNewer, &node, sentence);
                }
            }
            _ => self.document.refuse(
                &node,
                format!("version {text:?} is unknown: write one from 1.1.0 to 1.4.0"),
            ),
        }
    }

    fn member(&mut self, name: &str, node: &Node<'a>) {
        let Some((key, since)) = keys::find(name) else {
            let hint = match keys::like(name) {
                Some(known) => format!("Unknown key, passed over. Is {known} meant?"),
                None => String::from("Unknown key, passed over. Remove it or check its spelling."),
            };
            return self.note(Code::ProfileKeyUnknown, node, hint);
        };
        if since > self.profile.identity.generation {
            let sentence = format!(
                "This key came with 1.{since}.0. It is applied; set BagIt-Profile-Version to match."
            );
            self.note(Code::ProfileKeyNewer, node, sentence);
        }
        let document = &mut self.document;
        let profile = &mut self.profile;
        match key {
            // Read before all others.
            Key::ProfileInfo => {}
            Key::BagInfo => self.tag_rules("bag-info.txt", node),
            Key::TagFilesInfo => {
                for (file, node) in self.document.members(node) {
                    self.tag_rules(&file, &node);
                }
            }
            Key::ManifestsRequired => profile.manifests.required.extend(document.list(node)),
            Key::ManifestsAllowed => profile.manifests.allowed.extend(document.list(node)),
            Key::TagManifestsRequired => profile.tag_manifests.required = document.list(node),
            Key::TagManifestsAllowed => profile.tag_manifests.allowed = document.list(node),
            Key::TagFilesRequired => profile.tag_files.required = document.list(node),
            Key::TagFilesAllowed => profile.tag_files.allowed = document.list(node),
            Key::PayloadFilesRequired => profile.payload_files.required = document.list(node),
            Key::PayloadFilesAllowed => profile.payload_files.allowed = document.list(node),
            Key::AllowFetch => self.allow_fetch = document.boolean(node),
            Key::FetchRequired => self.require_fetch = document.boolean(node),
            Key::DataEmpty => profile.data_empty = document.boolean(node),
            Key::Serialization => self.serialization(node),
            Key::AcceptSerialization => profile.accept_serialization = document.list(node),
            Key::AcceptVersion => profile.accept_versions = document.list(node),
            Key::IdentifierRequired => profile.identifier_required = document.boolean(node),
            Key::TopFolderIsName => profile.top_folder_is_name = document.boolean(node),
            Key::PlainNames => profile.plain_names = document.boolean(node),
            Key::TagsNeedValues => self.tags_need_values = document.boolean(node),
        }
    }

    fn serialization(&mut self, node: &Node<'a>) {
        if let Some(rule) = serialization(&mut self.document, node) {
            self.profile.serialization = rule;
        }
    }

    fn tag_rules(&mut self, file: &str, node: &Node<'a>) {
        for (name, node) in self.document.members(node) {
            let mut rule = TagRule::free(file.to_owned(), name);
            for (key, node) in self.document.members(&node) {
                let document = &mut self.document;
                match key.as_str() {
                    "required" => rule.required = document.boolean(&node),
                    "recommended" => rule.recommended = document.boolean(&node),
                    "repeatable" => rule.repeatable = document.boolean(&node),
                    "values" => rule.values = document.list(&node),
                    "description" => rule.description = document.text(&node),
                    "default" => rule.default = Some(document.text(&node)),
                    "ignore-case" => rule.ignore_case = document.boolean(&node),
                    _ => {
                        let sentence = "Unknown key, passed over. Remove it or check its spelling.";
                        self.note(Code::ProfileKeyUnknown, &node, sentence.to_owned());
                    }
                }
            }
            self.profile.tags.push(rule);
        }
    }

    /// What can be said only when everything is read.
    fn complete(&mut self, top: &Node<'a>) {
        self.profile.fetch = match (self.allow_fetch, self.require_fetch) {
            (true, false) => FetchRule::Allowed,
            (true, true) => FetchRule::Required,
            (false, false) => FetchRule::Forbidden,
            (false, true) => {
                let sentence = "Fetch.txt-Required contradicts Allow-Fetch.txt: change one of them";
                self.document.refuse(top, sentence);
                FetchRule::Forbidden
            }
        };
        if self.tags_need_values {
            self.profile.tags.iter_mut().for_each(|rule| rule.empty = EmptyRule::Forbidden);
        }
        for sentence in contradictions(&self.profile) {
            self.document.refuse(top, sentence);
        }
        if self.profile.accept_versions.is_empty() {
            let sentence = "Accept-BagIt-Version is missing: any version is accepted.";
            self.note(Code::ProfileIncomplete, top, sentence.to_owned());
        }
        if self.profile.serialization != SerializationRule::Forbidden
            && self.profile.accept_serialization.is_empty()
        {
            let sentence = "Accept-Serialization is missing: any archive is accepted.";
            self.note(Code::ProfileIncomplete, top, sentence.to_owned());
        }
    }

    fn note(&mut self, code: Code, node: &Node<'a>, sentence: String) {
        if self.profile.notes.len() < NOTES_MAX {
            let line = self.document.line(node);
            let place = format!("profile line {line} {}", node.key);
            self.profile.notes.push(Finding::new(code, place.trim_end(), sentence));
        }
    }
}

/// Whether archives are asked for; none, and a problem, if that is another word.
pub(super) fn serialization(
    document: &mut Document<'_>,
    node: &Node<'_>,
) -> Option<SerializationRule> {
    match document.text(node).as_str() {
        "forbidden" => Some(SerializationRule::Forbidden),
        "required" => Some(SerializationRule::Required),
        "optional" => Some(SerializationRule::Optional),
        _ => {
            document.refuse(node, "must be \"forbidden\", \"required\" or \"optional\"");
            None
        }
    }
}

/// Things that are required but not allowed: no bag could follow such a profile.
pub(super) fn contradictions(profile: &Profile) -> Vec<String> {
    let algorithms = |choice: &Choice| -> Vec<String> {
        let required = choice.required.iter();
        required.filter(|name| !choice.allows_algorithm(name)).map(|name| plain(name)).collect()
    };
    let paths = |choice: &Choice| -> Vec<String> {
        choice.required.iter().filter(|path| !choice.allows_path(path)).cloned().collect()
    };
    [
        ("Manifests", algorithms(&profile.manifests)),
        ("Tag-Manifests", algorithms(&profile.tag_manifests)),
        ("Tag-Files", paths(&profile.tag_files)),
        ("Payload-Files", paths(&profile.payload_files)),
    ]
    .into_iter()
    .filter(|(_, names)| !names.is_empty())
    .map(|(key, names)| {
        let names = names.join(", ");
        format!("{names}: in {key}-Required but not in {key}-Allowed: add it there")
    })
    .collect()
}
