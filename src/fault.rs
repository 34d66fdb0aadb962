//! The one vocabulary of failure: what stopped a stage, and what it means for the item.
//!
//! A *finding* is wrong with a deposit; a *fault* stopped us. Every room's errors say for
//! themselves which kind they are, right beside their definition, through [`Classify`]; `?` does
//! the rest.

use std::error::Error as StdError;
use std::time::Duration;

use byteio::causes::chain;
use storage::work::item::{Finding, Severity};

/// Why an attempt did not reach its end.
#[derive(Debug)]
pub enum Fault {
    /// The program is stopping. Costs nothing.
    Interrupted,
    /// A person asked to cancel the item.
    Cancelled,
    /// Someone else has the item now. Nothing may be written.
    LeaseLost,
    /// The deposit is at fault: all that is wrong with it.
    Rejected(Vec<Finding>),
    /// Something failed.
    Failed(Failure),
    /// The stage panicked; only the engine says so.
    Panicked(String),
}

/// A failure with what it means.
#[derive(Debug)]
pub struct Failure {
    /// Whether another attempt can help.
    pub kind: Kind,
    /// Stable, kebab-case: parked items are grouped by it.
    pub code: &'static str,
    /// What a person should do.
    pub advice: String,
    /// What happened, with its causes.
    pub source: Box<dyn StdError + Send + Sync>,
}

/// Whether another attempt can help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It may pass: try again, not before the span if one is given.
    Transient {
        /// How long to wait at least.
        retry_after: Option<Duration>,
    },
    /// It will not pass by itself.
    Fatal,
}

/// An error that knows what it means for the work at hand. Matches must be without a wildcard, so
/// that a new variant has to choose.
pub trait Classify: StdError + Send + Sync + Sized + 'static {
    /// Whether another attempt can help.
    fn kind(&self) -> Kind;
    /// Stable, kebab-case.
    fn code(&self) -> &'static str;
    /// What a person should do if it does not pass.
    fn advice(&self) -> String;
    /// The fault this error is.
    fn into_fault(self) -> Fault {
        let (kind, code, advice) = (self.kind(), self.code(), self.advice());
        Fault::Failed(Failure { kind, code, advice, source: Box::new(self) })
    }
}

impl<E: Classify> From<E> for Fault {
    fn from(error: E) -> Fault {
        error.into_fault()
    }
}

impl Fault {
    /// The causes of a failure in one line; `otherwise` where the attempt only did not go on.
    pub fn sentence_or(&self, otherwise: &str) -> String {
        match self {
            Fault::Failed(failure) => failure.sentence(),
            Fault::Interrupted
            | Fault::Cancelled
            | Fault::LeaseLost
            | Fault::Rejected(_)
            | Fault::Panicked(_) => otherwise.into(),
        }
    }
}

impl Failure {
    /// The whole chain of causes in one line, each said once.
    pub fn sentence(&self) -> String {
        chain(&*self.source)
    }
}

/// How many findings there are, in words.
pub fn counted(findings: &[Finding]) -> String {
    match findings.len() {
        1 => "1 finding".into(),
        many => format!("{many} findings"),
    }
}

/// Problems of a rejected deposit that are told in words; the rest are counted.
const TOLD: usize = 3;
/// Letters told of a place and of a sentence: a name in a bag can be a thousand bytes long.
const LETTERS: usize = 200;

/// The first problems of a rejected deposit, so that a list says what is wrong and not only how much.
/// Warnings are not among them: nothing is rejected for a warning.
pub fn problems(findings: &[Finding]) -> String {
    let errors = || findings.iter().filter(|finding| finding.severity == Severity::Error);
    let count = errors().count();
    let mut told: Vec<String> = errors().take(TOLD).map(problem).collect();
    match count.saturating_sub(TOLD) {
        0 if count == 0 => told.push(counted(findings)),
        0 => {}
        1 => told.push("And 1 more problem.".into()),
        more => told.push(format!("And {more} more problems.")),
    }
    told.join(" ")
}

fn problem(finding: &Finding) -> String {
    let place = if finding.place.is_empty() { "the bag" } else { &finding.place };
    let sentence = cut(&finding.sentence);
    let stop = if sentence.ends_with(['.', '!', '?', '…']) { "" } else { "." };
    format!("{}: {sentence}{stop}", cut(place))
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(LETTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

const ROOM: &str = "make room on the disk of the data directory; work goes on by itself";
const DOCTOR: &str = "run `strongroom doctor` and requeue the item when it is clean";

impl Classify for storage::Error {
    fn kind(&self) -> Kind {
        use storage::Error as E;
        match self {
            E::Full => Kind::Transient { retry_after: Some(Duration::from_secs(60)) },
            E::Files { .. }
            | E::Ailing
            | E::Engine(_)
            | E::TopicFull { .. }
            | E::Overlap { .. } => Kind::Transient { retry_after: None },
            E::InUse { .. }
            | E::Newer { .. }
            | E::Foreign { .. }
            | E::Damaged { .. }
            | E::Unreadable { .. }
            | E::LeaseLost(_)
            | E::NoSuchItem(_)
            | E::WrongState { .. }
            | E::Malformed { .. } => Kind::Fatal,
        }
    }

    fn code(&self) -> &'static str {
        use storage::Error as E;
        match self {
            E::Full => "disk-full",
            E::Files { .. } => "data-directory",
            E::Ailing | E::Engine(_) | E::Damaged { .. } => "work-state",
            E::Unreadable { .. } => "unreadable-record",
            E::TopicFull { .. } => "topic-full",
            E::Overlap { .. } => "lease-overlap",
            E::InUse { .. } | E::Newer { .. } | E::Foreign { .. } => "data-directory",
            E::LeaseLost(_) => "lease-lost",
            E::NoSuchItem(_) | E::WrongState { .. } | E::Malformed { .. } => "work-state",
        }
    }

    fn advice(&self) -> String {
        use storage::Error as E;
        match self {
            E::Full => ROOM.into(),
            E::TopicFull { .. } | E::Overlap { .. } => "requeue the item later".into(),
            E::Files { .. } | E::InUse { .. } | E::Newer { .. } | E::Foreign { .. } => {
                "look at the data directory, then requeue the item".into()
            }
            E::Ailing
            | E::Damaged { .. }
            | E::Engine(_)
            | E::Unreadable { .. }
            | E::LeaseLost(_)
            | E::NoSuchItem(_)
            | E::WrongState { .. }
            | E::Malformed { .. } => DOCTOR.into(),
        }
    }

    fn into_fault(self) -> Fault {
        if let storage::Error::LeaseLost(_) = self {
            return Fault::LeaseLost;
        }
        let (kind, code, advice) = (self.kind(), self.code(), self.advice());
        Fault::Failed(Failure { kind, code, advice, source: Box::new(self) })
    }
}
