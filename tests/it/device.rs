//! A device that shows codes, made by the letter of RFC 6238 and apart from the program's own.

use sha1::{Digest, Sha1};
use storage::clock::Timestamp;

/// The code that a device shows which was told these letters.
pub(crate) fn code(letters: &str, at: Timestamp) -> String {
    let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let bits: String = letters
        .chars()
        .filter(|letter| !letter.is_whitespace())
        .map(|letter| format!("{:05b}", alphabet.find(letter).unwrap()))
        .collect();
    let byte = |at: usize| u8::from_str_radix(&bits[8 * at..8 * at + 8], 2).unwrap();
    let mut key: Vec<u8> = (0..bits.len() / 8).map(byte).collect();
    key.resize(64, 0);
    let padded = |with: u8| key.iter().map(|byte| byte ^ with).collect::<Vec<u8>>();
    let mut inner = padded(0x36);
    inner.extend((at.0 / 30_000).to_be_bytes());
    let mut outer = padded(0x5c);
    outer.extend(Sha1::digest(&inner));
    let mac = Sha1::digest(&outer);
    let from = usize::from(mac[19] & 15);
    let number = mac[from..from + 4].iter().fold(0_u32, |all, byte| all << 8 | u32::from(*byte));
    format!("{:06}", (number & 0x7fff_ffff) % 1_000_000)
}

#[test]
fn it_shows_the_codes_of_rfc_6238() {
    // The letters are "12345678901234567890".
    let letters = "GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ";
    assert_eq!(code(letters, Timestamp(59_000)), "287082");
    assert_eq!(code(letters, Timestamp(1_234_567_890_000)), "005924");
}
