//! The versions of BagIt, and what changed between them.

use crate::finding::Severity;

/// A published version of BagIt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Version {
    V093,
    V094,
    V095,
    V096,
    V097,
    V10,
}

impl Version {
    pub(crate) fn named(text: &str) -> Option<Version> {
        Some(match text {
            "0.93" => Version::V093,
            "0.94" => Version::V094,
            "0.95" => Version::V095,
            "0.96" => Version::V096,
            "0.97" => Version::V097,
            "1.0" => Version::V10,
            _ => return None,
        })
    }

    /// Up to 0.96 there might be white space about the colon of a tag.
    pub(crate) fn spaces_about_colon(self) -> bool {
        self < Version::V097
    }

    /// From 1.0 on a percent sign in a path is itself percent-encoded.
    pub(crate) fn encodes_percent(self) -> bool {
        self >= Version::V10
    }

    /// From 1.0 on every payload manifest lists every payload file.
    pub(crate) fn manifests_list_all(self) -> bool {
        self >= Version::V10
    }

    /// How bad it is what only 1.0 says in so many words: tools that were made before do not agree.
    pub(crate) fn strictly(self) -> Severity {
        if self >= Version::V10 { Severity::Error } else { Severity::Warning }
    }

    /// The file of descriptive tags had another name up to 0.95.
    pub(crate) fn reads_package_info(self) -> bool {
        self <= Version::V095
    }
}
