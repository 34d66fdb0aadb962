//! What the operator asked for, as written (`raw`) and as meant ([`Config`]).
//!
//! Four layers, the later wins: defaults, the file, the environment, the flags. Every value in
//! force remembers which layer it came from ([`Config::explain`]). All checks happen here, before
//! anything is opened: a [`Config`] that exists can be acted upon, and a refusal names the file and
//! line, the variable or the flag, what stands there, and what may stand there.
//!
//! * A key stands once, in `sections.rs`, `assess.rs`, `curating.rs`, `http.rs`, `people.rs`, `research.rs`,
//!   `stages.rs`, `telling.rs` or `custody`, with its default, bounds, names and a line of explanation; explanations, refusals and
//!   [`reference()`] are derived from there.
//! * All bad values are refused together, so that a file is mended in one round. Only values in
//!   force are checked: a flag can rescue a start from a bad line in the file.
//! * An empty environment variable counts as not set.
//! * The data directory is relative to where the program was started, other paths to the data
//!   directory.
//! * Loading is pure over [`Surroundings`]; only [`Config::of_this_machine`] touches the machine.

mod assess;
mod curating;
mod custody;
mod http;
mod load;
mod meant;
mod nearest;
mod people;
mod pick;
mod raw;
mod reference;
mod refusal;
mod research;
mod rule;
mod sections;
mod sqs;
mod stages;
mod telling;
#[cfg(test)]
mod tests;

pub use assess::AssessConfig;
#[cfg(test)]
pub(crate) use assess::CALLBACK_SCHEMAS;
pub(crate) use assess::METHODS;
pub use curating::CuratingConfig;
pub use custody::{
    BucketConfig, Credentials, DESCRIBED_OPTIONS, DataPath, DescribedOption, IngestConfig,
    Location, OptionConfig, ProfileChoice, ReplicaClass, ReplicaConfig, RestoreConfig,
};
pub use http::{Forwarding, HttpConfig, RateConfig, StreamConfig, TlsConfig};
pub use load::{Flags, KnownStage, Surroundings};
pub use meant::{
    Config, FixityConfig, HealthConfig, LogConfig, LogFilter, LogFormat, PoolConfig,
    StageOverrides, UpkeepConfig, WorkConfig,
};
pub use people::{AccountsConfig, DeletionConfig};
pub use pick::Explained;
pub use reference::reference;
pub use refusal::{ConfigError, Hint, Lies, Origin, Place, Refusal};
pub use research::{ResearchConfig, ResearchingConfig};
pub use rule::Network;
pub use sqs::SqsConfig;
pub use telling::{AlertsConfig, MailConfig, MailSecurity, WebhookConfig};
