//! The deposits of the object, each with what must be known later about the files it saved.

use std::collections::BTreeMap;

use digests::AlgorithmSet;
use storage::registry::{DepositFacts, FileRow, ObjectRow, Registry, Version};

use super::entity::fact;
use super::vocabulary::{REPRESENTS, STRUCTURAL};
use super::xml::Xml;
use super::{PremisError, deposit_id, object_id};

/// What is remembered of every deposit.
pub(super) struct Deposits(BTreeMap<Version, Saved>);

/// What a deposit saved, counted while the files go by.
#[derive(Default)]
pub(super) struct Saved {
    pub(super) files: u64,
    pub(super) payload: u64,
    pub(super) new: u64,
    /// Files whose format is unknown, or not for sure.
    pub(super) unsure: u64,
    /// The program that computed the digests.
    program: String,
    /// The algorithms of the digests that the depositor sent along.
    manifests: AlgorithmSet,
}

impl Deposits {
    pub(super) fn write(
        xml: &mut Xml<'_>,
        registry: &Registry,
        object: &ObjectRow,
    ) -> Result<Deposits, PremisError> {
        let mut deposits = BTreeMap::new();
        for version in (1..=object.version.0).map(Version) {
            let Some(row) = registry.deposit_of(object.id, version)? else { continue };
            xml.object("representation", |xml| {
                xml.identifier("objectIdentifier", &deposit_id(object, version), |_| Ok(()))?;
                for (name, value) in facts(version, &row.facts) {
                    fact(xml, name, &value)?;
                }
                for tag in &row.facts.tags {
                    fact(xml, &format!("{}: {}", tag.file, tag.name), &tag.value)?;
                }
                xml.text("originalName", &row.facts.file_name)?;
                xml.element("relationship", |xml| {
                    xml.term("relationshipType", &STRUCTURAL)?;
                    xml.term("relationshipSubType", &REPRESENTS)?;
                    xml.identifier("relatedObjectIdentifier", &object_id(object), |_| Ok(()))
                })
            })?;
            let program = format!("Strongroom {}", row.facts.program_version);
            let known = row.facts.manifest_algorithms.iter().filter_map(|name| name.parse().ok());
            let manifests = known.collect();
            deposits.insert(version, Saved { program, manifests, ..Saved::default() });
        }
        Ok(Deposits(deposits))
    }

    /// What the deposit that became a version saved.
    pub(super) fn of(&self, version: Version) -> Option<&Saved> {
        self.0.get(&version)
    }

    pub(super) fn count(&mut self, file: &FileRow) {
        let saved = self.0.entry(file.version).or_default();
        saved.files += 1;
        saved.payload += u64::from(file.is_payload());
        saved.new += u64::from(file.version == file.first_version);
        saved.unsure += u64::from(!file.format_is_sure());
    }

    /// Who first computed a digest of a file.
    pub(super) fn originator(&self, file: &FileRow, algorithm: &str) -> &str {
        let sent = |saved: &Saved| algorithm.parse().is_ok_and(|it| saved.manifests.contains(it));
        match self.of(file.version) {
            Some(saved) if file.is_payload() && sent(saved) => "the depositor",
            Some(saved) => &saved.program,
            None => "Strongroom",
        }
    }
}

fn facts(version: Version, facts: &DepositFacts) -> [(&'static str, String); 7] {
    [
        ("version", version.to_string()),
        ("received", facts.received_at.map(|at| at.to_string()).unwrap_or_default()),
        ("recorded", facts.recorded_at.to_string()),
        ("bytes", facts.size.to_string()),
        ("BagIt profile", facts.profile_identifier.clone()),
        ("payload manifests", facts.manifest_algorithms.join(", ")),
        ("format signatures", facts.signature_version.clone()),
    ]
}
