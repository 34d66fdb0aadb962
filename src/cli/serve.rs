//! `strongroom serve`: the appliance, until asked to stop.

use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use storage::clock::SystemClock;
use tokio::signal::unix::{SignalKind, signal};

use super::print::line;
use super::{Failure, Outcome, Place};
use crate::appliance::Appliance;
use crate::flows::{FLOWS, SWEEPS};
use crate::ingest::area;
use crate::telemetry;

/// Start the appliance and serve until asked to stop.
#[derive(Args, Default)]
#[command(after_help = "Examples:\n  strongroom serve\n  \
    strongroom serve --data /srv/strongroom --listen 127.0.0.1:9000\n\n\
    Stops at SIGTERM or Ctrl-C when every stage has reached a safe point; a second one stops at\n\
    once. Either way nothing is lost. SIGHUP changes nothing: certificates are read again when\n\
    their files change, everything else at the next start.")]
pub(super) struct Serve {
    /// The address to listen on [default: 127.0.0.1:8600]
    #[arg(long, value_name = "ADDR")]
    listen: Option<String>,
}

impl Serve {
    pub(super) fn run(self, place: &Place) -> Outcome {
        let config = place.load(self.listen)?;
        telemetry::init(&config.log)?;
        // Asked for before anything is opened: no signal may fall between.
        let waiting = Signals::listen()?.ignoring_hangup()?;
        let data = config.data.clone();
        let receiving = area(&config, &config.ingest.institution);
        let appliance = Appliance::start(config, FLOWS, SWEEPS, Arc::new(SystemClock::start()))?;
        line(&format!("Strongroom is open at {}/", appliance.origin()));
        if let Some(address) = appliance.health_address() {
            line(&format!("Health alone at http://{address}/health"));
        }
        if let Some(path) = appliance.welcome() {
            line("Nobody looks after this appliance yet. Whoever opens this link first does:");
            line(&format!("  {}{path}", appliance.origin()));
        }
        for sentence in appliance.exposed() {
            line(&format!("Warning: {sentence}."));
        }
        line(&format!("Data in {}", data.display()));
        line(&format!("Bags that are put into {receiving} are ingested"));
        waiting.wait()?;
        line("Stopping: stages end at their next safe point.");
        appliance.stop();
        line("Stopped.");
        Ok(ExitCode::SUCCESS)
    }
}

/// The wish of the system or of a person to stop.
pub(super) struct Signals {
    runtime: tokio::runtime::Runtime,
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

impl Signals {
    pub(super) fn listen() -> Result<Signals, Failure> {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let _inside = runtime.enter();
        let interrupt = signal(SignalKind::interrupt())?;
        let terminate = signal(SignalKind::terminate())?;
        drop(_inside);
        Ok(Signals { runtime, interrupt, terminate })
    }

    /// Keeps a service running when its terminal is closed, or when a tool for log files sends SIGHUP.
    pub(super) fn ignoring_hangup(self) -> Result<Signals, Failure> {
        let _inside = self.runtime.enter();
        let mut hangup = signal(SignalKind::hangup())?;
        drop(_inside);
        self.runtime.spawn(async move {
            while hangup.recv().await.is_some() {
                tracing::info!(
                    "SIGHUP was received and changes nothing: certificates are read again when \
                     their files change, everything else at the next start"
                );
            }
        });
        Ok(self)
    }

    /// Waits for the first; from then on the second ends the process at once.
    pub(super) fn wait(self) -> Result<(), Failure> {
        let Signals { runtime, mut interrupt, mut terminate } = self;
        runtime.block_on(async {
            tokio::select! { _ = interrupt.recv() => {}, _ = terminate.recv() => {} }
        });
        runtime.spawn(async move {
            tokio::select! { _ = interrupt.recv() => {}, _ = terminate.recv() => {} }
            // Everything acknowledged is durable; the next start takes back what was under way.
            std::process::exit(130);
        });
        // The second signal must find its listener: this runtime lives as long as the process.
        std::mem::forget(runtime);
        Ok(())
    }
}
