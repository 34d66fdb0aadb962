//! Logging: set up once, to standard error, as lines for eyes or as JSON.
//!
//! Log where handled: code that passes an error on is silent; the place that decides what happens
//! next writes one line. `error!` means that a person must look, a parked item is one `warn!`, a
//! retry is `info!`, a step of normal work is `debug!`. The sentence reads without its fields; what
//! identifies a thing stands in both.
//!
//! One name per idea, units last:
//!
//! | field | meaning |
//! | --- | --- |
//! | `item` | id of a work item |
//! | `flow` | what is being done to it: ingest, fixity, restore, ... |
//! | `topic` | the stage, by the name of its queue |
//! | `attempt` | which attempt at this stage, from 1 |
//! | `max_attempts` | how many there may be |
//! | `lease` | id of the lease an attempt holds |
//! | `retry_in_ms` | pause before the next attempt |
//! | `object`, `file` | identifier of a preserved object or file |
//! | `institution`, `user` | identifier of who it belongs to, who asked |
//! | `bag` | name of a received bag |
//! | `replica`, `option` | a copy's home, the storage option that chose it |
//! | `digest` | `algorithm:hex` |
//! | `size_bytes`, `free_bytes` | amounts |
//! | `file_count`, `item_count`, `finding_count` | counts |
//! | `took_ms` | how long it took |
//! | `path`, `url` | where it is on this machine, elsewhere |
//! | `method`, `route`, `status` | an HTTP request, its pattern, its answer |
//! | `request` | id of an HTTP request, also in its answer |
//! | `fault` | the error and its causes on one line |
//! | `seed` | what replays a random run |

use std::io::IsTerminal;

use tracing::Subscriber;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::{SubscriberInitExt, TryInitError};

use crate::config::{LogConfig, LogFilter, LogFormat};

/// Logging was set up before in this process.
#[derive(Debug, thiserror::Error)]
#[error("cannot set up logging")]
pub struct TelemetryError(#[from] TryInitError);

/// Sends everything logged in this process to standard error.
pub fn init(log: &LogConfig) -> Result<(), TelemetryError> {
    let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let colour = std::io::stderr().is_terminal() && !plain;
    Ok(subscriber(log, colour, std::io::stderr).try_init()?)
}

fn subscriber<W>(log: &LogConfig, colour: bool, writer: W) -> Box<dyn Subscriber + Send + Sync>
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    let lines = tracing_subscriber::fmt::layer().with_writer(writer);
    let filtered = tracing_subscriber::registry().with(targets(&log.level));
    match log.format {
        LogFormat::Human => Box::new(filtered.with(lines.with_ansi(colour).compact())),
        LogFormat::Json => Box::new(filtered.with(lines.json().flatten_event(true))),
    }
}

fn targets(filter: &LogFilter) -> Targets {
    Targets::new().with_default(filter.everything).with_targets(filter.parts.clone())
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::{Arc, Mutex};

    use tracing::level_filters::LevelFilter;

    use super::*;

    #[derive(Clone, Default)]
    struct Paper(Arc<Mutex<Vec<u8>>>);

    impl Write for Paper {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    fn logged(format: LogFormat, level: LogFilter) -> String {
        let paper = Paper::default();
        let writer = paper.clone();
        let subscriber = subscriber(&LogConfig { format, level }, false, move || writer.clone());
        tracing::subscriber::with_default(subscriber, || {
            let _span = tracing::info_span!("attempt", item = 7).entered();
            tracing::info!(size_bytes = 12, "stored bag.tar");
            tracing::debug!("hidden unless asked for");
            tracing::debug!(target: "strongroom::http", "a part with its own level");
        });
        let bytes = paper.0.lock().unwrap().clone();
        String::from_utf8(bytes).unwrap()
    }

    fn info() -> LogFilter {
        LogFilter { everything: LevelFilter::INFO, parts: Vec::new() }
    }

    #[test]
    fn a_human_reads_one_line_with_fields_and_no_colour_codes() {
        let text = logged(LogFormat::Human, info());
        assert_eq!(text.lines().count(), 1, "{text}");
        assert!(text.contains("stored bag.tar size_bytes=12"), "{text}");
        assert!(text.contains("item=7") && text.contains("INFO"), "{text}");
        assert!(!text.contains('\u{1b}'), "{text}");
    }

    #[test]
    fn a_collector_reads_one_object_per_line() {
        let text = logged(LogFormat::Json, info());
        let line: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(line["message"], "stored bag.tar");
        assert_eq!(line["size_bytes"], 12);
        assert_eq!(line["span"]["item"], 7);
        assert_eq!(line["level"], "INFO");
    }

    #[test]
    fn a_part_may_have_its_own_level() {
        let parts = vec![("strongroom::http".to_owned(), LevelFilter::DEBUG)];
        let text = logged(LogFormat::Human, LogFilter { everything: LevelFilter::OFF, parts });
        assert_eq!(text.lines().count(), 1, "{text}");
        assert!(text.contains("a part with its own level"), "{text}");
    }
}
