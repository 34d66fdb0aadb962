//! Profiles: what a community asks of a bag beyond BagIt itself.
//!
//! Any BagIt Profile document of the generations 1.1 to 1.4 can be loaded, and the profiles that DART
//! keeps in a format of its own; APTrust 2.3 and BTR 1.0 are documents of the former kind, built in. A
//! document may use these extensions, which others ignore:
//!
//! | key | meaning |
//! | --- | --- |
//! | `Tag-Files-Info` | an object of tag files, each with rules for its tags as in `Bag-Info` |
//! | `Profile-Identifier-Required` | `false`: a bag need not name this profile in `bag-info.txt` |
//! | `Top-Folder-Is-Bag-Name` | `true`: warn when the folder in an archive has another name |
//! | `Names-Without-Control-Characters` | `true`: a name with a control character is an error |
//! | `Required-Tags-Need-Values` | `true`: a required tag without a value is an error |
//! | `default`, in a tag rule | what an absent tag means; a required tag may then be absent |
//! | `ignore-case`, in a tag rule | `true`: `values` are compared regardless of case |

mod asked;
mod builtin;
mod dart;
mod deposit;
mod document;
mod glob;
mod judge;
mod keys;
mod load;
mod payload;
mod rules;
mod tags;

pub use asked::{LoadError, Rules};
pub use builtin::{APTRUST, AsNamed, BTR, identifier, normalise, select};
pub use deposit::{Access, Deposit, StorageOption};
pub use document::{Problem, ProfileError};
pub use payload::PayloadWatch;
pub use rules::{Choice, EmptyRule, FetchRule, Identity, Profile, SerializationRule, TagRule};
