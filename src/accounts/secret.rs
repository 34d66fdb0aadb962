//! Secrets: 32 random bytes that only their bearer has. What we keep is their sha256, which needs
//! no salt: nobody guesses 256 bits.

use sha2::{Digest, Sha256};
use storage::registry::SecretDigest;

use super::AccountError;

const LENGTH: usize = 32;

/// A secret of a session or a link.
pub struct Secret([u8; LENGTH]);

impl Secret {
    /// A new one.
    pub fn draw() -> Result<Secret, AccountError> {
        let mut bytes = [0; LENGTH];
        getrandom::fill(&mut bytes).map_err(|_| AccountError::NoRandom)?;
        Ok(Secret(bytes))
    }

    /// Reads one as it was given out; anything else is none.
    pub fn parse(text: &str) -> Option<Secret> {
        let mut bytes = [0; LENGTH];
        let text = text.as_bytes();
        if text.len() != 2 * LENGTH {
            return None;
        }
        for (byte, pair) in bytes.iter_mut().zip(text.chunks_exact(2)) {
            let digit = |letter: u8| char::from(letter).to_digit(16);
            let (high, low) = (digit(pair[0])?, digit(pair[1])?);
            *byte = u8::try_from(high << 4 | low).ok()?;
        }
        Some(Secret(bytes))
    }

    /// As it is given out: hexadecimal, safe in an address and in a cookie.
    pub fn text(&self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// What is kept of it.
    pub fn digest(&self) -> SecretDigest {
        SecretDigest(Sha256::digest(self.0).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_comes_back_as_it_went_out_and_nothing_else_does() {
        let secret = Secret::draw().unwrap();
        let back = Secret::parse(&secret.text()).unwrap();
        assert_eq!(back.digest(), secret.digest());
        assert_ne!(Secret::draw().unwrap().digest(), secret.digest());
        for bad in ["", "00", &secret.text()[1..], &"g".repeat(64), &"é".repeat(32)] {
            assert!(Secret::parse(bad).is_none(), "{bad}");
        }
    }
}
