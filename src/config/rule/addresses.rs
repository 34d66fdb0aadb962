//! Rules for where messages go and come from.

use super::{Given, Rule, quoted};
use crate::config::telling::MailSecurity;

/// A machine and a port on it.
pub(in crate::config) struct HostPort;

impl Rule for HostPort {
    type Meant = (String, u16);
    fn read(&self, given: Given<'_>) -> Option<(String, u16)> {
        let (host, port) = given.text()?.rsplit_once(':')?;
        let port = port.parse().ok().filter(|port| *port > 0)?;
        is_host(host).then(|| (host.to_ascii_lowercase(), port))
    }
    fn allowed(&self) -> String {
        "a host and a port, such as \"mail.example.org:587\"".to_owned()
    }
    fn write(&self, (host, port): &(String, u16)) -> String {
        quoted(&format!("{host}:{port}"))
    }
}

fn is_host(host: &str) -> bool {
    let label = |label: &str| {
        !label.is_empty() && label.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b))
    };
    host.len() <= 253 && host.split('.').all(label)
}

/// An address with a path, to be called.
pub(in crate::config) struct WebAddress;

impl Rule for WebAddress {
    type Meant = String;
    fn read(&self, given: Given<'_>) -> Option<String> {
        let text = given.text()?;
        let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"))?;
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (host, port) = match rest[..end].rsplit_once(':') {
            Some((host, port)) => (host, port.parse::<u16>().is_ok_and(|port| port > 0)),
            None => (&rest[..end], true),
        };
        let plain = text.len() <= 2000 && text.bytes().all(|b| b.is_ascii_graphic() && b != b'#');
        (is_host(host) && port && plain).then(|| text.to_owned())
    }
    fn allowed(&self) -> String {
        "an address such as \"https://example.org/alerts\"".to_owned()
    }
    fn write(&self, meant: &String) -> String {
        quoted(meant)
    }
}

/// Whom a message is from.
pub(in crate::config) struct MailAddress;

impl Rule for MailAddress {
    type Meant = String;
    fn read(&self, given: Given<'_>) -> Option<String> {
        let text = given.text()?;
        let (name, host) = text.rsplit_once('@')?;
        let plain = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~.".contains(&b);
        let sound = (1..=64).contains(&name.len())
            && name.bytes().all(plain)
            && name.split('.').all(|part| !part.is_empty())
            && is_host(host);
        sound.then(|| text.to_owned())
    }
    fn allowed(&self) -> String {
        "an e-mail address without a name, such as \"strongroom@example.org\"".to_owned()
    }
    fn write(&self, meant: &String) -> String {
        quoted(meant)
    }
}

pub(in crate::config) struct Security;

impl Rule for Security {
    type Meant = MailSecurity;
    fn read(&self, given: Given<'_>) -> Option<MailSecurity> {
        match given.text()? {
            "starttls" => Some(MailSecurity::StartTls),
            "tls" => Some(MailSecurity::Tls),
            "plain" => Some(MailSecurity::Plain),
            _ => None,
        }
    }
    fn allowed(&self) -> String {
        "\"starttls\", \"tls\" or \"plain\"".to_owned()
    }
    fn write(&self, meant: &MailSecurity) -> String {
        quoted(match meant {
            MailSecurity::StartTls => "starttls",
            MailSecurity::Tls => "tls",
            MailSecurity::Plain => "plain",
        })
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::*;

    fn reads<R: Rule>(rule: &R, text: &str) -> bool {
        rule.read(Given::Text(OsStr::new(text))).is_some()
    }

    #[test]
    fn addresses_are_whole_and_carry_nothing_else() {
        for good in ["mail.example.org:587", "127.0.0.1:25", "LOCALHOST:2525"] {
            assert!(reads(&HostPort, good), "{good}");
        }
        for bad in ["mail.example.org", "mail:0", "mail:x", ":25", "a b:25", "smtp://mail:25"] {
            assert!(!reads(&HostPort, bad), "{bad}");
        }
        for good in ["https://example.org", "http://127.0.0.1:9000/a?b=c", "https://a.b/c/d"] {
            assert!(reads(&WebAddress, good), "{good}");
        }
        for bad in ["example.org/x", "ftp://a.b", "https://", "https://u:p@a.b/", "https://a b/"] {
            assert!(!reads(&WebAddress, bad), "{bad}");
        }
        for good in ["a@b.org", "room.one+x@archive.local"] {
            assert!(reads(&MailAddress, good), "{good}");
        }
        for bad in ["a", "@b.org", "a@", "A <a@b.org>", "a@b.org\r\nBcc: c@d.org", "a..b@c.org"] {
            assert!(!reads(&MailAddress, bad), "{bad}");
        }
    }
}
