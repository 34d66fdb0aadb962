//! What people are told of, and how it reaches them: `[alerts]`, `[mail]` and `[webhook]`.

use std::time::Duration;

use super::custody::{Credentials, DataPath};
use super::meant::Config;
use super::pick::{Key, Pick};
use super::raw::{RawAlerts, RawMail, RawWebhook};
use super::refusal::Refusal;
use super::rule::{
    DataFolder, HostPort, KeySource, MailAddress, Security, Switch, WebAddress, days, hours,
    seconds, whole,
};

/// When people are told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlertsConfig {
    /// How long a replica may be away.
    pub away: Duration,
    /// The share of a folder's disk, in percent, that should be free; zero is not asked.
    pub room_percent: u32,
    /// How long an item may stand still.
    pub stalled: Duration,
    /// How long an item may wait for the same thing before people are told.
    pub waiting: Duration,
    /// How long a check may be overdue.
    pub fixity_grace: Duration,
}

/// How e-mail leaves the house; without a way it is not written at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailConfig {
    /// Host and port of the server that takes it.
    pub smtp: Option<(String, u16)>,
    pub security: MailSecurity,
    pub credentials: Credentials,
    /// Where it is put as files instead.
    pub spool: Option<DataPath>,
    pub from: String,
    /// How long each answer of the server may take.
    pub timeout: Duration,
}

impl MailConfig {
    /// Whether e-mail is written.
    pub fn is_on(&self) -> bool {
        self.smtp.is_some() || self.spool.is_some()
    }
}

/// How the line to a mail server is kept private.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailSecurity {
    /// Asked for on the open line, and insisted on.
    StartTls,
    /// From the first byte.
    Tls,
    /// Not at all; then no password is sent either.
    Plain,
}

/// Another program that is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookConfig {
    pub url: Option<String>,
    pub allow_http: bool,
    /// Where the secret is that calls are signed with.
    pub secret: Credentials,
    /// How long a call may take.
    pub timeout: Duration,
}

pub(super) fn alerts(pick: &mut Pick<'_>, raw: RawAlerts) -> AlertsConfig {
    let away = "How long a replica may be away before people are told.";
    let room = "People are told when less of a replica's disk is free; 0 is never.";
    let stalled = "How long an item may stand still before people are told.";
    let waiting =
        "How long an item may wait for something, such as a replica, before people are told.";
    let grace = "How long a fixity check may be overdue before people are told.";
    AlertsConfig {
        away: pick.one(raw.away_s, &Key::new("alerts.away_s", seconds(0, 86_400), "300", away)),
        room_percent: pick
            .one(raw.room_percent, &Key::new("alerts.room_percent", whole(0, 90), "10", room)),
        stalled: pick
            .one(raw.stalled_h, &Key::new("alerts.stalled_h", hours(1, 8760), "24", stalled)),
        waiting: pick
            .one(raw.waiting_h, &Key::new("alerts.waiting_h", hours(1, 8760), "24", waiting)),
        fixity_grace: pick.one(
            raw.fixity_grace_days,
            &Key::new("alerts.fixity_grace_days", days(0, 3650), "7", grace),
        ),
    }
}

pub(super) fn mail(pick: &mut Pick<'_>, raw: RawMail) -> MailConfig {
    let smtp = "The server that takes e-mail. Without it and without a spool, none is written.";
    let security = "How the line to it is kept private. Over \"plain\" no password is sent.";
    let credentials = "Where its user and password are: STRONGROOM_MAIL_USER and \
        STRONGROOM_MAIL_PASSWORD, or a file with lines user = ... and password = ...";
    let spool = "A folder that e-mail is put into as .eml files instead, for another to send.";
    let timeout = "How long each answer of the server may take.";
    let from = "Whom e-mail is from. Set it to an address that reaches you.";
    MailConfig {
        smtp: pick.maybe(
            raw.smtp,
            &Key::unset("mail.smtp", HostPort, "mail.example.org:587", smtp)
                .env(&["STRONGROOM_MAIL_SMTP"]),
        ),
        security: pick
            .one(raw.security, &Key::new("mail.security", Security, "starttls", security)),
        credentials: pick.one(
            raw.credentials,
            &Key::new("mail.credentials", KeySource, "environment", credentials),
        ),
        spool: pick.maybe(raw.spool, &Key::unset("mail.spool", DataFolder, "mail", spool)),
        from: pick
            .one(raw.from, &Key::new("mail.from", MailAddress, "strongroom@archive.local", from)),
        timeout: pick
            .one(raw.timeout_s, &Key::new("mail.timeout_s", seconds(1, 600), "30", timeout)),
    }
}

pub(super) fn webhook(pick: &mut Pick<'_>, raw: RawWebhook) -> WebhookConfig {
    let url = "An address that every alert is sent to as JSON.";
    let http = "Lets that address be one that is not encrypted.";
    let timeout = "How long a call may take.";
    let secret = "Where the secret is that calls are signed with: STRONGROOM_WEBHOOK_SECRET, or a \
        file that holds nothing else. Without one they are not signed.";
    WebhookConfig {
        url: pick.maybe(
            raw.url,
            &Key::unset("webhook.url", WebAddress, "https://example.org/alerts", url),
        ),
        allow_http: pick
            .one(raw.allow_http, &Key::new("webhook.allow_http", Switch, "false", http)),
        secret: pick.one(raw.secret, &Key::new("webhook.secret", KeySource, "environment", secret)),
        timeout: pick
            .one(raw.timeout_s, &Key::new("webhook.timeout_s", seconds(1, 600), "30", timeout)),
    }
}

/// Refuses what is fine alone but not together.
pub(super) fn agree(pick: &mut Pick<'_>, config: &Config) {
    if config.mail.smtp.is_some() && config.mail.spool.is_some() {
        let place = pick.place_of("mail.spool");
        pick.refusals.push(Refusal::TwoMailWays { place });
    }
    let open = config.webhook.url.as_ref().filter(|url| url.starts_with("http://"));
    if let Some(url) = open.filter(|_| !config.webhook.allow_http) {
        let (place, url) = (pick.place_of("webhook.url"), url.clone());
        pick.refusals.push(Refusal::OpenWebhook { place, url });
    }
}
