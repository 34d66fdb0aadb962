//! Stored values: one version byte, then bincode. The only file that names bincode.
//!
//! A record that gains a field gets a new version; the old shape stays, as its `Older`, and is
//! upgraded when read. Golden bytes of every released version live in `tests/it/golden`.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// A value that can be stored, with the chain of shapes it had before.
pub trait Record: Serialize + DeserializeOwned + 'static {
    /// The first stored byte.
    const VERSION: u8;
    /// The shape before this one; [`NoOlder`] ends the chain.
    type Older: Record;
    /// Makes today's shape of yesterday's.
    fn upgrade(older: Self::Older) -> Self;
}

/// The end of every chain: no bytes decode to it.
#[derive(Serialize, serde::Deserialize)]
pub enum NoOlder {}

impl Record for NoOlder {
    const VERSION: u8 = 0;
    type Older = NoOlder;
    fn upgrade(older: NoOlder) -> NoOlder {
        older
    }
}

/// Declares a record that has had only one shape so far.
#[macro_export]
macro_rules! first_version {
    ($($record:ty),* $(,)?) => {$(
        impl $crate::record::Record for $record {
            const VERSION: u8 = 1;
            type Older = $crate::record::NoOlder;
            fn upgrade(older: Self::Older) -> Self {
                match older {}
            }
        }
    )*};
}
first_version!(u64, (), String);

/// No record is larger: a length read from damaged bytes must not become an allocation.
const LIMIT: usize = 16 << 20;

/// Why bytes are not the record that was asked for.
#[derive(Debug, thiserror::Error)]
pub enum Undecodable {
    /// Written by a later Strongroom.
    #[error("record version {found} is newer than the newest known here, {known}")]
    Newer {
        /// Version byte found.
        found: u8,
        /// Newest version known.
        known: u8,
    },
    /// Not a record at all, or damaged.
    #[error("the bytes are not a record: {0}")]
    Damaged(String),
}

/// The bytes to store.
pub fn encode<R: Record>(record: &R) -> Result<Vec<u8>, Undecodable> {
    let mut out = vec![R::VERSION];
    bincode::serde::encode_into_std_write(record, &mut out, bincode::config::standard())
        .map_err(|error| Undecodable::Damaged(error.to_string()))?;
    if out.len() > LIMIT {
        return Err(Undecodable::Damaged(format!("{} bytes are more than {LIMIT}", out.len())));
    }
    Ok(out)
}

/// The record in stored bytes, upgraded to today's shape.
pub fn decode<R: Record>(bytes: &[u8]) -> Result<R, Undecodable> {
    let Some((&version, body)) = bytes.split_first() else {
        return Err(Undecodable::Damaged("empty".into()));
    };
    if version > R::VERSION {
        return Err(Undecodable::Newer { found: version, known: R::VERSION });
    }
    decode_version(version, body)
}

fn decode_version<R: Record>(version: u8, body: &[u8]) -> Result<R, Undecodable> {
    if version == R::VERSION && version != NoOlder::VERSION {
        let config = bincode::config::standard().with_limit::<LIMIT>();
        let (record, used) = bincode::serde::decode_from_slice(body, config)
            .map_err(|error| Undecodable::Damaged(error.to_string()))?;
        return if used == body.len() {
            Ok(record)
        } else {
            Err(Undecodable::Damaged(format!("{} bytes left over", body.len() - used)))
        };
    }
    if R::VERSION == NoOlder::VERSION {
        return Err(Undecodable::Damaged(format!("no record ever had version {version}")));
    }
    decode_version::<R::Older>(version, body).map(R::upgrade)
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Serialize, Deserialize)]
    struct First {
        name: String,
    }
    first_version!(First);

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Second {
        name: String,
        size_bytes: u64,
    }
    impl Record for Second {
        const VERSION: u8 = 2;
        type Older = First;
        fn upgrade(older: First) -> Second {
            Second { name: older.name, size_bytes: 0 }
        }
    }

    #[test]
    fn older_bytes_are_upgraded_and_newer_bytes_refused() {
        let old = encode(&First { name: "bag".into() }).unwrap();
        let new = Second { name: "bag".into(), size_bytes: 0 };
        assert_eq!(decode::<Second>(&old).unwrap(), new);
        assert_eq!(decode::<Second>(&encode(&new).unwrap()).unwrap(), new);
        let newer = encode(&new).unwrap();
        assert!(matches!(decode::<First>(&newer), Err(Undecodable::Newer { found: 2, known: 1 })));
    }

    #[test]
    fn damaged_bytes_are_named_not_believed() {
        for bytes in [&[][..], &[0], &[0, 1, 2], &[2], &[2, 255, 255, 255, 255], &[2, 3, b'b']] {
            assert!(matches!(decode::<Second>(bytes), Err(Undecodable::Damaged(_))), "{bytes:?}");
        }
        let mut long = encode(&Second { name: String::new(), size_bytes: 7 }).unwrap();
        long.push(0);
        assert!(matches!(decode::<Second>(&long), Err(Undecodable::Damaged(_))));
    }
}
