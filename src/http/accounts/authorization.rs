//! What a program says of itself: e-mail and password, a token, or both as clients of the described
//! registry do.

use axum::http::{HeaderMap, header};

use crate::accounts::TOKEN_PREFIX;
use crate::http::gate::PHAROS_KEY;

/// The header with which clients of the described registry say whose key it is.
const PHAROS_USER: &str = "x-pharos-api-user";
/// Longest header that is looked at.
const LONGEST: usize = 2048;

/// What a request says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Says {
    /// E-mail and password.
    Password(String, String),
    /// A token.
    Token(String),
    /// E-mail and token.
    Pharos(String, String),
    /// Something that cannot be read.
    Nonsense,
}

/// What the headers say; none when they say nothing.
pub(super) fn read(headers: &HeaderMap) -> Option<Says> {
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    if let Some(key) = text(PHAROS_KEY) {
        let user = text(PHAROS_USER).unwrap_or_default();
        let fits = user.len() <= LONGEST && key.len() <= LONGEST;
        return Some(if fits { Says::Pharos(user.into(), key.into()) } else { Says::Nonsense });
    }
    let (scheme, given) = text(header::AUTHORIZATION.as_str())?.split_once(' ')?;
    if given.len() > LONGEST {
        return Some(Says::Nonsense);
    }
    if scheme.eq_ignore_ascii_case("basic") {
        return Some(pair(given.trim()).unwrap_or(Says::Nonsense));
    }
    // Another bearer is the key of the data directory, or was.
    let token = scheme.eq_ignore_ascii_case("bearer") && given.trim().starts_with(TOKEN_PREFIX);
    token.then(|| Says::Token(given.trim().to_owned()))
}

fn pair(given: &str) -> Option<Says> {
    let pair = String::from_utf8(decode(given)?).ok()?;
    let (email, password) = pair.split_once(':')?;
    Some(Says::Password(email.to_owned(), password.to_owned()))
}

/// Reads base64 with its padding or without.
fn decode(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let (mut held, mut bits) = (0_u32, 0);
    for letter in text.trim_end_matches('=').bytes() {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        held = held << 6 | u32::from(value);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from(held >> bits & 0xff).ok()?);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn an_authorization_is_a_pair_a_token_or_nothing() {
        let said = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::AUTHORIZATION, HeaderValue::from_str(text).unwrap());
            read(&headers)
        };
        let ann = || Some(Says::Password("ann@a.example".to_owned(), "päss:wort".to_owned()));
        assert_eq!(said("Basic YW5uQGEuZXhhbXBsZTpww6Rzczp3b3J0"), ann());
        assert_eq!(said("basic YW5uQGEuZXhhbXBsZTpww6Rzczp3b3J0=="), ann());
        for bad in ["Basic %%%", "Basic /w==", "Basic YW5u", "Basic "] {
            assert_eq!(said(bad), Some(Says::Nonsense), "{bad}");
        }
        assert_eq!(said(&format!("Basic {}", "A".repeat(LONGEST + 1))), Some(Says::Nonsense));
        assert_eq!(said("Bearer YW5u"), None);
        assert_eq!(said("bearer strongroom_1"), Some(Says::Token("strongroom_1".into())));
    }

    #[test]
    fn the_headers_of_the_described_registry_are_a_pair() {
        let mut headers = HeaderMap::new();
        headers.insert(PHAROS_KEY, HeaderValue::from_static("strongroom_1"));
        assert_eq!(read(&headers), Some(Says::Pharos(String::new(), "strongroom_1".into())));
        headers.insert(PHAROS_USER, HeaderValue::from_static("ann@a.example"));
        let both = Says::Pharos("ann@a.example".into(), "strongroom_1".into());
        assert_eq!(read(&headers), Some(both));
    }
}
