//! What things are called and told apart by: row ids, versions, UUIDs, digests.

use std::borrow::Cow;
use std::fmt;

use rusqlite::types::{FromSql, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

macro_rules! numbers {
    ($($(#[$doc:meta])* $name:ident($number:ty);)*) => {$(
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize,
            serde::Deserialize, schemars::JsonSchema,
        )]
        #[serde(transparent)]
        pub struct $name(pub $number);

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }

        impl rusqlite::types::ToSql for $name {
            fn to_sql(&self) -> rusqlite::Result<rusqlite::types::ToSqlOutput<'_>> {
                rusqlite::types::ToSql::to_sql(&self.0)
            }
        }

        impl rusqlite::types::FromSql for $name {
            fn column_result(
                value: rusqlite::types::ValueRef<'_>,
            ) -> rusqlite::types::FromSqlResult<$name> {
                rusqlite::types::FromSql::column_result(value).map($name)
            }
        }
    )*};
}

pub(in crate::registry) use numbers;

numbers! {
    /// An object, by the number this registry gave it.
    ObjectId(i64);
    /// A deposit, by the number this registry gave it.
    DepositId(i64);
    /// A file, by the number this registry gave it.
    FileId(i64);
    /// A replica, by the number this registry gave it.
    ReplicaId(i64);
    /// A version of an object, from one; zero is an object that has none yet.
    Version(u32);
}

/// Gives an enum that has `ALL` and `name` its text in the table, in JSON and in sentences.
macro_rules! by_name {
    ($($name:ident),*) => {$(
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }

        impl $name {
            /// The one with this name.
            pub fn from_name(name: &str) -> Option<$name> {
                $name::ALL.into_iter().find(|it| it.name() == name)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_str(self.name())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<$name, D::Error> {
                let name = <String as serde::Deserialize>::deserialize(from)?;
                $name::from_name(&name).ok_or_else(|| {
                    serde::de::Error::custom(format!("{name:?} is not one of {:?}", $name::ALL))
                })
            }
        }

        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let words: Vec<&str> = $name::ALL.iter().map(|it| it.name()).collect();
                schemars::json_schema!({"type": "string", "enum": words})
            }
        }

        impl rusqlite::types::ToSql for $name {
            fn to_sql(&self) -> rusqlite::Result<rusqlite::types::ToSqlOutput<'_>> {
                Ok(self.name().into())
            }
        }

        impl rusqlite::types::FromSql for $name {
            fn column_result(
                value: rusqlite::types::ValueRef<'_>,
            ) -> rusqlite::types::FromSqlResult<$name> {
                $name::from_name(value.as_str()?)
                    .ok_or(rusqlite::types::FromSqlError::InvalidType)
            }
        }
    )*};
}
pub(in crate::registry) use by_name;

/// Whether an object or a file is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeldState {
    /// It is.
    Active,
    /// Its bytes were deleted; what is known about it stays.
    Deleted,
}

impl HeldState {
    /// Both.
    pub const ALL: [HeldState; 2] = [HeldState::Active, HeldState::Deleted];

    /// The described registry's letter.
    pub fn name(self) -> &'static str {
        match self {
            HeldState::Active => "A",
            HeldState::Deleted => "D",
        }
    }
}

by_name!(HeldState);

/// A UUID, of any version; whoever has one has drawn it before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Uuid(pub [u8; 16]);

impl Uuid {
    /// Reads 32 digits of either case, with hyphens where they belong or none at all.
    pub fn parse(text: &str) -> Option<Uuid> {
        let hyphens =
            text.len() == 36 && [8, 13, 18, 23].iter().all(|at| text.as_bytes()[*at] == b'-');
        let digits = if hyphens { text.replace('-', "") } else { text.to_owned() };
        unhex(&digits)?.try_into().ok().map(Uuid)
    }
}

