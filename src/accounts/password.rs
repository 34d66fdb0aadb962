//! Passwords: which are taken, and how they are kept (argon2id, 19 MiB, two passes).

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use std::sync::OnceLock;
use unicode_normalization::UnicodeNormalization;

use super::AccountError;

/// The rule, for people.
pub const PASSWORD_RULE: &str =
    "12 to 200 characters, not your e-mail and not one that everybody guesses first.";

/// Fewest characters.
const FEWEST: usize = 12;
/// Most characters.
const MOST: usize = 200;
/// Most bytes that are looked at at all; four for each character.
const MOST_BYTES: usize = 4 * MOST;
/// Fewer different characters than this are a pattern, not a password.
const DIFFERENT: usize = 5;

/// Long ones that are guessed first; shorter ones are too short anyway.
const COMMON: &str = include_str!("common_passwords.txt");

/// Makes what is kept of a new password, if it may be one.
pub(super) fn digest(password: &str, email: &str) -> Result<String, AccountError> {
    if let Some(rule) = broken_rule(password, email) {
        return Err(AccountError::BadPassword(rule));
    }
    let mut salt = [0; 16];
    getrandom::fill(&mut salt).map_err(|_| AccountError::NoRandom)?;
    hashed(password, &salt).ok_or(AccountError::Digest)
}

fn hashed(password: &str, salt: &[u8]) -> Option<String> {
    let made: PasswordHash =
        Argon2::default().hash_password_with_salt(spelled(password).as_bytes(), salt).ok()?;
    Some(made.to_string())
}

/// Whether a password is the one that was digested. The same work is done where nobody has set one.
pub(super) fn verify(password: &str, kept: Option<&str>) -> bool {
    static NOBODYS: OnceLock<String> = OnceLock::new();
    let nobodys = || NOBODYS.get_or_init(|| hashed("nobody", &[7; 16]).unwrap_or_default());
    if password.len() > MOST_BYTES {
        return false;
    }
    let Ok(hash) = PasswordHash::new(kept.unwrap_or_else(|| nobodys())) else { return false };
    let right = Argon2::default().verify_password(spelled(password).as_bytes(), &hash).is_ok();
    right && kept.is_some()
}

/// What is wrong with it, as the end of a sentence that begins with "the password".
fn broken_rule(password: &str, email: &str) -> Option<&'static str> {
    let count = password.chars().count();
    if password.len() > MOST_BYTES || count > MOST {
        return Some("is too long: it has at most 200 characters");
    }
    if count < FEWEST {
        return Some("is too short: it has at least 12 characters");
    }
    let plain = spelled(password).to_lowercase();
    let own = email.to_lowercase();
    let name = own.split('@').next().unwrap_or_default();
    if plain == own || (!name.is_empty() && plain.replace(name, "").chars().count() < 4) {
        return Some("is too much like the e-mail");
    }
    let mut letters: Vec<char> = plain.chars().collect();
    letters.sort_unstable();
    letters.dedup();
    let squeezed: String = plain.chars().filter(|letter| !letter.is_whitespace()).collect();
    if letters.len() < DIFFERENT || COMMON.lines().any(|common| common == squeezed) {
        return Some("is one that others guess first");
    }
    None
}

/// Keyboards spell the same letters differently.
fn spelled(password: &str) -> String {
    password.nfkc().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule_is_length_and_not_being_guessed_first() {
        let ann = "ann.archer@archive.example";
        for good in ["correct horse battery", "Ümläute sind gut", "0a1b2c3d4e5f"] {
            assert_eq!(broken_rule(good, ann), None, "{good}");
        }
        for (bad, words) in [
            ("elevenchars", "too short"),
            (&"long ".repeat(41) as &str, "too long"),
            ("🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂", "guess first"),
            ("Ann.Archer@archive.example", "e-mail"),
            ("ann.archer12", "e-mail"),
            ("Password 1234", "guess first"),
            ("ababababababab", "guess first"),
        ] {
            let said = broken_rule(bad, ann).unwrap_or_default();
            assert!(said.contains(words), "{bad}: {said}");
        }
    }

    #[test]
    fn only_the_right_password_verifies_however_it_is_spelled() {
        let kept = digest("caf\u{e9} und kuchen", "ann@archive.example").unwrap();
        assert!(kept.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{kept}");
        assert!(verify("cafe\u{301} und kuchen", Some(&kept)));
        assert!(!verify("cafe und kuchen", Some(&kept)));
        assert!(!verify("nobody", None), "who set no password has none");
        assert!(!verify(&"x".repeat(MOST_BYTES + 1), Some(&kept)));
        assert!(!verify("caf\u{e9} und kuchen", Some("$argon2id$damaged")));
    }

    #[test]
    fn the_common_ones_are_written_as_they_are_compared() {
        for line in COMMON.lines() {
            let fits = line.chars().count() >= FEWEST && line == line.to_lowercase();
            assert!(fits && !line.contains(' '), "{line:?} would never be found");
        }
    }
}
