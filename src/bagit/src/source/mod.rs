//! Where bags come from: folders and archives, walked and read but never unpacked.

pub(crate) mod folder;
pub(crate) mod inflate;
pub(crate) mod intake;
pub(crate) mod kind;
pub(crate) mod packing;
pub(crate) mod tar;
pub(crate) mod tar_file;
pub(crate) mod tar_gz;
pub(crate) mod tar_header;
pub(crate) mod zip;
