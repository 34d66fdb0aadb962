//! Signatures: what PRONOM publishes about formats, read from DROID's files and kept in a compact
//! form of our own.

pub(crate) mod changes;
pub(crate) mod container_file;
pub(crate) mod counts;
pub(crate) mod droid_file;
pub(crate) mod pattern;
pub(crate) mod set;
pub(crate) mod syntax;
pub mod xml;

pub use changes::{Changes, Named, titled};
pub use counts::{Counts, Portrait};
pub use set::{About, Broken, CompileError, ContainerSignature, Format, Signature, SignatureSet};
