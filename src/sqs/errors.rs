//! Which refusals of SQS are final, as the described service has it: those that no waiting repairs.

use ocfl::AwsAnswer;
use serde_json::Value;

/// The described codes, each with the other names that SQS gives it in its newer protocols.
const FATAL: [(&str, &[&str]); 8] = [
    ("QueueDoesNotExist", &["AWS.SimpleQueueService.NonExistentQueue", "NonExistentQueue"]),
    ("InvalidAccessKeyId", &[]),
    ("InvalidClientTokenId", &["UnrecognizedClientException"]),
    ("SignatureDoesNotMatch", &["InvalidSignatureException"]),
    ("AccessDenied", &["AccessDeniedException"]),
    ("KmsAccessDenied", &["KMS.AccessDeniedException"]),
    ("KmsDisabled", &["KMS.DisabledException"]),
    ("KmsNotFound", &["KMS.NotFoundException"]),
];

/// Names of a receipt that counts no more: the message was handed out again, or removed.
const STALE: [&str; 2] = ["ReceiptHandleIsInvalid", "InvalidReceiptHandle"];

/// Most of what SQS says that is repeated.
const SAID: usize = 300;

/// Why SQS did not do what it was asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueueError {
    /// A person has to change something.
    #[error("SQS answers {code}: {said}")]
    Fatal { code: &'static str, said: String },
    /// Somebody else has the message by now, or has removed it.
    #[error("the receipt of the message counts no more: {0}")]
    StaleReceipt(String),
    /// It may be well in a moment.
    #[error("{0}")]
    Away(String),
}

impl QueueError {
    /// What an answer says that is not a success.
    pub(super) fn of(answer: &AwsAnswer) -> QueueError {
        let text = String::from_utf8_lossy(&answer.body);
        let json: Value = serde_json::from_str(&text).unwrap_or_default();
        let names = names(answer, &json, &text);
        let message = ["message", "Message"].into_iter().find_map(|name| json[name].as_str());
        let message = message.or_else(|| between(&text, "<Message>", "</Message>"));
        let said: String = message.unwrap_or(&text).chars().take(SAID).collect();
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        let is = |known: &str| names.iter().any(|name| name == known);
        let fatal = |(code, others): &(&str, &[&str])| is(code) || others.iter().any(|it| is(it));
        if let Some(&(code, _)) = FATAL.iter().find(|known| fatal(known)) {
            return QueueError::Fatal { code, said };
        }
        if STALE.into_iter().any(is) {
            return QueueError::StaleReceipt(said);
        }
        let name = names.first().map_or_else(|| answer.status.to_string(), Clone::clone);
        QueueError::Away(format!("SQS answers {name}: {said}"))
    }
}

/// Every name that an answer gives to what went wrong: in JSON, in its head for older clients, and in
/// the XML of servers that know no other.
fn names(answer: &AwsAnswer, json: &Value, text: &str) -> Vec<String> {
    let mut names = Vec::new();
    if let Some(name) = json["__type"].as_str() {
        let name = name.rsplit_once('#').map_or(name, |(_, name)| name);
        names.push(name.split(':').next().unwrap_or(name).to_owned());
    }
    let older = answer.query_error.as_deref().and_then(|it| it.split(';').next());
    names.extend(older.map(ToOwned::to_owned));
    names.extend(between(text, "<Code>", "</Code>").map(|name| name.trim().to_owned()));
    names
}

fn between<'a>(text: &'a str, before: &str, behind: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(before)?;
    rest.split_once(behind).map(|(found, _)| found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(body: &str, query_error: Option<&str>) -> QueueError {
        let query_error = query_error.map(ToOwned::to_owned);
        QueueError::of(&AwsAnswer { status: 400, query_error, body: body.as_bytes().to_vec() })
    }

    fn code(body: &str, query_error: Option<&str>) -> Option<&'static str> {
        match error(body, query_error) {
            QueueError::Fatal { code, .. } => Some(code),
            QueueError::StaleReceipt(_) | QueueError::Away(_) => None,
        }
    }

    /// Written out once more: what is missing above or misspelt is to be seen.
    const DESCRIBED: [(&str, &[&str]); 8] = [
        (
            "QueueDoesNotExist",
            &["QueueDoesNotExist", "AWS.SimpleQueueService.NonExistentQueue", "NonExistentQueue"],
        ),
        ("InvalidAccessKeyId", &["InvalidAccessKeyId"]),
        ("InvalidClientTokenId", &["InvalidClientTokenId", "UnrecognizedClientException"]),
        ("SignatureDoesNotMatch", &["SignatureDoesNotMatch", "InvalidSignatureException"]),
        ("AccessDenied", &["AccessDenied", "AccessDeniedException"]),
        ("KmsAccessDenied", &["KmsAccessDenied", "KMS.AccessDeniedException"]),
        ("KmsDisabled", &["KmsDisabled", "KMS.DisabledException"]),
        ("KmsNotFound", &["KmsNotFound", "KMS.NotFoundException"]),
    ];

    #[test]
    fn the_described_codes_are_final_under_every_name_that_sqs_gives_them() {
        for (described, names) in DESCRIBED {
            for name in names {
                let json = format!(r#"{{"__type":"com.amazonaws.sqs#{name}","message":"no"}}"#);
                assert_eq!(code(&json, None), Some(described), "{name}");
                let bare = format!(r#"{{"__type":"{name}"}}"#);
                assert_eq!(code(&bare, None), Some(described), "{name}");
                let head = format!("{name};Sender");
                assert_eq!(code("{}", Some(&head)), Some(described), "{name}");
                let xml =
                    format!("<ErrorResponse><Error><Code>{name}</Code></Error></ErrorResponse>");
                assert_eq!(code(&xml, None), Some(described), "{name}");
            }
        }
    }

    #[test]
    fn everything_else_is_tried_again_and_a_stale_receipt_is_known() {
        for name in ["ThrottlingException", "ServiceUnavailable", "InternalFailure", "OverLimit"] {
            let json = format!(r#"{{"__type":"com.amazonaws.sqs#{name}","message":"later"}}"#);
            assert_eq!(error(&json, None), QueueError::Away(format!("SQS answers {name}: later")));
        }
        assert_eq!(error("<html>", None), QueueError::Away("SQS answers 400: <html>".into()));
        let stale = r#"{"__type":"com.amazonaws.sqs#ReceiptHandleIsInvalid","message":"old"}"#;
        assert_eq!(error(stale, None), QueueError::StaleReceipt("old".into()));
    }
}
