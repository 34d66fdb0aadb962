//! Search: what people type into one field, and what is found by it.
//!
//! Three full-text tables hold the words of objects, of files and of items, and nothing else: which
//! rows a word stands in, not where. Words are cut and folded here and not by SQLite, the same way
//! when they are written and when they are asked for, so that no text can be anything but words.
//! Whose a row is stands among its words, because a word that everybody uses would otherwise be
//! walked through everybody's rows to find one's own.

mod find;
mod index;
mod words;

pub use find::{Found, SEARCH_MAX};
pub(super) use index::{
    ADD_FILE_WORDS, DERIVE_ITEM_WORDS, DERIVE_WORDS, FORGET_FILE_WORDS, NEW_FILE_WORDS, add_item,
    add_object, forget_object, open_words,
};
pub(super) use words::{of_owner, teach};
