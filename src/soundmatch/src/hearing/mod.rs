//! From a file to what is compared: decoded, mixed, at one rate, in few bytes.
//!
//! In reading order: `media` is a file and a hint, which `rf64` shows as WAV where it is more than 4 GiB
//! of that, `decoder` makes mono pieces of it, with `opus` and `mixer`, `edit` cuts off what an encoder
//! added, `resampler` brings them to the working rate, `bands` and `wave` are what is kept, `listen`
//! drives them all.

mod bands;
mod decoder;
mod edit;
mod listen;
mod media;
mod mixer;
mod opus;
mod resampler;
mod rf64;
mod wave;

pub(super) use bands::{BANDS, Bands, HOP, WINDOW, edges};
pub(super) use listen::{Sound, listen};
pub use media::Media;
pub(super) use wave::Wave;

/// Samples a second that everything is compared at. A hop of the bands is exactly 32 ms of it.
pub const WORKING_RATE: u32 = 5_500;
