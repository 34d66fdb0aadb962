//! The keys of profile documents and the generation that brought each.

/// A key at the top of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    ProfileInfo,
    BagInfo,
    ManifestsRequired,
    ManifestsAllowed,
    TagManifestsRequired,
    TagManifestsAllowed,
    TagFilesRequired,
    TagFilesAllowed,
    PayloadFilesRequired,
    PayloadFilesAllowed,
    AllowFetch,
    FetchRequired,
    DataEmpty,
    Serialization,
    AcceptSerialization,
    AcceptVersion,
    TagFilesInfo,
    IdentifierRequired,
    TopFolderIsName,
    PlainNames,
    TagsNeedValues,
}

/// The newest minor version of the specification that is known here.
pub(super) const GENERATION_MAX: u32 = 4;

/// Every key by its name, with the minor version that brought it. Extensions of ours fit every
/// generation: tools that do not know them pass them over.
const KEYS: &[(&str, Key, u32)] = &[
    ("BagIt-Profile-Info", Key::ProfileInfo, 1),
    ("Bag-Info", Key::BagInfo, 1),
    ("Manifests-Required", Key::ManifestsRequired, 1),
    ("Manifests-Allowed", Key::ManifestsAllowed, 3),
    // Never in the specification, but written by people who read "payload manifest" in BagIt.
    ("Payload-Manifests-Required", Key::ManifestsRequired, 1),
    ("Payload-Manifests-Allowed", Key::ManifestsAllowed, 3),
    ("Tag-Manifests-Required", Key::TagManifestsRequired, 1),
    ("Tag-Manifests-Allowed", Key::TagManifestsAllowed, 3),
    ("Tag-Files-Required", Key::TagFilesRequired, 1),
    ("Tag-Files-Allowed", Key::TagFilesAllowed, 2),
    ("Payload-Files-Required", Key::PayloadFilesRequired, 4),
    ("Payload-Files-Allowed", Key::PayloadFilesAllowed, 4),
    ("Allow-Fetch.txt", Key::AllowFetch, 1),
    ("Fetch.txt-Required", Key::FetchRequired, 4),
    ("Data-Empty", Key::DataEmpty, 4),
    ("Serialization", Key::Serialization, 1),
    ("Accept-Serialization", Key::AcceptSerialization, 1),
    ("Accept-BagIt-Version", Key::AcceptVersion, 1),
    ("Tag-Files-Info", Key::TagFilesInfo, 1),
    ("Profile-Identifier-Required", Key::IdentifierRequired, 1),
    ("Top-Folder-Is-Bag-Name", Key::TopFolderIsName, 1),
    ("Names-Without-Control-Characters", Key::PlainNames, 1),
    ("Required-Tags-Need-Values", Key::TagsNeedValues, 1),
];

/// The key with this name and the generation that brought it.
pub(super) fn find(name: &str) -> Option<(Key, u32)> {
    KEYS.iter().find(|(known, ..)| *known == name).map(|(_, key, since)| (*key, *since))
}

/// A known key that differs only in case, hyphens or underscores.
pub(super) fn like(name: &str) -> Option<&'static str> {
    let bare = |text: &str| text.replace(['-', '_', ' '], "").to_ascii_lowercase();
    KEYS.iter().map(|(known, ..)| *known).find(|known| bare(known) == bare(name))
}
