//! A profile against the face of a bag.

use super::rules::{Choice, FetchRule, Profile, SerializationRule, plain};
use super::tags;
use crate::code::Code;
use crate::facts::{BagFacts, ProfileRules, Serialization};
use crate::finding::Finding;

/// Findings of one kind beyond this are counted, not listed: a bag with a million stray tag files
/// must not become a million sentences.
pub(super) const ALIKE_MAX: usize = 1_000;

/// Every rule of the profile but those for payload files, which need [`super::PayloadWatch`].
impl ProfileRules for Profile {
    fn judge(&self, facts: &BagFacts) -> Vec<Finding> {
        let mut findings = Vec::new();
        findings.extend(packing(self, facts));
        findings.extend(top_folder(self, facts));
        findings.extend(version(self, facts));
        findings.extend(named(self, facts));
        findings.extend(fetch(self, facts));
        findings.extend(emptiness(self, facts));
        findings.extend(algorithms(&self.manifests, &facts.manifests, &PAYLOAD));
        findings.extend(algorithms(&self.tag_manifests, &facts.tag_manifests, &TAG));
        findings.extend(tag_files(self, facts));
        findings.extend(tags::judge(self, facts));
        findings
    }

    fn raises(&self, _facts: &BagFacts, code: Code) -> bool {
        self.plain_names && code == Code::NameControl
    }
}

fn packing(profile: &Profile, facts: &BagFacts) -> Option<Finding> {
    let formats = profile.accept_serialization.join(", ");
    let archive = mime_types(facts.serialization);
    let (code, sentence) = match (profile.serialization, archive.first()) {
        (SerializationRule::Forbidden, Some(found)) => (
            Code::SerializationForbidden,
            format!("The bag is an archive ({found}). Unpack it and send the folder."),
        ),
        (SerializationRule::Required, None) => (
            Code::SerializationRequired,
            format!("The bag is a folder. Pack it as one of: {}.", or_any(&formats)),
        ),
        (SerializationRule::Required | SerializationRule::Optional, Some(found))
            if !accepts(&profile.accept_serialization, archive) =>
        {
            (
                Code::SerializationNotAccepted,
                format!("The bag is {found}. Pack it as one of: {formats}."),
            )
        }
        _ => return None,
    };
    Some(Finding::new(code, facts.name.as_str(), sentence))
}

/// The names under which an archive is accepted, the most usual first. None for a folder.
fn mime_types(serialization: Serialization) -> &'static [&'static str] {
    match serialization {
        Serialization::Folder => &[],
        Serialization::Tar => &["application/tar", "application/x-tar", "application/x-gtar"],
        Serialization::TarGz => &[
            "application/gzip",
            "application/x-gzip",
            "application/tar+gzip",
            "application/x-tar+gzip",
            "application/x-tgz",
            "application/x-compressed-tar",
            "application/x-gtar-compressed",
        ],
        Serialization::Zip => {
            &["application/zip", "application/x-zip", "application/x-zip-compressed"]
        }
    }
}

fn accepts(accepted: &[String], archive: &[&str]) -> bool {
    accepted.is_empty()
        || accepted.iter().any(|name| {
            name == "*" || archive.iter().any(|known| known.eq_ignore_ascii_case(name.trim()))
        })
}

fn or_any(formats: &str) -> &str {
    if formats.is_empty() { "tar, zip" } else { formats }
}

fn top_folder(profile: &Profile, facts: &BagFacts) -> Option<Finding> {
    let folder = facts.top_folder.as_deref()?;
    let differs = profile.top_folder_is_name
        && facts.serialization != Serialization::Folder
        && folder != facts.name;
    let sentence = format!(
        "The folder in the archive is named {folder:?}, the archive {:?}. The bag is taken under \
         the name of the archive; name both alike to avoid confusion.",
        facts.name
    );
    differs.then(|| Finding::new(Code::TopFolderName, folder, sentence))
}

/// A bag without a version breaks BagIt itself and is told so there.
fn version(profile: &Profile, facts: &BagFacts) -> Option<Finding> {
    let version = facts.version.as_deref()?.trim();
    let accepted = &profile.accept_versions;
    let refused = !accepted.is_empty() && !accepted.iter().any(|known| known.trim() == version);
    let sentence = format!(
        "The bag says it is BagIt {version:?}. Make it anew as one of: {}.",
        accepted.join(", ")
    );
    let place = "bagit.txt BagIt-Version";
    refused.then(|| Finding::new(Code::VersionNotAccepted, place, sentence))
}

