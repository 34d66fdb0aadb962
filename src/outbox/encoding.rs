//! What mail and calls need of old alphabets: base64 (RFC 4648), words in a header (RFC 2047), and
//! the code that proves who wrote something (HMAC, RFC 2104).

use sha2::{Digest, Sha256};

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/// Longest encoded word, in bytes of its text: 45 become 60 letters, and 75 are allowed in all.
const WORD: usize = 45;
const BLOCK: usize = 64;

pub(super) fn base64(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let at = |place: usize| u32::from(chunk.get(place).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for place in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * place)) as usize & 63];
            text.push(if place > chunk.len() { '=' } else { char::from(letter) });
        }
    }
    text
}

/// Text for a header: one line, and in letters that every mail program knows.
pub(super) fn header_text(text: &str) -> String {
    let line: String = text.chars().map(|it| if it.is_control() { ' ' } else { it }).collect();
    if line.is_ascii() && !line.contains("=?") && line.len() <= 800 {
        return line;
    }
    let mut words = vec![String::new()];
    for letter in line.chars() {
        if words.last().is_some_and(|word| word.len() + letter.len_utf8() > WORD) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.push(letter);
        }
    }
    let encoded = words.iter().map(|word| format!("=?utf-8?B?{}?=", base64(word.as_bytes())));
    encoded.collect::<Vec<_>>().join("\r\n ")
}

/// HMAC with SHA-256, in hexadecimal.
pub fn hmac_sha256(secret: &[u8], message: &[u8]) -> String {
    let mut key = [0_u8; BLOCK];
    if secret.len() > BLOCK {
        key[..32].copy_from_slice(&Sha256::digest(secret));
    } else {
        key[..secret.len()].copy_from_slice(secret);
    }
    let inner = Sha256::new().chain_update(key.map(|byte| byte ^ 0x36)).chain_update(message);
    let outer = Sha256::new()
        .chain_update(key.map(|byte| byte ^ 0x5c))
        .chain_update(inner.finalize())
        .finalize();
    outer.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_its_standard() {
        let pairs =
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")];
        for (plain, encoded) in pairs {
            assert_eq!(base64(plain.as_bytes()), encoded);
        }
        assert_eq!(base64(&[0xfb, 0xff, 0xfe]), "+//+");
    }

    /// The second, first and sixth case of RFC 4231.
    #[test]
    fn the_code_is_that_of_its_standard() {
        assert_eq!(
            hmac_sha256(b"Jefe", b"what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
        assert_eq!(
            hmac_sha256(&[0x0b; 20], b"Hi There"),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        );
        assert_eq!(
            hmac_sha256(&[0xaa; 131], b"Test Using Larger Than Block-Size Key - Hash Key First"),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        );
    }

    #[test]
    fn a_header_is_one_line_whatever_the_text() {
        assert_eq!(header_text("Replica b is away"), "Replica b is away");
        assert_eq!(header_text("a\r\nBcc: x@y.org"), "a  Bcc: x@y.org");
        assert_eq!(header_text("Bäg"), "=?utf-8?B?QsOkZw==?=");
        assert!(header_text("=?utf-8?B?QQ==?=").starts_with("=?utf-8?B?PT91"));
        let long = header_text(&"Größe ".repeat(60));
        assert!(long.split("\r\n").all(|line| line.len() <= 76), "{long}");
    }
}
