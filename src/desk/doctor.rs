//! Are the stores what they should be? Every invariant looked at, in one diagnosis.

use crate::signature_store::Shelf;
use byteio::causes::chain;
use nutrients::ReferenceError;
use ocfl::VaultError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use storage::mirror::MirrorError;
use storage::work::check;

use super::{Desk, DeskError};
use crate::alerts::lost_advice;
use crate::certificate::Certificate;
use crate::exposure::exposed;
use crate::fault::Classify;

/// Copies that are not sound told one by one; the rest are counted.
const COPIES_TOLD: usize = 20;
/// Replicas that a registry may know.
const REPLICAS: u32 = 1000;

/// What the doctor found.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Diagnosis {
    /// What is wrong; empty when all is well.
    pub findings: Vec<DoctorFinding>,
}

impl Diagnosis {
    /// The diagnosis of a data directory that cannot be opened.
    pub fn of_closed(sentence: String) -> Diagnosis {
        Diagnosis { findings: vec![finding("directory", "damaged", sentence, false)] }
    }
}

/// One thing that is wrong with the stores themselves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DoctorFinding {
    /// `work`, `registry`, `formats`, `certificate`, `files`, `reference`, `vaults` or `between`.
    pub store: String,
    /// Stable, kebab-case.
    pub code: String,
    /// What was found.
    pub sentence: String,
    /// Whether it was mended just now.
    pub mended: bool,
}

fn finding(store: &str, code: &str, sentence: String, mended: bool) -> DoctorFinding {
    DoctorFinding { store: store.into(), code: code.into(), sentence, mended }
}

