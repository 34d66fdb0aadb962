//! Codes that change every thirty seconds (RFC 6238 with SHA-1 and six digits, which is what every
//! device knows), and the words a secret is given out in.

use sha1::{Digest, Sha1};
use storage::clock::Timestamp;

/// Length of a secret: that of the digest, as RFC 4226 asks.
pub(super) const LENGTH: usize = 20;
/// Seconds that a code is for.
const STEP: u64 = 30;
/// Steps that a clock may be off, either way.
const DRIFT: i64 = 1;
const DIGITS: usize = 6;
const BLOCK: usize = 64;
const LETTERS: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// The step whose code this is, if it is one of now and was not used: none up to `last` is.
pub(super) fn step_of(
    secret: &[u8; LENGTH],
    given: &str,
    last: i64,
    now: Timestamp,
) -> Option<i64> {
    let given: String = given.chars().filter(|it| !it.is_whitespace()).collect();
    if given.len() != DIGITS || !given.bytes().all(|it| it.is_ascii_digit()) {
        return None;
    }
    let number: u32 = given.parse().ok()?;
    let at = i64::try_from(now.0 / 1000 / STEP).ok()?;
    let mut steps = (at - DRIFT..=at + DRIFT).filter(|step| *step > last && *step >= 0);
    steps.find(|step| code(secret, step.unsigned_abs(), DIGITS) == number)
}

/// The code of a step (RFC 4226, 5.3).
fn code(secret: &[u8], step: u64, digits: usize) -> u32 {
    let mac = hmac_sha1(secret, &step.to_be_bytes());
    let at = usize::from(mac[19] & 15);
    let mut word = [0; 4];
    word.copy_from_slice(&mac[at..at + 4]);
    let number = u32::from_be_bytes(word) & 0x7fff_ffff;
    number % 10_u32.saturating_pow(u32::try_from(digits).unwrap_or(9))
}

/// HMAC (RFC 2104) with SHA-1.
fn hmac_sha1(secret: &[u8], message: &[u8]) -> [u8; 20] {
    let mut key = [0_u8; BLOCK];
    if secret.len() > BLOCK {
        key[..20].copy_from_slice(&Sha1::digest(secret));
    } else {
        key[..secret.len()].copy_from_slice(secret);
    }
    let padded = |with: u8| key.map(|byte| byte ^ with);
    let inner = Sha1::new().chain_update(padded(0x36)).chain_update(message).finalize();
    Sha1::new().chain_update(padded(0x5c)).chain_update(inner).finalize().into()
}

/// A secret in the letters that people and devices take (base32, RFC 4648).
pub(super) fn base32(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(5) * 8);
    let (mut held, mut bits) = (0_u32, 0);
    for byte in bytes {
        held = held << 8 | u32::from(*byte);
        bits += 8;
        while bits >= 5 {
            bits -= 5;
            text.push(char::from(LETTERS[(held >> bits & 31) as usize]));
        }
        held &= (1 << bits) - 1;
    }
    if bits > 0 {
        text.push(char::from(LETTERS[(held << (5 - bits) & 31) as usize]));
    }
    text
}

/// The address that a device reads a secret from.
pub(super) fn uri(secret: &str, email: &str, issuer: &str) -> String {
    let plain = |text: &str| -> String {
        let safe = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.@".contains(&byte);
        let letters = text.bytes().map(|byte| match safe(byte) {
            true => char::from(byte).to_string(),
            false => format!("%{byte:02X}"),
        });
        letters.collect()
    };
    let (issuer, email) = (plain(issuer), plain(email));
    format!(
        "otpauth://totp/{issuer}:{email}?secret={secret}&issuer={issuer}\
         &algorithm=SHA1&digits={DIGITS}&period={STEP}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &[u8; LENGTH] = b"12345678901234567890";

    #[test]
    fn codes_are_those_of_rfc_6238() {
        // Appendix B, the rows of SHA-1, which have eight digits.
        for (seconds, wanted) in [
            (59, 94_287_082),
            (1_111_111_109, 7_081_804),
            (1_111_111_111, 14_050_471),
            (1_234_567_890, 89_005_924),
            (2_000_000_000, 69_279_037),
            (20_000_000_000, 65_353_130),
        ] {
            assert_eq!(code(SECRET, seconds / STEP, 8), wanted, "{seconds}");
        }
        // RFC 4226, appendix D: six digits.
        let first: Vec<u32> = (0..5).map(|step| code(SECRET, step, DIGITS)).collect();
        assert_eq!(first, [755_224, 287_082, 359_152, 969_429, 338_314]);
    }

    #[test]
    fn the_mac_is_that_of_rfc_2202() {
        let hex = |mac: [u8; 20]| mac.iter().map(|it| format!("{it:02x}")).collect::<String>();
        let short = hmac_sha1(b"Jefe", b"what do ya want for nothing?");
        assert_eq!(hex(short), "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79");
        let long =
            hmac_sha1(&[0xaa; 80], b"Test Using Larger Than Block-Size Key - Hash Key First");
        assert_eq!(hex(long), "aa4ae5e15272d00e95705637ce8a3b55ed402112");
    }

    #[test]
    fn a_code_is_good_for_a_step_either_way_and_once() {
        let at = |seconds: u64| Timestamp(seconds * 1000);
        // 59 s is step 1, whose code is 287082.
        for seconds in [0, 29, 30, 59, 60, 89] {
            assert_eq!(step_of(SECRET, "287082", 0, at(seconds)), Some(1), "{seconds}");
        }
        assert_eq!(step_of(SECRET, "287082", 0, at(90)), None);
        assert_eq!(step_of(SECRET, "287082", 1, at(59)), None, "it was used");
        assert_eq!(step_of(SECRET, " 287 082 ", 0, at(59)), Some(1), "as devices show it");
        for bad in ["", "287081", "28708", "2870820", "+87082", "２８７０８２", "abcdef"] {
            assert_eq!(step_of(SECRET, bad, 0, at(59)), None, "{bad}");
        }
        assert_eq!(step_of(SECRET, "755224", -1, at(0)), Some(0));
        assert_eq!(
            step_of(SECRET, "000000", 0, Timestamp(u64::MAX)),
            None,
            "no clock overflows it"
        );
    }

    #[test]
    fn secrets_are_written_as_rfc_4648_writes_them() {
        for (bytes, text) in [("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foobar", "MZXW6YTBOI")] {
            assert_eq!(base32(bytes.as_bytes()), text);
        }
        assert_eq!(
            uri("MZXW6", "ann@archive.example", "Our archive"),
            "otpauth://totp/Our%20archive:ann@archive.example?secret=MZXW6&issuer=Our%20archive\
             &algorithm=SHA1&digits=6&period=30"
        );
    }
}
