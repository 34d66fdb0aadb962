//! Identifies the format of a file by the signatures of PRONOM.
//!
//! [`Formats`] is a signature set that is ready for use, and [`Formats::identify`] looks at one
//! file. A [`SignatureSet`] is made of the two signature files that The National Archives publish
//! for DROID. One set is built in.
//!
//! # What it promises
//!
//! - **Bounds:** what a file costs is in [`Bounds`]: bytes read, bytes compared, bytes and entries
//!   unpacked of a container. A file costs no more for being large. One that reaches a bound is
//!   unknown, and the reason says which bound. Matching never backtracks.
//! - **Memory:** of a file its first and last bytes are held, and what is unpacked of a container.
//!   By the built-in set and the default bounds that is 2 MiB at either end, and 8 MiB unpacked. A
//!   set whose signatures reach further into a file needs as many bytes of it.
//! - **Determinism:** the same bytes, name, set and bounds give the same identification. A bound on
//!   time counts only where the caller gives a clock.
//! - **No panic:** no file and no signature file makes it panic. Both are fuzzed.
//! - **Errors:** an error is a failure to read. Whatever the bytes are, they are no error.
//! - **Signature files:** a signature that cannot be used is left out and named. A stored set that
//!   is not exactly as it was stored is refused.
//!
//! # What it never does
//!
//! It writes no file, uses no network and asks no clock of its own. Nothing is unpacked to disk. A
//! DTD in a signature file is refused. [`files`] reports the links, devices and pipes that it finds
//! and opens none of them.
//!
//! # Reading order
//!
//! [`signature`] reads what The National Archives publish and keeps it in a compact form.
//! [`Formats`] holds a set ready for use and looks at one file at a time: `looking` finds the
//! signatures that may match by a few bytes of each, proves them, and weighs what was found;
//! `container` looks inside. All of that is pure over bytes and names.
//!
//! [`files`] goes through folders.
//!
//! # Example
//!
//! ```
//! use pronom::{Basis, Formats, Looking};
//!
//! let formats = Formats::built_in()?;
//! let looking = Looking::default();
//!
//! let (first, last) = (b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR", b"\0\0\0\0IEND\xaeB`\x82");
//! let png = [first, &[0; 17][..], last].concat();
//! let found = formats.identify(&png.as_slice(), "map.png", &looking)?;
//! assert_eq!(found.matches[0].format.puid, "fmt/11");
//! assert!(matches!(found.matches[0].basis, Basis::Signature { .. }));
//! assert!(found.warnings.is_empty());
//!
//! // The same bytes under a name that does not fit.
//! let found = formats.identify(&png.as_slice(), "map.jpg", &looking)?;
//! assert_eq!(found.matches[0].format.puid, "fmt/11");
//! assert!(found.warnings[0].contains("\".jpg\""));
//!
//! let found = formats.identify(&&[0_u8, 1, 2, 3][..], "unknown", &looking)?;
//! assert!(found.matches.is_empty() && found.unknown.is_some());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod bounds;
pub mod files;
pub mod fuzz;
pub mod identification;
pub mod signature;

mod container;
mod formats;
mod looking;

pub use bounds::Bounds;
pub use formats::Formats;
pub use identification::{Basis, ContainerKind, Encoding, Identification, Match, Place};
pub use looking::look::Looking;
pub use signature::{Changes, SignatureSet};

#[cfg(test)]
mod tests;
