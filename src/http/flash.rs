//! What came of an action, carried to the page that follows it in a cookie that lives for it.

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use web::{Notice, Tone};

const NAME: &str = "strongroom-flash";
/// Longest sentence carried.
const LIMIT: usize = 500;

/// Goes to `location`, where `sentence` is shown.
pub(super) fn see(location: &str, sentence: &str) -> Response {
    let text: String = sentence.chars().take(LIMIT).collect();
    let cookie = format!("{NAME}={}; Path=/; Max-Age=30; HttpOnly; SameSite=Strict", encode(&text));
    let mut response = StatusCode::SEE_OTHER.into_response();
    let headers = response.headers_mut();
    if let (Ok(location), Ok(cookie)) =
        (HeaderValue::from_str(location), HeaderValue::from_str(&cookie))
    {
        headers.insert(header::LOCATION, location);
        headers.insert(header::SET_COOKIE, cookie);
    }
    response
}

/// The sentence a request brings along.
pub(super) fn read(headers: &HeaderMap) -> Option<Notice> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|line| line.split(';')).map(str::trim);
    let text = pairs.find_map(|pair| pair.strip_prefix(NAME)?.strip_prefix('='))?;
    let text = decode(text).filter(|text| !text.is_empty())?;
    Some(Notice::new(Tone::Good, text.chars().take(LIMIT).collect::<String>()))
}

/// Takes the cookie back once it was shown.
pub(super) fn clear(mut response: Response) -> Response {
    let cookie = HeaderValue::from_static("strongroom-flash=; Path=/; Max-Age=0; SameSite=Strict");
    response.headers_mut().insert(header::SET_COOKIE, cookie);
    response
}

fn encode(text: &str) -> String {
    let safe = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    text.bytes()
        .map(|byte| if safe(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        if first == b'%' {
            let (pair, tail) = tail.split_first_chunk::<2>()?;
            bytes.push(u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?);
            rest = tail;
        } else {
            bytes.push(first);
            rest = tail;
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_survives_the_cookie() {
        let sentence = "Requeued „bäg;1“, 100 % done\n";
        let response = see("/items/1", sentence);
        let cookie = response.headers()[header::SET_COOKIE].to_str().unwrap().to_owned();
        let pair = cookie.split(';').next().unwrap();
        let mut headers = HeaderMap::new();
        headers.insert(header::COOKIE, HeaderValue::from_str(&format!("a=b; {pair}")).unwrap());
        assert_eq!(read(&headers).unwrap().text, sentence);
    }

    #[test]
    fn a_forged_cookie_is_ignored_not_believed() {
        for bad in ["%", "%G0", "%FF", ""] {
            let mut headers = HeaderMap::new();
            let value = HeaderValue::from_str(&format!("{NAME}={bad}")).unwrap();
            headers.insert(header::COOKIE, value);
            assert!(read(&headers).is_none(), "{bad}");
        }
    }
}
