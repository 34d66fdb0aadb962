//! Sends what is due, channel by channel.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use storage::clock::{Clock, millis};
use storage::registry::{
    AlertRow, Channel, DeliveryRow, Error, LetterRow, OutboxRow, Parcel, Registry,
};

use super::courier::Courier;
use super::hook::Hook;
use super::letter::{delivered, letter, personal};
use super::patience::{PAUSE, again};
use super::secret::Source;
use super::smtp::Smtp;
use super::{Trouble, spool};
use crate::config::{Config, Credentials};

/// What a webhook is called in the outbox: where it is, may change.
const WEBHOOK: &str = "webhook";
/// Rows sent in one go.
const BATCH: u32 = 100;
/// How long one go may take before it makes way for a stop or a changed order.
const LONGEST: Duration = Duration::from_secs(120);

/// The ways out of the house, and who walks them.
pub struct Outbox {
    pub(super) registry: Arc<Registry>,
    pub(super) clock: Arc<dyn Clock>,
    ways: Vec<Lane>,
    pub(super) courier: Courier,
    site: Option<String>,
    from: String,
}

/// One way.
struct Lane {
    way: Way,
    /// Somebody is on it.
    busy: AtomicBool,
    /// Closed until this steady moment, in milliseconds.
    closed_until: AtomicU64,
}

enum Way {
    Smtp(Smtp),
    Spool(std::path::PathBuf),
    Hook(Hook),
}

/// What became of what was due.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    /// Sent and noted.
    pub sent: u64,
    /// To be tried again.
    pub failed: u64,
    /// Given up.
    pub given_up: u64,
}

impl Outbox {
    /// The ways that are configured. None of them is tried.
    pub fn open(config: &Config, registry: &Arc<Registry>, clock: Arc<dyn Clock>) -> Arc<Outbox> {
        Arc::new(Outbox {
            registry: Arc::clone(registry),
            clock,
            ways: ways(config).into_iter().map(Lane::new).collect(),
            courier: Courier::of(config),
            site: config.http.public_url.clone(),
            from: config.mail.from.clone(),
        })
    }

    /// What to send when these people are to be told: nothing where no way is configured.
    pub fn parcels(&self, addresses: Vec<String>) -> Vec<Parcel> {
        let has = |channel| self.ways.iter().any(|lane| lane.way.channel() == channel);
        let mut parcels = Vec::new();
        if self.has_mail() {
            let letter = |recipient| Parcel { channel: Channel::Email, recipient };
            parcels.extend(addresses.into_iter().map(letter));
        }
        if has(Channel::Webhook) {
            parcels.push(Parcel { channel: Channel::Webhook, recipient: WEBHOOK.into() });
        }
        parcels
    }

    /// The page of ours as people reach it from a letter; none when letters are not written, or
    /// nobody said where our pages are.
    pub fn link(&self, page: &str) -> Option<String> {
        let site = self.site.as_deref().filter(|_| self.has_mail())?;
        Some(format!("{}{page}", site.trim_end_matches('/')))
    }

    /// Whether letters are written.
    pub fn has_mail(&self) -> bool {
        self.ways.iter().any(|lane| lane.way.channel() == Channel::Email)
    }

    /// Writes a letter to one person; nothing where no mail is configured.
    pub fn write_to(&self, recipient: &str, words: (&str, &str)) -> Result<(), Error> {
        if self.has_mail() {
            self.registry.post_letter(recipient, words, self.clock.now())?;
        }
        Ok(())
    }

    /// Sends what is due, each way on a thread of its own; a way that somebody is on is left alone.
    pub fn send_aside(self: &Arc<Outbox>) -> io::Result<()> {
        for (at, lane) in self.ways.iter().enumerate() {
            if !self.is_open(lane) || !self.is_due(lane) || lane.busy.swap(true, Ordering::SeqCst) {
                continue;
            }
            let outbox = Arc::clone(self);
            let thread = std::thread::Builder::new().name("outbox".into());
            let begun = thread.spawn(move || {
                let lane = &outbox.ways[at];
                // Let go of also by a panic, or nothing would ever be sent again.
                let _free = Free(&lane.busy);
                outbox.walk(lane);
            });
            if let Err(error) = begun {
                lane.busy.store(false, Ordering::SeqCst);
                return Err(error);
            }
        }
        Ok(())
    }

    /// Sends what is due, and waits for it.
    pub fn send_due(&self) -> Sent {
        let mut all = Sent::default();
        for lane in self.ways.iter().filter(|lane| self.is_open(lane)) {
            if lane.busy.swap(true, Ordering::SeqCst) {
                continue;
            }
            let _free = Free(&lane.busy);
            let sent = self.walk(lane);
            all.sent += sent.sent;
            all.failed += sent.failed;
            all.given_up += sent.given_up;
        }
        all
    }

    fn is_due(&self, lane: &Lane) -> bool {
        // A registry that cannot be read says so elsewhere, and is asked again in seconds.
        let (channel, now) = (lane.way.channel(), self.clock.now());
        let letters = || self.registry.due_letters(now, 1).is_ok_and(|due| !due.is_empty());
        self.registry.is_outbox_due(channel, now).unwrap_or(false)
            || (channel == Channel::Email && letters())
    }

    fn is_open(&self, lane: &Lane) -> bool {
        millis(self.clock.steady()) >= lane.closed_until.load(Ordering::Relaxed)
    }

    fn walk(&self, lane: &Lane) -> Sent {
        let mut sent = Sent::default();
        if let Err(error) = self.walk_until(lane, &mut sent) {
            tracing::warn!(error = %error, "what is to be sent cannot be read or noted");
        }
        sent
    }

