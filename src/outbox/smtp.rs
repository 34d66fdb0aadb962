//! E-mail to a server. One connection for each message: there are few of them.

use std::time::Duration;

use byteio::causes::chain;
use lettre::address::Envelope;
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Tls, TlsParameters};
use lettre::transport::smtp::extension::ClientId;
use lettre::transport::smtp::{Error, SmtpTransport};
use lettre::{Address, Transport};

use super::Trouble;
use super::secret::{Source, mail_account};
use crate::config::MailSecurity;

/// Answers that are about us and not about one message: busy, encryption or a password wanted.
const ABOUT_US: [u16; 5] = [421, 454, 530, 534, 535];

/// A mail server.
pub(super) struct Smtp {
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) security: MailSecurity,
    pub(super) account: Source,
    pub(super) from: String,
    /// How long each answer may take.
    pub(super) patience: Duration,
}

impl Smtp {
    /// Hands a message over. Done when the server has said that it took it.
    pub(super) fn send(&self, to: &str, letter: &[u8]) -> Result<(), Trouble> {
        let to: Address = to.parse().map_err(|_| {
            Trouble::Parcel(format!("{to:?} is not an address that e-mail can be sent to"))
        })?;
        let from = self.from.parse().ok();
        let envelope = Envelope::new(from, vec![to])
            .map_err(|error| Trouble::Parcel(format!("it cannot be addressed: {error}")))?;
        let sent = self.server()?.send_raw(&envelope, letter);
        sent.map(drop).map_err(|error| self.trouble(&error))
    }

    fn server(&self) -> Result<SmtpTransport, Trouble> {
        let encrypted = || {
            TlsParameters::new(self.host.clone())
                .map_err(|error| Trouble::Way(format!("encryption is not to be had: {error}")))
        };
        let tls = match self.security {
            MailSecurity::StartTls => Tls::Required(encrypted()?),
            MailSecurity::Tls => Tls::Wrapper(encrypted()?),
            MailSecurity::Plain => Tls::None,
        };
        let us = self.from.rsplit('@').next().unwrap_or("localhost").to_owned();
        let server = SmtpTransport::builder_dangerous(self.host.clone())
            .port(self.port)
            .timeout(Some(self.patience))
            .hello_name(ClientId::Domain(us))
            .tls(tls);
        let account = match self.security {
            MailSecurity::Plain => None,
            MailSecurity::StartTls | MailSecurity::Tls => mail_account(&self.account)?,
        };
        Ok(match account {
            Some((user, password)) => server.credentials(Credentials::new(user, password)).build(),
            None => server.build(),
        })
    }

    fn trouble(&self, error: &Error) -> Trouble {
        let why = chain(error);
        let status = error.status().map(u16::from);
        let about_us = status.is_none_or(|status| ABOUT_US.contains(&status));
        let server = format!("{}:{}", self.host, self.port);
        if about_us {
            Trouble::Way(format!("the mail server {server} took nothing: {why}"))
        } else {
            Trouble::Parcel(format!("the mail server {server} refused it: {why}"))
        }
    }
}
