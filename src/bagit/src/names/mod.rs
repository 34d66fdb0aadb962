//! Names in bags: which are allowed, how manifests write them, and which are mistaken for others.

pub(crate) mod alike;
pub(crate) mod rules;
pub(crate) mod spelling;