    fn walk_until(&self, lane: &Lane, sent: &mut Sent) -> Result<(), Error> {
        let begun = self.clock.steady();
        // Letters first: somebody waits for them in front of a form.
        if lane.way.channel() == Channel::Email && !self.send_letters(lane, begun, sent)? {
            return Ok(());
        }
        let due = self.registry.due_outbox(lane.way.channel(), self.clock.now(), BATCH)?;
        for row in due {
            // A row cannot outlive its alert.
            let Some(alert) = self.registry.alert(row.alert_id)? else { continue };
            let Err(trouble) = self.send(&lane.way, &row, &alert) else {
                self.registry.outbox_sent(row.id, self.clock.now())?;
                sent.sent += 1;
                continue;
            };
            self.note(&row, &trouble, sent)?;
            if !self.goes_on(lane, &trouble, begun) {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Sends the letters that are due; false when the way is closed or the time is over.
    fn send_letters(&self, lane: &Lane, begun: Duration, sent: &mut Sent) -> Result<bool, Error> {
        for row in self.registry.due_letters(self.clock.now(), BATCH)? {
            let Err(trouble) = self.send_letter(&lane.way, &row) else {
                self.registry.letter_sent(row.id, self.clock.now())?;
                sent.sent += 1;
                continue;
            };
            let now = self.clock.now();
            let next = again(row.attempts.saturating_add(1), row.created_at, now);
            let why = trouble.sentence();
            tracing::warn!(letter = row.id, again = next.is_some(), why, "a letter was not sent");
            self.registry.letter_failed(row.id, why, next, now)?;
            match next {
                Some(_) => sent.failed += 1,
                None => sent.given_up += 1,
            }
            if !self.goes_on(lane, &trouble, begun) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether others are tried after this trouble: not when the way itself is closed.
    fn goes_on(&self, lane: &Lane, trouble: &Trouble, begun: Duration) -> bool {
        if let Trouble::Way(_) = trouble {
            let until = self.clock.steady() + PAUSE;
            lane.closed_until.store(millis(until), Ordering::Relaxed);
            return false;
        }
        self.clock.steady().saturating_sub(begun) <= LONGEST
    }

    /// Sends a result by whatever way letters go.
    pub(super) fn mail_result(&self, row: &DeliveryRow) -> Result<(), Trouble> {
        let message = delivered(&self.from, row);
        for lane in &self.ways {
            match &lane.way {
                Way::Smtp(smtp) => return smtp.send(&row.target, &message),
                Way::Spool(folder) => {
                    return spool::put(folder, &format!("result-{}", row.mark), &message);
                }
                Way::Hook(_) => {}
            }
        }
        Err(Trouble::Way("no e-mail is configured".into()))
    }

    fn send_letter(&self, way: &Way, row: &LetterRow) -> Result<(), Trouble> {
        let message = personal(&self.from, row);
        match way {
            Way::Smtp(smtp) => smtp.send(&row.recipient, &message),
            Way::Spool(folder) => {
                spool::put(folder, &format!("{}-letter-{}", row.created_at.0, row.id), &message)
            }
            // Letters are to people: no program is called with them.
            Way::Hook(_) => Ok(()),
        }
    }

    fn send(&self, way: &Way, row: &OutboxRow, alert: &AlertRow) -> Result<(), Trouble> {
        let site = self.site.as_deref();
        match way {
            Way::Smtp(smtp) => smtp.send(&row.recipient, &letter(&self.from, site, row, alert)),
            Way::Spool(folder) => {
                let name = format!("{}-{}", row.created_at.0, row.id);
                spool::put(folder, &name, &letter(&self.from, site, row, alert))
            }
            Way::Hook(hook) => hook.call(site, row, alert),
        }
    }

    fn note(&self, row: &OutboxRow, trouble: &Trouble, sent: &mut Sent) -> Result<(), Error> {
        let now = self.clock.now();
        let next = again(row.attempts.saturating_add(1), row.created_at, now);
        let why = trouble.sentence();
        match next {
            Some(_) => sent.failed += 1,
            None => sent.given_up += 1,
        }
        tracing::warn!(
            message = row.id,
            alert = row.alert_id,
            again = next.is_some(),
            why,
            "a message was not sent"
        );
        self.registry.outbox_failed(row.id, why, next, now)
    }
}

impl Lane {
    fn new(way: Way) -> Lane {
        Lane { way, busy: AtomicBool::new(false), closed_until: AtomicU64::new(0) }
    }
}

impl Way {
    fn channel(&self) -> Channel {
        match self {
            Way::Smtp(_) | Way::Spool(_) => Channel::Email,
            Way::Hook(_) => Channel::Webhook,
        }
    }
}

fn ways(config: &Config) -> Vec<Way> {
    let mail = &config.mail;
    let source = |from: &Credentials| source(config, from);
    let mut ways = Vec::new();
    if let Some((host, port)) = mail.smtp.clone() {
        let (account, from) = (source(&mail.credentials), mail.from.clone());
        let (security, patience) = (mail.security, mail.timeout);
        ways.push(Way::Smtp(Smtp { host, port, security, account, from, patience }));
    } else if let Some(folder) = &mail.spool {
        ways.push(Way::Spool(folder.within(&config.data)));
    }
    if let Some(url) = config.webhook.url.clone() {
        let secret = source(&config.webhook.secret);
        ways.push(Way::Hook(Hook { url, secret, patience: config.webhook.timeout }));
    }
    ways
}

/// Where a secret is.
pub(super) fn source(config: &Config, from: &Credentials) -> Source {
    match from {
        Credentials::Environment => Source::Environment,
        Credentials::File(path) => Source::File(path.within(&config.data)),
    }
}

/// Lets go of a way.
pub(super) struct Free<'a>(pub(super) &'a AtomicBool);

impl Drop for Free<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::SeqCst);
    }
}
