//! The certificate of a deletion: what, when, who asked, who approved, from where, and what remained.

use std::fmt::Write;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use storage::registry::moment::MaybeMoment;
use storage::registry::{DeletionPartId, DeletionRow, Error, GoneCopy, Registry};

use storage::clock::Timestamp;

/// Parts read at a time.
const PAGE: u32 = 1000;

/// A deletion that came to its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Certificate {
    /// The request, with who asked, who approved, and when.
    pub request: DeletionRow,
    /// What was deleted.
    pub parts: Vec<CertifiedPart>,
    /// What was not, in sentences.
    pub remained: Vec<String>,
}

/// One object or file that was deleted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CertifiedPart {
    /// Of the object or of the file.
    pub identifier: String,
    /// Whether it was the whole object.
    pub whole_object: bool,
    /// Files that went.
    pub file_count: u64,
    /// Their bytes, in their newest versions.
    pub size: u64,
    /// Versions of files whose bytes went; their tombstones stay.
    pub version_count: u64,
    /// Different contents among them, by sha512.
    pub content_count: u64,
    /// When the last byte was gone.
    #[serde(with = "MaybeMoment")]
    pub done_at: Option<Timestamp>,
    /// From where.
    pub replicas: Vec<GoneCopy>,
    /// Files of it that were lost before: of these nothing intact was left to delete.
    pub lost: Vec<LostBefore>,
}

/// A file that no hot replica had an intact copy of when it was deleted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LostBefore {
    /// Its path in the object.
    pub path: String,
    /// What is known of the loss, in a sentence.
    pub sentence: String,
}

const REMAINED: [&str; 4] = [
    "Tombstones: the path, size, digests and format of every file, without its bytes.",
    "Events: everything that happened to the files and objects, this deletion included.",
    "Bytes that another file of the same object shares, and versions that were deposited later.",
    "What somebody had restored before and taken elsewhere; in restoration areas it is removed within \
     the hour. And bytes that came by accident into other objects and were set aside there.",
];

/// The certificate of a request; none while it is not completed.
pub fn certificate(
    registry: &Registry,
    request: DeletionRow,
) -> Result<Option<Certificate>, Error> {
    if request.completed_at.is_none() {
        return Ok(None);
    }
    let (mut parts, mut after) = (Vec::new(), DeletionPartId(0));
    loop {
        let page = registry.deletion_parts(request.id, after, PAGE)?;
        let Some(last) = page.last() else { break };
        after = last.id;
        for part in page {
            let (version_count, content_count) = registry.tombstones(&part)?;
            let replicas = registry.gone_copies(part.id)?;
            let lost = registry.losses_of_deletion(&part)?;
            let lost = lost.into_iter().map(|(path, sentence)| LostBefore { path, sentence });
            let object = part.object_identifier;
            parts.push(CertifiedPart {
                whole_object: part.path.is_none(),
                identifier: part.path.map_or(object.clone(), |path| format!("{object}/{path}")),
                file_count: part.file_count,
                size: part.size,
                version_count,
                content_count,
                done_at: part.done_at,
                replicas,
                lost: lost.collect(),
            });
        }
    }
    let remained = REMAINED.map(str::to_owned).to_vec();
    Ok(Some(Certificate { request, parts, remained }))
}

impl Certificate {
    /// The certificate for people.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let written = self.write(&mut text);
        debug_assert!(written.is_ok(), "a string takes all text");
        text
    }

    fn write(&self, out: &mut String) -> std::fmt::Result {
        let it = &self.request;
        let moment = |at: Option<Timestamp>| at.map(|at| at.to_string()).unwrap_or_default();
        let person = |name: &str, email: &str| format!("{name} <{email}>");
        let approver = person(
            it.confirmed_by_name.as_deref().unwrap_or_default(),
            it.confirmed_by_email.as_deref().unwrap_or_default(),
        );
        writeln!(out, "Certificate of deletion\n")?;
        writeln!(out, "Request      {} ({})", it.id, it.uuid)?;
        writeln!(out, "Institution  {} ({})", it.institution_name, it.institution_identifier)?;
        writeln!(out, "Reason       {}", it.reason.replace('\n', " "))?;
        let requester = person(&it.requested_by_name, &it.requested_by_email);
        writeln!(out, "Asked for    {} by {requester}", it.requested_at)?;
        writeln!(out, "Approved     {} by {approver}", moment(it.confirmed_at))?;
        writeln!(out, "Cooling-off  until {}; nothing was erased before", moment(it.erase_after))?;
        writeln!(out, "Completed    {}", moment(it.completed_at))?;
        writeln!(
            out,
            "Deleted      {} objects and {} single files: {} files, {} bytes\n",
            it.object_count, it.file_count, it.deleted_file_count, it.size
        )?;
        for part in &self.parts {
            let kind = if part.whole_object { "object" } else { "file" };
            writeln!(out, "{kind} {}", part.identifier)?;
            writeln!(
                out,
                "  {} files, {} bytes; {} versions with {} different contents",
                part.file_count, part.size, part.version_count, part.content_count
            )?;
            for copy in &part.replicas {
                let place = if copy.place.is_empty() { "" } else { &format!(" ({})", copy.place) };
                writeln!(out, "  gone from {}{place} at {}", copy.replica, copy.gone_at)?;
            }
            for LostBefore { path, sentence } in &part.lost {
                writeln!(out, "  lost before the deletion: {path}: {sentence}")?;
            }
        }
        writeln!(out, "\nWhat remained:")?;
        self.remained.iter().try_for_each(|sentence| writeln!(out, "  {sentence}"))
    }
}
