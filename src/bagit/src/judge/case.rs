//! What is known of the bag that is being judged.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use digests::{Algorithm, AlgorithmSet};

use super::{Options, Verdict, base, rereading};
use crate::code::Code;
use crate::error::BagError;
use crate::facts::{BagFacts, Serialization};
use crate::findings::Findings;
use crate::ledger::{Ledger, PathId};
use crate::limits::Limits;
use crate::marks::{Kind, Marks};
use crate::names::rules::shown;
use crate::report::Survey;
use crate::source::intake::{Base, Intake};
use crate::source::packing::{Packing, split_name};
use crate::text::encoding::Encoding;
use crate::text::version::Version;

/// A bag under judgement.
pub(crate) struct Case<'a> {
    pub(crate) options: &'a Options<'a>,
    pub(crate) limits: &'a Limits,
    pub(crate) packing: Packing,
    pub(crate) base: Base,
    pub(crate) ledger: Ledger,
    pub(crate) marks: Marks,
    pub(crate) findings: Findings,
    pub(crate) facts: BagFacts,
    pub(crate) version: Version,
    pub(crate) encoding: Encoding,
    pub(crate) manifests: Vec<Manifest>,
    /// Files that were not, when they were read, what they had been before.
    pub(crate) changed: Mutex<Vec<PathId>>,
    /// Whether it came without a name, and is called by its top folder.
    nameless: bool,
    /// Whether it could not be read at all, so that nothing else is said of it.
    pub(crate) unread: bool,
    pub(crate) files_read: u64,
    pub(crate) bytes_read: u64,
}

/// Where a bag is read from.
pub(crate) enum Source<'s> {
    Path(&'s Path),
    /// An archive that came without a name.
    Stream(File),
}

/// What is said in place of a name.
const STREAM: &str = "-";

/// A manifest or tag manifest that is read.
#[derive(Clone, Debug)]
pub(crate) struct Manifest {
    pub(crate) id: PathId,
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) algorithm: Algorithm,
}

impl<'a> Case<'a> {
    pub(crate) fn open(
        source: Source<'_>,
        options: &'a Options<'a>,
        limits: &'a Limits,
    ) -> Result<Case<'a>, BagError> {
        let nameless = matches!(source, Source::Stream(_));
        let (packing, path) = match source {
            Source::Path(path) => (Packing::open(path, options.scratch)?, path),
            Source::Stream(file) => {
                let path = Path::new(STREAM);
                (Packing::of(file, path, options.scratch)?, path)
            }
        };
        let serialization = packing.serialization();
        let own = || path.file_name().map(|name| name.to_string_lossy().into_owned());
        let name = match serialization {
            Serialization::Folder => own(),
            Serialization::Tar | Serialization::TarGz | Serialization::Zip => {
                split_name(path).map(|(name, _)| name).or_else(own)
            }
        };
        let name = name.unwrap_or_default();
        Ok(Case {
            options,
            limits,
            packing,
            base: Base { prefix: Vec::new(), has_data: false },
            ledger: Ledger::default(),
            marks: Marks::default(),
            findings: Findings::new(limits.finding_count),
            facts: BagFacts { name, serialization, ..BagFacts::default() },
            version: Version::V10,
            encoding: Encoding::Utf8,
            manifests: Vec::new(),
            changed: Mutex::new(Vec::new()),
            nameless,
            unread: false,
            files_read: 0,
            bytes_read: 0,
        })
    }

    /// Finds all files, and where among them the bag is.
    pub(crate) fn walk(&mut self, survey: &mut (dyn Survey + Send)) -> Result<(), BagError> {
        let asked = self.options.stop;
        let stop = || asked.is_some_and(|stop| stop());
        let mut first_pass = rereading::FirstPass::new(&mut self.marks, survey);
        let mut intake = Intake::new(&mut self.ledger, &mut self.findings, self.limits, &stop);
        first_pass.walk(&mut self.packing, &mut intake, self.options)?;
        let (tops, is_broken) = (intake.tops, !intake.open);
        (self.files_read, self.bytes_read) = first_pass.totals();
        self.unread = is_broken && self.ledger.len() == 0;
        if !self.unread {
            base::judge(self, &tops);
        }
        if self.nameless {
            self.facts.name = self.facts.top_folder.clone().unwrap_or_default();
        }
        Ok(())
    }

    /// Asks whether to go on.
    pub(crate) fn pause(&self) -> Result<(), BagError> {
        let stop = self.options.stop.is_some_and(|stop| stop());
        if stop { Err(BagError::Stopped) } else { Ok(()) }
    }

    /// Whether payload files cannot be opened one by one.
    pub(crate) fn is_stream(&self) -> bool {
        self.facts.serialization == Serialization::TarGz
    }

    /// Opens a file for parsing; if that fails there is a finding.
    pub(crate) fn open_file(&mut self, id: PathId) -> Option<Box<dyn Read + Send + '_>> {
        match self.packing.open_file(&self.ledger, id, &self.changed) {
            Ok(reader) => Some(reader),
            Err(error) => {
                unreadable(&mut self.findings, &self.ledger.shown(id), &error);
                None
            }
        }
    }

    /// The algorithms of all manifests.
    pub(crate) fn listed_algorithms(&self) -> AlgorithmSet {
        self.manifests.iter().map(|manifest| manifest.algorithm).collect()
    }

    /// The last step: profile, sums, verdict.
    pub(crate) fn close(mut self, took: Duration) -> Verdict {
        if !self.findings.has_errors() {
            // Nothing may be called valid that was not compared; no path is known to lead here.
            let unread = self.ledger.present().find(|id| !self.marks.lacking(*id).is_empty());
            if let Some(id) = unread {
                let error = std::io::Error::other("it was not read to its end");
                unreadable(&mut self.findings, &self.ledger.shown(id), &error);
            }
        }
        let complete = !self.findings.incomplete();
        if let Some(profile) = self.options.profile.filter(|_| !self.unread) {
            self.findings.raise(|code| profile.raises(&self.facts, code));
            self.findings.extend(profile.judge(&self.facts));
        }
        let valid = complete && !self.findings.has_errors();
        let (findings, counts) = self.findings.finish();
        Verdict {
            facts: self.facts,
            findings,
            counts,
            files: self.files_read,
            bytes: self.bytes_read,
            complete,
            valid,
            unread: self.unread,
            took,
        }
    }
}

/// Tells that a file cannot be read.
pub(crate) fn unreadable(findings: &mut Findings, path: &str, error: &std::io::Error) {
    let path = shown(path);
    findings.add(Code::FileUnreadable, path.clone(), || {
        format!("`{path}` cannot be read: {error}. Check its rights and its disk.")
    });
}
