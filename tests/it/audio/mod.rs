//! The audio room from outside: what is decoded, what is found, what is refused.

mod decoding;
mod finding;
mod recall;