impl Desk<'_> {
    /// Looks at the invariants of every store; with `mend`, puts right what is derived. A store too
    /// damaged to be looked through is a finding, not the end of the look.
    pub fn doctor(&self, mend: bool) -> Result<Diagnosis, DeskError> {
        let now = self.app.shop.clock.now();
        let mut findings = Vec::new();
        for found in check::check(&self.app.shop.queue, now, mend)? {
            findings.push(finding("work", &found.code, found.sentence, found.mended));
        }
        match self.app.registry.check() {
            Ok(flaws) => findings.extend(
                flaws.into_iter().map(|it| finding("registry", it.code, it.sentence, false)),
            ),
            Err(error) => findings.push(finding("registry", "unreadable", chain(&error), false)),
        }
        let shelf = Shelf::at(self.app.home.dir());
        let damaged = shelf.flaws().into_iter();
        findings.extend(damaged.map(|sentence| {
            let advice = "load its files again with `strongroom formats update`";
            finding("formats", "damaged-set", format!("{sentence}; {advice}"), false)
        }));
        findings.extend(self.certificate_troubles());
        let exposed = exposed(&self.app.config).into_iter();
        findings.extend(exposed.map(|it| finding("files", "readable-by-others", it, false)));
        findings.extend(self.left_aside());
        match self.damaged_layers() {
            Ok(damaged) => findings.extend(damaged),
            Err(error) => {
                let sentence = format!("{}; {}", chain(&error), error.advice());
                findings.push(finding("reference", "unreadable", sentence, false));
            }
        }
        match self.unwell_copies() {
            Ok(unwell) => findings.extend(unwell),
            Err(error) => findings.push(finding("vaults", "not-told", chain(&error), false)),
        }
        match self.storage_roots(mend) {
            Ok(flaws) => findings.extend(flaws),
            Err(error) => findings.push(finding("vaults", "not-told", chain(&error), false)),
        }
        match self.compare(mend) {
            Ok(differing) => findings.extend(differing),
            Err(error) => findings.push(finding("between", "not-compared", chain(&error), false)),
        }
        Ok(Diagnosis { findings })
    }

    /// What keeps people from coming in by an encrypted connection, or soon will.
    fn certificate_troubles(&self) -> Option<DoctorFinding> {
        let tls = self.app.config.http.tls.as_ref()?;
        match Certificate::load(tls, &self.app.config.data) {
            Ok(certificate) => {
                let warning = certificate.warning(self.app.shop.clock.now())?;
                Some(finding("certificate", "out-of-date", warning, false))
            }
            Err(error) => Some(finding("certificate", "unusable", chain(&error), false)),
        }
    }

    /// Damaged work states that an earlier start put aside, until a person has looked at them.
    fn left_aside(&self) -> Vec<DoctorFinding> {
        let entries = std::fs::read_dir(self.app.home.dir()).into_iter().flatten().flatten();
        let aside =
            entries.filter(|it| it.file_name().to_string_lossy().starts_with("work.damaged-"));
        aside
            .map(|it| {
                let path = it.path();
                let sentence = format!(
                    "{} was set aside because it was damaged (see REASON in it); remove it when \
                     nothing in it is missed",
                    path.display()
                );
                finding("work", "set-aside", sentence, false)
            })
            .collect()
    }

    /// Layers and lookups that sites are assessed with, or could be after going back, and that are not as
    /// they were loaded. Reads them whole.
    fn damaged_layers(&self) -> Result<Vec<DoctorFinding>, ReferenceError> {
        let mut findings = Vec::new();
        let atlas = &self.app.atlas;
        if !atlas.is_filled() {
            return Ok(findings);
        }
        let library = atlas.library()?;
        library.current_number()?;
        for version in atlas.versions()? {
            let (use_of_it, advice) = match version.is_current {
                true => (
                    "in use",
                    "load its delivery once more with `strongroom reference load DIR`, or go back \
                     with `strongroom reference roll-back`",
                ),
                false => (
                    "kept to go back to",
                    "do not go back to it; the next version that is loaded takes its place",
                ),
            };
            let what = format!("version {} ({use_of_it})", version.number);
            let mut examination = match library.examination(version.number) {
                Err(error @ ReferenceError::Damaged { .. }) => {
                    let sentence = format!("{what}: {}; {advice}", chain(&error));
                    findings.push(finding("reference", "damaged-version", sentence, false));
                    continue;
                }
                examination => examination?,
            };
            while !examination.go_on(u64::MAX) {}
            findings.extend(examination.damaged().map(|table| {
                let sentence = format!(
                    "{table} of {what}, {}, is not as it was loaded; {advice}",
                    version.data_version
                );
                finding("reference", "damaged-layer", sentence, false)
            }));
        }
        Ok(findings)
    }

    /// What the checks have found and could not mend, and where they do not keep up.
    fn unwell_copies(&self) -> Result<Vec<DoctorFinding>, DeskError> {
        let standing = self.fixity()?;
        let mut findings: Vec<DoctorFinding> = Vec::new();
        let told = standing.unsound.iter().take(COPIES_TOLD);
        findings.extend(told.map(|copy| {
            let (file, version, replica) = (&copy.file, copy.version, &copy.replica);
            if copy.is_lost {
                let page = format!("/files/{}", copy.uuid);
                let advice = lost_advice(&page, [copy.cold_replica.as_deref()]);
                let sentence = format!(
                    "version {version} of {file} is lost: no hot replica has a sound copy. {advice}"
                );
                return finding("vaults", "lost-copy", sentence, false);
            }
            let sentence = match copy.is_cold {
                true => format!(
                    "version {version} of {file} is not sound in replica {replica}, which is cold and \
                     read by no check. Deposit the object again with that file: a copy that is missing \
                     there or has another size is stored again"
                ),
                false => format!(
                    "version {version} of {file} is not sound in replica {replica}; another replica \
                     has it: ask for a check, which repairs it"
                ),
            };
            finding("vaults", "unsound-copy", sentence, false)
        }));
        let untold = standing.unsound_count.saturating_sub(findings.len() as u64);
        if untold > 0 {
            let sentence = format!("{untold} more copies are not sound: see the page Fixity");
            findings.push(finding("vaults", "unsound-copy", sentence, false));
        }
        for missing in &standing.missing {
            findings.push(finding("vaults", "missing-copies", missing.sentence(), false));
        }
        for row in standing.replicas.iter().filter(|row| row.is_overdue) {
            let sentence = format!("replica {}: {}", row.checks.replica, row.outlook);
            findings.push(finding("vaults", "fixity-overdue", sentence, false));
        }
        Ok(findings)
    }

    /// Files that describe a storage root and are not as they must be, in the replicas that were used and
    /// are there.
    fn storage_roots(&self, mend: bool) -> Result<Vec<DoctorFinding>, DeskError> {
        let mut findings = Vec::new();
        for row in self.app.registry.replicas(REPLICAS)? {
            let name = &row.replica.name;
            let Some(replica) = self.app.vaults.named(name) else { continue };
            let flaws = if mend { replica.repair_root() } else { replica.check_root() };
            match flaws {
                Ok(flaws) => findings.extend(flaws.iter().map(|flaw| {
                    let sentence = format!("in the storage root of replica {name} {flaw}");
                    finding("vaults", "root-file", sentence, flaw.is_repaired)
                })),
                // That it is away is told elsewhere.
                Err(VaultError::Away { .. }) => {}
                Err(error) => findings.push(finding("vaults", "root-file", chain(&error), false)),
            }
        }
        Ok(findings)
    }

    fn compare(&self, mend: bool) -> Result<Vec<DoctorFinding>, MirrorError> {
        let differing = self.app.mirror.compare()?;
        // The registry keeps the higher revision: a copy that is ahead stays as it is.
        let left = if mend && !differing.is_empty() {
            self.app.mirror.reconcile(self.app.shop.clock.now())?;
            self.app.mirror.compare()?
        } else {
            differing.clone()
        };
        let told = differing.into_iter().map(|sentence| {
            let mended = !left.contains(&sentence);
            finding("between", "copy-differs", sentence, mended)
        });
        Ok(told.collect())
    }
}
