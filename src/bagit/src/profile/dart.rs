//! Profiles in the format of DART, the bagging tool of APTrust: one list of tags for all tag files.
//!
//! DART keeps in the same file what its forms need. Of that only the rules are read: `defaultValue`
//! and `userValue` fill in a form and do not make up for a tag that a bag lacks. A list or a text
//! that was never filled in is `null` there, and a list of one value may stand as a text.

use super::document::{Document, Node, ProfileError};
use super::load::{contradictions, serialization};
use super::rules::{EmptyRule, FetchRule, Profile, TagRule};

/// The key that no other kind of profile has.
const INFO: &str = "bagItProfileInfo";

/// The key under which DART exports profiles with its other settings.
const EXPORTED: &str = "bagItProfiles";

/// How the addresses of APTrust's own profile begin, whatever its version.
const APTRUST: &str =
    "https://raw.githubusercontent.com/APTrust/preservation-services/master/profiles/aptrust-";

type Member<'a> = (String, Node<'a>);

/// Whether a document is a profile of DART, by its keys.
pub(super) fn is_profile(members: &[Member<'_>]) -> bool {
    members.iter().any(|(name, _)| name == INFO || name == EXPORTED)
}

/// Loads the profile, or the only one among exported settings.
pub(super) fn load<'a>(
    mut document: Document<'a>,
    top: &Node<'a>,
    members: &[Member<'a>],
) -> Result<Profile, ProfileError> {
    let mut profile = Profile { fetch: FetchRule::Forbidden, ..Profile::blank() };
    if members.iter().any(|(name, _)| name == INFO) {
        read(&mut document, &mut profile, top, members);
    } else {
        let exported = members.iter().filter(|(name, _)| name == EXPORTED);
        let found: Vec<Node<'_>> = exported.flat_map(|(_, node)| document.items(node)).collect();
        match found.as_slice() {
            [only] => {
                let members = document.members(only);
                read(&mut document, &mut profile, only, &members);
            }
            _ => {
                let sentence =
                    format!("holds {} profiles: export the one that is meant", found.len());
                document.refuse(top, sentence);
            }
        }
    }
    document.close(profile)
}

fn read<'a>(
    document: &mut Document<'a>,
    profile: &mut Profile,
    top: &Node<'a>,
    members: &[Member<'a>],
) {
    for (name, node) in members.iter().filter(|(_, node)| !node.is_null()) {
        match name.as_str() {
            INFO => identity(document, profile, node),
            "name" => profile.identity.title = document.text(node),
            "acceptBagItVersion" => profile.accept_versions = list(document, node),
            "acceptSerialization" => {
                profile.accept_serialization =
                    list(document, node).into_iter().map(mime_type).collect();
            }
            "allowFetchTxt" if document.boolean(node) => profile.fetch = FetchRule::Allowed,
            "serialization" => {
                profile.serialization = serialization(document, node).unwrap_or_default();
            }
            "manifestsRequired" => profile.manifests.required = list(document, node),
            "manifestsAllowed" => profile.manifests.allowed = list(document, node),
            "tagManifestsRequired" => profile.tag_manifests.required = list(document, node),
            "tagManifestsAllowed" => profile.tag_manifests.allowed = list(document, node),
            "tagFilesRequired" => profile.tag_files.required = list(document, node),
            "tagFilesAllowed" => profile.tag_files.allowed = list(document, node),
            "tarDirMustMatchName" => profile.top_folder_is_name = document.boolean(node),
            "tags" => {
                for node in document.items(node) {
                    let rule = tag(document, &node);
                    profile.tags.push(rule);
                }
            }
            // What its forms need, and what later versions add to them.
            _ => {}
        }
    }
    let identity = &profile.identity;
    profile.identifier_required = !identity.identifier.is_empty();
    // The format has no word for what APTrust asks of names.
    profile.plain_names = identity.identifier.starts_with(APTRUST);
    if identity.name().is_empty() {
        document
            .refuse(top, "bagItProfileIdentifier and name are missing: say which profile this is");
    }
    for sentence in contradictions(profile) {
        document.refuse(top, sentence);
    }
}

fn identity<'a>(document: &mut Document<'a>, profile: &mut Profile, info: &Node<'a>) {
    let identity = &mut profile.identity;
    for (name, node) in document.members(info).iter().filter(|(_, node)| !node.is_null()) {
        let text = document.text(node).trim().to_owned();
        match name.as_str() {
            "bagItProfileIdentifier" => identity.identifier = text,
            "version" => identity.version = text,
            "sourceOrganization" => identity.source_organization = text,
            "externalDescription" => identity.description = text,
            // Whom to ask, and the version of a specification that this format does not follow.
            _ => {}
        }
    }
}

fn tag<'a>(document: &mut Document<'a>, node: &Node<'a>) -> TagRule {
    let mut rule = TagRule::free(String::new(), String::new());
    // Where it says nothing, DART wants a value.
    rule.empty = EmptyRule::Forbidden;
    for (name, node) in document.members(node).iter().filter(|(_, node)| !node.is_null()) {
        match name.as_str() {
            "tagFile" => rule.file = document.text(node),
            "tagName" => rule.name = document.text(node),
            "required" => rule.required = document.boolean(node),
            // Spelled either way, by the version of DART.
            "emptyOk" | "emptyOK" if document.boolean(node) => rule.empty = EmptyRule::Allowed,
            "values" => rule.values = list(document, node),
            "help" => rule.description = document.text(node),
            _ => {}
        }
    }
    if rule.file.trim().is_empty() || rule.name.trim().is_empty() {
        document.refuse(node, "tagFile or tagName is missing: say which tag is meant");
    }
    rule
}

/// A list of texts; what was left empty in a form is no item of it.
fn list(document: &mut Document<'_>, node: &Node<'_>) -> Vec<String> {
    let items = if node.is_text() { vec![document.text(node)] } else { document.list(node) };
    items.into_iter().filter(|item| !item.trim().is_empty()).collect()
}

/// Early versions name archives by their endings.
fn mime_type(name: String) -> String {
    if name.contains('/') || name == "*" { name } else { format!("application/{name}") }
}
