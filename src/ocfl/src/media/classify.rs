//! What an answer of an S3 server means for the item that waits for it.
//!
//! `object_store` retries what may pass by itself, a few times. What is left is sorted here by the
//! server's own words where the status alone is ambiguous. Unknown trouble counts as away: the item
//! waits and tries again, which harms nothing.

use object_store::Error;

use super::super::error::VaultError;

/// Words of servers that are out of room. All words here hold a mark or a blank that no URL holds,
/// so that the name of a file is never taken for an answer.
const FULL: [&str; 5] = [
    "<Code>XMinioStorageFull<",
    "<Code>XMinioAdminBucketQuotaExceeded<",
    "<Code>QuotaExceeded<",
    "<Code>InsufficientStorage<",
    "status code: 507 ",
];

/// Words that say the configuration is wrong, whatever the status.
const DENIED: [&str; 9] = [
    "<Code>InvalidAccessKeyId<",
    "<Code>SignatureDoesNotMatch<",
    "<Code>AuthorizationHeaderMalformed<",
    "<Code>ExpiredToken<",
    "<Code>NoSuchBucket<",
    "<Code>PermanentRedirect<",
    "incorrectly configured region",
    // Of a listing the status is told in words only.
    "status code: 401 ",
    "status code: 403 ",
];

/// Sorts an error; `what` names the file or the request.
#[expect(clippy::wildcard_enum_match_arm, reason = "a foreign list that grows; see above")]
pub(super) fn classify(replica: &str, what: &str, error: Error) -> VaultError {
    let (replica, what) = (replica.to_owned(), what.to_owned());
    // The crate's errors print their own causes: their text is kept, the chain is not.
    let text = error.to_string();
    if DENIED.iter().any(|word| text.contains(word)) {
        return VaultError::Denied { replica, what, source: text.into() };
    }
    if FULL.iter().any(|word| text.contains(word)) {
        return VaultError::Full { replica, what, source: text.into() };
    }
    match error {
        Error::NotFound { .. } => VaultError::NotFound { replica, what },
        Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => {
            VaultError::Denied { replica, what, source: text.into() }
        }
        Error::InvalidPath { .. } | Error::NotSupported { .. } | Error::NotImplemented { .. } => {
            VaultError::Refused { what: format!("replica `{replica}`, {what}: {text}") }
        }
        Error::UnknownConfigurationKey { .. } => {
            VaultError::Denied { replica, what, source: text.into() }
        }
        _ => VaultError::Away { replica, what, source: Some(text.into()) },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_sorted_by_what_to_do() {
        let generic = |text: &str| Error::Generic { store: "S3", source: text.to_owned().into() };
        let check = |error: Error, code: &str| {
            assert_eq!(classify("b", "x", error).code(), code);
        };
        check(generic("connection refused"), "replica-away");
        check(generic("status code: 503 in 20.1507ms"), "replica-away");
        check(generic("PUT http://s/NoSuchBucket/QuotaExceeded"), "replica-away");
        check(generic("in 2.507ms: <Code>XMinioStorageFull</Code>"), "replica-full");
        check(generic("<Code>AuthorizationHeaderMalformed</Code>"), "replica-denied");
        check(generic("non-2xx status code: 403 Forbidden: "), "replica-denied");
        let source = || "no".to_owned().into();
        check(Error::NotFound { path: "x".into(), source: source() }, "copy-not-found");
        let gone = "<Code>NoSuchBucket</Code>".to_owned().into();
        check(Error::NotFound { path: "x".into(), source: gone }, "replica-denied");
        check(Error::PermissionDenied { path: "x".into(), source: source() }, "replica-denied");
    }
}
