//! `strongroom research work`: a researcher, on any machine.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::Args;
use storage::clock::SystemClock;

use super::print::{clip, error, line};
use super::research_office::{Remote, client};
use super::serve::Signals;
use super::{Failure, Outcome, Place};
use crate::researcher::{Bench, Office, OfficeError, PackOffice, Wish, research};

/// How long the other side may let us wait for work; Ctrl-C is heeded in between.
const WAIT_S: u32 = 5;
/// First and longest wait before another try, when nobody answers.
const AGAIN: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(30));
/// First and longest rest between two questions while there is no work.
const IDLE: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(5));
/// Between two looks for a wish to stop.
const LOOK: Duration = Duration::from_millis(100);

/// Search as a researcher: for an appliance here or elsewhere, or out of a pack.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    strongroom research work --server https://archive.example.org --token T\n  \
    strongroom research work --pack /media/stick/pack --once\n\n\
    Ctrl-C ends within moments: what was found is told, and the rest is given back. A second one\n\
    ends it at once, and what it held is offered again when its lease ends.")]
pub(super) struct Work {
    /// The appliance, as https://HOST[:PORT] [default: the one that runs on the data directory]
    #[arg(long, value_name = "URL", conflicts_with = "pack")]
    server: Option<String>,
    /// A token for research (`strongroom token create --scope research`)
    #[arg(long, env = "STRONGROOM_TOKEN", hide_env_values = true)]
    token: Option<String>,
    /// What to be known as; whoever comes back under the same name gets the same work again
    #[arg(long, conflicts_with = "pack")]
    name: Option<String>,
    /// Work out of a folder that `research pack` wrote, and leave the results there
    #[arg(long, value_name = "DIR")]
    pack: Option<PathBuf>,
    /// End after one piece of work, or when there is none
    #[arg(long)]
    once: bool,
    /// Threads to search with [default: as many as there are cores]
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    threads: usize,
}

impl Work {
    pub(super) fn run(self, place: &Place) -> Outcome {
        let office: Box<dyn Office> = match &self.pack {
            Some(folder) => Box::new(PackOffice::open(folder)?),
            None => {
                let client = client(place, self.server.as_deref(), self.token.as_deref())?;
                let name = self.name.clone().unwrap_or_else(own_name);
                line(&format!("{} asks {} for work", clip(&name, 80), client.origin()));
                Box::new(Remote::new(client, &name, if self.once { 0 } else { WAIT_S }))
            }
        };
        let stop = wish_to_stop(
            "telling what was found and giving the rest back; once more ends it at once",
        )?;
        self.work(&*office, &stop)
    }

    fn work(&self, office: &dyn Office, stop: &AtomicBool) -> Outcome {
        let (bench, clock) = (Bench::new(self.threads.min(1024)), SystemClock::start());
        let watch = || if stop.load(Ordering::Relaxed) { Wish::WindDown } else { Wish::GoOn };
        let (mut pause, mut idle) = (AGAIN.0, IDLE.0);
        // A pack has an end; an appliance may have work later.
        let ends = self.once || self.pack.is_some();
        while watch() == Wish::GoOn {
            match office.next_work() {
                Ok(Some(work)) => {
                    let title = clip(&work.episode.title, 60);
                    let (count, lease) = (work.clips.len(), &work.lease);
                    line(&format!("{title}: {count} clips, under lease {lease}"));
                    let done = research(office, (&bench, &clock), &work, &watch);
                    line(&format!("{title}: {}", clip(&done.sentence(), 500)));
                    (pause, idle) = (AGAIN.0, IDLE.0);
                    if self.once {
                        break;
                    }
                }
                Ok(None) if ends => {
                    line("There is nothing to do.");
                    break;
                }
                Ok(None) => {
                    rest(idle, stop);
                    idle = (idle * 2).min(IDLE.1);
                }
                Err(OfficeError::Away(why)) => {
                    error(&format!("{why}; another try in {:.1} s", pause.as_secs_f64()));
                    rest(pause, stop);
                    pause = (pause * 2).min(AGAIN.1);
                }
                Err(OfficeError::Refused(why)) => return Err(Failure::Refused(why)),
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Set when a person or the system asks to stop; the second time ends the process at once.
pub(super) fn wish_to_stop(sentence: &'static str) -> Result<Arc<AtomicBool>, Failure> {
    let signals = Signals::listen()?.ignoring_hangup()?;
    let stop = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&stop);
    std::thread::Builder::new().name("signals".into()).spawn(move || {
        // Without signals there is no wish; whoever kills the process is obeyed all the same.
        if signals.wait().is_ok() {
            told.store(true, Ordering::Relaxed);
            error(sentence);
        }
    })?;
    Ok(stop)
}

/// A name that no other process of this machine has.
fn own_name() -> String {
    let host = std::fs::read_to_string("/etc/hostname").unwrap_or_default();
    let host: String = host.trim().chars().filter(|it| !it.is_control()).take(60).collect();
    let host = if host.is_empty() { "researcher" } else { &host };
    format!("{host}-{}", std::process::id())
}

fn rest(span: Duration, stop: &AtomicBool) {
    let looks = span.as_millis().div_ceil(LOOK.as_millis());
    for _ in 0..looks {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        std::thread::park_timeout(LOOK);
    }
}