/// Lower-case digits with hyphens.
impl fmt::Display for Uuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, byte) in self.0.iter().enumerate() {
            let hyphen = if matches!(at, 4 | 6 | 8 | 10) { "-" } else { "" };
            write!(f, "{hyphen}{byte:02x}")?;
        }
        Ok(())
    }
}

impl Serialize for Uuid {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Uuid {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Uuid, D::Error> {
        let text = String::deserialize(from)?;
        Uuid::parse(&text).ok_or_else(|| serde::de::Error::custom("not a UUID"))
    }
}

impl JsonSchema for Uuid {
    fn schema_name() -> Cow<'static, str> {
        "Uuid".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "format": "uuid"})
    }
}

impl ToSql for Uuid {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(ValueRef::Blob(&self.0)))
    }
}

impl FromSql for Uuid {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Uuid> {
        FromSql::column_result(value).map(Uuid)
    }
}

/// The four digests that every file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Digests {
    /// For old manifests.
    #[serde(serialize_with = "as_hex", deserialize_with = "from_hex")]
    #[schemars(with = "String")]
    pub md5: [u8; 16],
    /// For old manifests.
    #[serde(serialize_with = "as_hex", deserialize_with = "from_hex")]
    #[schemars(with = "String")]
    pub sha1: [u8; 20],
    /// For manifests and scheduled checks.
    #[serde(serialize_with = "as_hex", deserialize_with = "from_hex")]
    #[schemars(with = "String")]
    pub sha256: [u8; 32],
    /// The vault's own.
    #[serde(serialize_with = "as_hex", deserialize_with = "from_hex")]
    #[schemars(with = "String")]
    pub sha512: [u8; 64],
}

impl Digests {
    /// Each of them in lower-case digits, under the name of its algorithm.
    pub fn named(&self) -> [(&'static str, String); 4] {
        [
            ("md5", hex(&self.md5)),
            ("sha1", hex(&self.sha1)),
            ("sha256", hex(&self.sha256)),
            ("sha512", hex(&self.sha512)),
        ]
    }
}

fn as_hex<S: Serializer>(bytes: &impl AsRef<[u8]>, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&hex(bytes.as_ref()))
}

fn from_hex<'de, D: Deserializer<'de>, const N: usize>(from: D) -> Result<[u8; N], D::Error> {
    let text = String::deserialize(from)?;
    let bytes = unhex(&text).and_then(|bytes| bytes.try_into().ok());
    bytes.ok_or_else(|| serde::de::Error::custom("not a digest of this algorithm"))
}

/// Lower-case digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    use fmt::Write as _;
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        write!(text, "{byte:02x}").expect("a string takes all text");
    }
    text
}

/// The bytes of an even number of digits of either case.
pub(super) fn unhex(digits: &str) -> Option<Vec<u8>> {
    let digits = digits.as_bytes();
    if !digits.len().is_multiple_of(2) || !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let pair = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    digits.chunks_exact(2).map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uuids_read_as_they_are_written() {
        let text = "00112233-4455-6677-8899-aabbccddeeff";
        let uuid = Uuid::parse(text).unwrap();
        assert_eq!(uuid.to_string(), text);
        assert_eq!(Uuid::parse(&text.to_uppercase()), Some(uuid));
        assert_eq!(Uuid::parse(&text.replace('-', "")), Some(uuid));
        for bad in [
            "",
            "0011",
            "00112233-4455-6677-8899-aabbccddeefg",
            "0011-22334455-6677-8899-aabbccddeeff",
        ] {
            assert_eq!(Uuid::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn digests_read_as_they_are_written() {
        let digests = Digests { md5: [1; 16], sha1: [2; 20], sha256: [3; 32], sha512: [0xab; 64] };
        let text = serde_json::to_string(&digests).unwrap();
        assert_eq!(serde_json::from_str::<Digests>(&text).unwrap(), digests);
        let short = text.replace("0101", "01");
        assert!(serde_json::from_str::<Digests>(&short).is_err(), "{short}");
    }
}
