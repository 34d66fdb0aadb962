//! An alert, or a letter to one person, as an e-mail: plain text, the same bytes at every attempt.

use jiff::fmt::rfc2822;
use storage::clock::Timestamp;
use storage::registry::{AlertRow, DeliveryRow, LetterRow, OutboxRow};

use super::encoding::{base64, header_text};

/// Letters of base64 in a line.
const LINE: usize = 76;
/// Longest line that mail may carry as it is.
const LONGEST: usize = 900;

/// What a message is made of.
struct Message<'a> {
    from: &'a str,
    recipient: &'a str,
    subject: &'a str,
    created_at: Timestamp,
    id: String,
    text: String,
}

/// An alert as a whole message, with the line ends that mail has.
pub(super) fn letter(from: &str, site: Option<&str>, row: &OutboxRow, alert: &AlertRow) -> Vec<u8> {
    written(&Message {
        from,
        recipient: &row.recipient,
        subject: &alert.subject,
        created_at: row.created_at,
        id: message_id(from, row),
        text: text(site, row, alert),
    })
}

/// A letter to one person as a whole message.
pub(super) fn personal(from: &str, row: &LetterRow) -> Vec<u8> {
    let host = from.rsplit('@').next().unwrap_or("localhost");
    written(&Message {
        from,
        recipient: &row.recipient,
        subject: &row.subject,
        created_at: row.created_at,
        id: format!("<strongroom.letter.{}.{}@{host}>", row.id, row.created_at.0),
        text: tame(&format!("{}\n\n-- \nSent by Strongroom.\n", row.content)),
    })
}

/// A result as a whole message.
pub(super) fn delivered(from: &str, row: &DeliveryRow) -> Vec<u8> {
    let host = from.rsplit('@').next().unwrap_or("localhost");
    written(&Message {
        from,
        recipient: &row.target,
        subject: &row.subject,
        created_at: row.created_at,
        id: format!("<strongroom.result.{}@{host}>", row.mark),
        text: tame(&format!("{}\n\n-- \nSent by Strongroom.\n", row.body)),
    })
}

fn written(message: &Message<'_>) -> Vec<u8> {
    let text = &message.text;
    let plain = text.is_ascii() && text.lines().all(|line| line.len() <= LONGEST);
    let (encoding, body) = if plain {
        ("7bit", text.lines().map(|line| format!("{line}\r\n")).collect::<String>())
    } else {
        ("base64", lines(&base64(text.replace('\n', "\r\n").as_bytes())))
    };
    let head = [
        format!("From: Strongroom <{}>", message.from),
        format!("To: {}", one_line(message.recipient)),
        format!("Subject: {}", header_text(message.subject)),
        format!("Date: {}", date(message.created_at)),
        format!("Message-ID: {}", message.id),
        "MIME-Version: 1.0".to_owned(),
        "Content-Type: text/plain; charset=utf-8".to_owned(),
        format!("Content-Transfer-Encoding: {encoding}"),
        // So that nobody's absence notice answers it.
        "Auto-Submitted: auto-generated".to_owned(),
    ];
    format!("{}\r\n\r\n{body}", head.join("\r\n")).into_bytes()
}

/// The same at every attempt, and never that of another message, also of a registry that was lost
/// and counts from one again.
pub(super) fn message_id(from: &str, row: &OutboxRow) -> String {
    let host = from.rsplit('@').next().unwrap_or("localhost");
    format!("<strongroom.{}.{}@{host}>", row.id, row.created_at.0)
}

fn text(site: Option<&str>, row: &OutboxRow, alert: &AlertRow) -> String {
    let mut text = format!("{}\n\n{}\n", alert.subject, alert.content);
    if let Some(link) = link(site, alert) {
        text.push_str(&format!("\nLook here: {link}\n"));
    }
    text.push_str(&format!(
        "\n-- \nAlert {}, sent by Strongroom as message {}. Should it reach you twice, it is the \
         same one.\n",
        alert.id, row.id
    ));
    tame(&text)
}

/// Whatever could steer a terminal or break a line is not part of a text.
fn tame(text: &str) -> String {
    text.chars().map(|it| if it.is_control() && it != '\n' { ' ' } else { it }).collect()
}