fn named(profile: &Profile, facts: &BagFacts) -> Option<Finding> {
    const TAG: &str = "BagIt-Profile-Identifier";
    let place = format!("bag-info.txt {TAG}");
    let ours = profile.identity.identifier.as_str();
    if ours.is_empty() {
        return None;
    }
    let mut names =
        facts.values("bag-info.txt", TAG).map(str::trim).filter(|name| !name.is_empty());
    // Where a rule for the tag itself is broken, that rule tells.
    let ruled = profile.tag("bag-info.txt", TAG).is_some_and(|rule| rule.required);
    match names.next() {
        None if profile.identifier_required && !ruled => {
            let sentence = format!("The bag names no profile. Add to bag-info.txt: {TAG}: {ours}");
            Some(Finding::new(Code::ProfileIdentifierMissing, place, sentence))
        }
        None => None,
        Some(first) => {
            let mut named = std::iter::once(first).chain(names);
            let matches = named.any(|name| super::normalise(name) == ours);
            let sentence = format!(
                "The bag names the profile {first}, but was judged by {ours}. Correct the tag if \
                 that is not meant."
            );
            (!matches).then(|| Finding::new(Code::ProfileIdentifierOther, place, sentence))
        }
    }
}

fn fetch(profile: &Profile, facts: &BagFacts) -> Option<Finding> {
    let (code, sentence) = match (profile.fetch, facts.fetch_count) {
        (FetchRule::Forbidden, Some(count)) => (
            Code::FetchNotAllowed,
            format!(
                "{count} files are left to be fetched. Put them into the bag and remove fetch.txt."
            ),
        ),
        (FetchRule::Required, None) => (
            Code::FetchRequired,
            String::from("The profile wants a fetch.txt. Add one that lists where the files are."),
        ),
        (FetchRule::Forbidden | FetchRule::Allowed | FetchRule::Required, _) => return None,
    };
    Some(Finding::new(code, "fetch.txt", sentence))
}

fn emptiness(profile: &Profile, facts: &BagFacts) -> Option<Finding> {
    // One file without a byte may stand there, because archives cannot always hold a bare folder.
    let filled = facts.payload_count > 1 || facts.payload_bytes > 0;
    let sentence = format!(
        "The payload must be empty, or one file without a byte; it has {} files with {} bytes. Move \
         them out of the bag.",
        facts.payload_count, facts.payload_bytes
    );
    (profile.data_empty && filled).then(|| Finding::new(Code::DataNotEmpty, "data/", sentence))
}

/// How the two kinds of manifest differ.
struct Kind {
    prefix: &'static str,
    required: Code,
    not_allowed: Code,
}

const PAYLOAD: Kind = Kind {
    prefix: "manifest-",
    required: Code::ManifestRequired,
    not_allowed: Code::ManifestNotAllowed,
};
const TAG: Kind = Kind {
    prefix: "tagmanifest-",
    required: Code::TagManifestRequired,
    not_allowed: Code::TagManifestNotAllowed,
};

fn algorithms(choice: &Choice, present: &[String], kind: &Kind) -> Vec<Finding> {
    let missing = choice.required.iter().filter(|required| {
        *required != "*" && !present.iter().any(|name| plain(name) == plain(required))
    });
    let missing = missing.map(|required| {
        let place = format!("{}{}.txt", kind.prefix, plain(required));
        let sentence = format!("The profile requires {place}. Make the bag anew with {required}.");
        Finding::new(kind.required, place, sentence)
    });
    let illegal = present.iter().filter(|name| !choice.allows_algorithm(name)).take(ALIKE_MAX);
    let illegal = illegal.map(|name| {
        let place = format!("{}{name}.txt", kind.prefix);
        let allowed = choice.allowed.join(", ");
        let sentence = format!("The profile allows only {allowed}. Remove {place}.");
        Finding::new(kind.not_allowed, place, sentence)
    });
    missing.chain(illegal).collect()
}

fn tag_files(profile: &Profile, facts: &BagFacts) -> Vec<Finding> {
    let choice = &profile.tag_files;
    let missing = choice.required.iter().filter(|path| !facts.tag_files.contains(path));
    let missing = missing.map(|path| {
        let sentence = format!("The profile requires the tag file {path}. Add it to the bag.");
        Finding::new(Code::TagFileRequired, path.as_str(), sentence)
    });
    // BagIt asks for these two itself; patterns are about what stands beside them.
    let own = ["bagit.txt", "bag-info.txt"];
    let mut strays = facts
        .tag_files
        .iter()
        .filter(|path| !own.contains(&path.as_str()) && !choice.allows_path(path));
    let mut findings: Vec<Finding> = missing.collect();
    findings.extend(strays.by_ref().take(ALIKE_MAX).map(|path| {
        let allowed = choice.allowed.join(", ");
        let sentence = format!("The profile allows only {allowed} here. Move the file into data/.");
        Finding::new(Code::TagFileNotAllowed, path.as_str(), sentence)
    }));
    findings.extend(rest(Code::TagFileNotAllowed, strays.count() as u64));
    findings
}

/// One sentence for all that was not listed.
pub(super) fn rest(code: Code, count: u64) -> Option<Finding> {
    let sentence = format!("There are {count} more of these; the first {ALIKE_MAX} are listed.");
    (count > 0).then(|| Finding::new(code, "", sentence))
}
