//! What is told to posterity about one deposit, in the words of PREMIS.
//!
//! An event that is true of every file of a deposit is written once, with words in braces where
//! files differ. Identifiers are computed from what they name, so that a repeated recording writes
//! the same events.

use digests::AlgorithmSet;
use storage::clock::Timestamp;
use storage::registry::{EventType, Outcome, Scope};

use super::records::BagRecord;
use crate::chronicle::{AGENT, Told, uuid_of};

/// The algorithms whose digests are computed for every file.
const COMPUTED: [&str; 4] = ["md5", "sha1", "sha256", "sha512"];

/// All events of a deposit.
pub(super) struct Telling<'b> {
    pub(super) bag: &'b BagRecord,
    pub(super) version: u32,
    /// Names of the replicas it was copied to.
    pub(super) replicas: Vec<&'b str>,
    /// Which files of the version before are not in the deposit, in words.
    pub(super) absent: Option<String>,
}

/// An event before it has a name.
struct Draft {
    kind: EventType,
    at: u64,
    scope: Scope,
    detail: String,
    outcome: Outcome,
    outcome_detail: String,
    information: String,
}

impl Telling<'_> {
    pub(super) fn events(&self) -> Vec<Told> {
        let mut drafts = self.about_the_object();
        drafts.extend(self.about_the_files());
        drafts.into_iter().enumerate().map(|(at, draft)| self.event(at, draft)).collect()
    }

    fn event(&self, at: usize, draft: Draft) -> Told {
        let version = self.version.to_string();
        let words = ["event", &self.bag.object_identifier, &version, &at.to_string()];
        Told {
            identifier: uuid_of(&words),
            event_type: draft.kind,
            date_time: Timestamp(draft.at),
            detail: draft.detail,
            outcome: draft.outcome,
            outcome_detail: draft.outcome_detail,
            outcome_information: draft.information,
            object: AGENT.to_owned(),
            agent: AGENT.to_owned(),
            scope: draft.scope,
        }
    }

    fn about_the_object(&self) -> Vec<Draft> {
        let bag = self.bag;
        let (moments, access) = (bag.moments, bag.facts.access.name());
        let draft = |kind, at, detail: &str, outcome: String, information: &str| Draft {
            kind,
            at,
            scope: Scope::Object,
            detail: detail.to_owned(),
            outcome: Outcome::Success,
            outcome_detail: outcome,
            information: information.to_owned(),
        };
        let mut drafts = vec![self.validation()];
        if self.version == 1 {
            drafts.push(draft(
                EventType::Creation,
                moments.recorded,
                "object created",
                "intellectual object created".to_owned(),
                "object created, files copied to preservation storage",
            ));
            drafts.push(draft(
                EventType::IdentifierAssignment,
                moments.recorded,
                "assigned object identifier",
                bag.object_identifier.clone(),
                "identifier of the institution and name of the bag",
            ));
        }
        let mut proved = "every copy was read back and compared by sha512".to_owned();
        if let Some(absent) = &self.absent {
            proved = format!("{proved}; {absent}");
        }
        drafts.push(draft(
            EventType::Ingestion,
            // When it was done: the copies were written, and read back after that.
            moments.recorded,
            "copied files to preservation storage",
            format!("{} files copied", bag.saved_file_count),
            &proved,
        ));
        drafts.push(draft(
            EventType::AccessAssignment,
            moments.recorded,
            "assigned object access rights",
            access.to_owned(),
            &format!("set access to {access}"),
        ));
        drafts
    }

    /// A bag with errors does not come here; what else was found is something to know.
    fn validation(&self) -> Draft {
        let rules = &self.bag.facts.bagit_profile_identifier;
        let (outcome, information) = match self.bag.findings.len() {
            0 => (Outcome::Success, "the bag is valid".to_owned()),
            count => (Outcome::Warning, format!("the bag is valid; warnings: {count}")),
        };
        Draft {
            kind: EventType::Validation,
            at: self.bag.moments.validated,
            scope: Scope::Object,
            detail: "the bag was checked by these rules".to_owned(),
            outcome,
            outcome_detail: rules.clone(),
            information,
        }
    }

    fn about_the_files(&self) -> Vec<Draft> {
        let mut drafts = self.about_digests();
        let moments = self.bag.moments;
        let files = Scope::Files;
        drafts.push(file_draft(
            (EventType::FormatIdentification, moments.identified, files),
            &format!("identified the format by PRONOM signatures ({})", self.bag.signatures),
            "{puid}",
            "{format}",
        ));
        drafts.push(file_draft(
            (EventType::Ingestion, moments.stored, files),
            "completed copy to preservation storage ({uuid})",
            "sha512:{sha512}",
            "read back and compared by sha512",
        ));
        // All replicas are written from one reading of the deposit.
        if let [_, others @ ..] = self.replicas.as_slice()
            && !others.is_empty()
        {
            drafts.push(file_draft(
                (EventType::Replication, moments.stored, files),
                &format!("copied to replication storage ({})", others.join(", ")),
                "{content}",
                "replicated to secondary storage",
            ));
        }
        for (detail, outcome) in [
            ("assigned new institution/bag/path identifier", "{identifier}"),
            ("assigned new storage identifier", "{uuid}"),
        ] {
            drafts.push(file_draft(
                (EventType::IdentifierAssignment, moments.recorded, Scope::New),
                detail,
                outcome,
                "assigned once, for ever",
            ));
        }
        drafts
    }

    fn about_digests(&self) -> Vec<Draft> {
        let surveyed = self.bag.moments.surveyed;
        let calculated = COMPUTED.iter().map(|algorithm| {
            file_draft(
                (EventType::MessageDigestCalculation, surveyed, Scope::Files),
                "calculated fixity value",
                &format!("{algorithm}:{{{algorithm}}}"),
                "calculated fixity value",
            )
        });
        // A manifest may spell its algorithm in another way, SHA-256 for example.
        let known: AlgorithmSet =
            self.bag.manifests.iter().filter_map(|name| name.parse().ok()).collect();
        let compared = known.iter().map(|algorithm| {
            // Digests by other algorithms were compared, and are not kept.
            let told = match COMPUTED.contains(&algorithm.name()) {
                true => format!("{algorithm}:{{{algorithm}}}"),
                false => algorithm.to_string(),
            };
            file_draft(
                (EventType::FixityCheck, surveyed, Scope::Payload),
                "fixity check against registered hash",
                &told,
                "fixity matches",
            )
        });
        calculated.chain(compared).collect()
    }
}

fn file_draft(
    (kind, at, scope): (EventType, u64, Scope),
    detail: &str,
    outcome: &str,
    information: &str,
) -> Draft {
    Draft {
        kind,
        at,
        scope,
        detail: detail.to_owned(),
        outcome: Outcome::Success,
        outcome_detail: outcome.to_owned(),
        information: information.to_owned(),
    }
}