/// The page to go to, if it is known where people reach our pages.
pub(super) fn link(site: Option<&str>, alert: &AlertRow) -> Option<String> {
    let page = alert.page.clone().unwrap_or_else(|| format!("/alerts/{}", alert.id));
    site.map(|site| format!("{}{page}", site.trim_end_matches('/')))
}

fn one_line(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).collect()
}

fn lines(letters: &str) -> String {
    let chunks = letters.as_bytes().chunks(LINE);
    chunks.map(|line| format!("{}\r\n", String::from_utf8_lossy(line))).collect()
}

fn date(moment: Timestamp) -> String {
    let millis = i64::try_from(moment.0).unwrap_or(i64::MAX);
    let moment = jiff::Timestamp::from_millisecond(millis).unwrap_or_default();
    let printed = rfc2822::DateTimePrinter::new().timestamp_to_string(&moment);
    printed.unwrap_or_else(|_| "Thu, 1 Jan 1970 00:00:00 +0000".to_owned())
}

#[cfg(test)]
mod tests {
    use storage::registry::Channel;

    use super::*;

    fn row() -> OutboxRow {
        OutboxRow {
            id: 7,
            alert_id: 3,
            channel: Channel::Email,
            recipient: "ada@example.org".into(),
            created_at: Timestamp(1_794_813_641_123),
            attempts: 0,
            due_at: Timestamp(0),
            sent_at: None,
            given_up_at: None,
            trouble: None,
        }
    }

    fn alert(subject: &str, content: &str) -> AlertRow {
        AlertRow {
            id: 3,
            name: "x".into(),
            kind: "replica-away".into(),
            institution_id: None,
            subject: subject.into(),
            content: content.into(),
            page: Some("/".into()),
            deletion_request_id: None,
            item_id: None,
            created_at: Timestamp(0),
            ended_at: None,
            everyone: false,
        }
    }

    fn made(subject: &str, content: &str) -> String {
        let site = Some("https://archive.example.org/");
        let bytes = letter("room@example.org", site, &row(), &alert(subject, content));
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn a_letter_is_plain_text_with_a_number_of_its_own() {
        assert_eq!(
            made("Replica b is away", "It does not answer.\nNothing is lost."),
            "From: Strongroom <room@example.org>\r\n\
             To: ada@example.org\r\n\
             Subject: Replica b is away\r\n\
             Date: Mon, 16 Nov 2026 07:20:41 -0000\r\n\
             Message-ID: <strongroom.7.1794813641123@example.org>\r\n\
             MIME-Version: 1.0\r\n\
             Content-Type: text/plain; charset=utf-8\r\n\
             Content-Transfer-Encoding: 7bit\r\n\
             Auto-Submitted: auto-generated\r\n\r\n\
             Replica b is away\r\n\r\n\
             It does not answer.\r\nNothing is lost.\r\n\r\n\
             Look here: https://archive.example.org/\r\n\r\n\
             -- \r\n\
             Alert 3, sent by Strongroom as message 7. Should it reach you twice, it is the same \
             one.\r\n"
        );
    }

    #[test]
    fn a_letter_to_one_person_says_what_it_says() {
        let row = LetterRow {
            id: 9,
            recipient: "ada@example.org\r\nBcc: eve@example.org".into(),
            subject: "Set your password".into(),
            content: "Open https://archive.example.org/password?token=00".into(),
            created_at: Timestamp(1_794_813_641_123),
            attempts: 0,
        };
        let message = String::from_utf8(personal("room@example.org", &row)).unwrap();
        assert!(message.contains("To: ada@example.orgBcc: eve@example.org\r\n"), "{message}");
        assert!(message.contains("Message-ID: <strongroom.letter.9.1794813641123@example.org>"));
        assert!(message.ends_with("token=00\r\n\r\n-- \r\nSent by Strongroom.\r\n"), "{message}");
    }

    #[test]
    fn what_is_not_ascii_or_too_long_is_packed() {
        for content in ["Bäg".to_owned(), "x".repeat(2000)] {
            let letter = made("Grüße\r\nBcc: eve@example.org", &content);
            let (head, body) = letter.split_once("\r\n\r\n").unwrap();
            assert!(head.contains("Transfer-Encoding: base64") && !head.contains("\r\nBcc"));
            assert!(body.lines().all(|line| line.len() <= 76), "{body}");
            assert!(letter.is_ascii());
        }
    }
}
