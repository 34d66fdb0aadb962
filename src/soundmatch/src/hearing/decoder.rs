//! Mono pieces of a recording, one after another, whatever is wrong with it.
//!
//! Encoder delay and padding are trimmed, leading silence is kept, all channels count: of two the mean or
//! their difference, of more the mean. A packet that
//! cannot be decoded becomes silence of its length, so that everything after it stays where it was.
//! A decoder is built for one rate and channel layout: a packet that it refuses is given to a fresh
//! one before it is called damaged.
//!
//! Hazards: files come from anywhere, and the decoders behind this do arithmetic on them. A panic in
//! there is caught and becomes an error; packets that yield nothing are counted, so that no file
//! keeps us for ever.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::LazyLock;

use symphonia::core::codecs::CodecParameters;
use symphonia::core::codecs::audio::{AudioDecoder, AudioDecoderOptions};
use symphonia::core::codecs::registry::CodecRegistry;
use symphonia::core::errors::Error;
use symphonia::core::formats::{FormatReader, TrackType};
use symphonia::core::io::MediaSourceStream;
use symphonia::core::packet::Packet;

use super::media::Source;
use super::mixer::Mixer;
use super::opus::Opus;
use super::resampler::RATES;
use crate::AudioError;

/// Packets in a row that may yield nothing.
const BARREN: u32 = 20_000;

/// Packets that padding alone may fill. When more follow what the header promised, the header is
/// wrong: files are joined, and only the first of them was asked.
const PADDING: usize = 4;

/// Samples of silence that may stand for one damaged packet.
const LONGEST_GAP: u64 = 65_536;

/// What one step of decoding brings.
pub(super) enum Piece {
    /// Samples at this rate are in the buffer.
    Sound { rate: u32 },
    /// A damaged packet: so many samples of silence are in the buffer.
    Gap { rate: u32 },
    /// Nothing this time.
    Nothing,
    /// The end, with a reason if it is not the right one.
    End(Option<String>),
}

pub(super) struct Decoder {
    format: Box<dyn FormatReader>,
    codec: Box<dyn AudioDecoder>,
    track: u32,
    /// Rate and channels of the last piece.
    spec: Option<(u32, usize)>,
    interleaved: Vec<f32>,
    mixer: Mixer,
    /// Whether the recording ends where there is nothing more to read.
    is_whole: bool,
    barren: u32,
    last_trouble: Option<String>,
    /// Packets behind the promised end, as long as they may be padding.
    held: VecDeque<Packet>,
    /// Whether there turned out to be more than padding.
    joined: bool,
}

impl Decoder {
    pub(super) fn open(source: Source) -> Result<Decoder, AudioError> {
        let Source { reader, hint, is_whole } = source;
        guarded(|| {
            let stream = MediaSourceStream::new(reader, Default::default());
            let probe = symphonia::default::get_probe();
            let format = probe
                .probe(&hint, stream, Default::default(), Default::default())
                .map_err(|error| AudioError::NotAudio { reason: error.to_string() })?;
            let (track, codec) = codec(&*format)?;
            let (interleaved, spec) = (Vec::new(), None);
            Ok(Decoder {
                format,
                codec,
                track,
                spec,
                interleaved,
                mixer: Mixer::default(),
                is_whole,
                barren: 0,
                last_trouble: None,
                held: VecDeque::new(),
                joined: false,
            })
        })?
    }

    pub(super) fn codec_name(&self) -> &'static str {
        self.codec.codec_info().short_name
    }

    /// Samples at the working rate that the container promises; a hint, not to be trusted.
    pub(super) fn promised_seconds(&self) -> Option<u64> {
        let track = self.format.tracks().iter().find(|track| track.id == self.track)?;
        let rate = track.codec_params.as_ref()?.audio()?.sample_rate?;
        track.num_frames.map(|frames| frames / u64::from(rate.max(1)))
    }

    pub(super) fn spec(&self) -> Option<(u32, usize)> {
        self.spec
    }

    pub(super) fn last_trouble(&self) -> Option<&str> {
        self.last_trouble.as_deref()
    }

    /// Decodes one packet; what it holds is appended to `out`.
    pub(super) fn step(&mut self, out: &mut Vec<f32>) -> Result<Piece, AudioError> {
        let piece = guarded(|| self.unguarded_step(out))??;
        match piece {
            Piece::Nothing | Piece::Gap { .. } => self.barren += 1,
            Piece::Sound { .. } => self.barren = 0,
            Piece::End(_) => {}
        }
        if self.barren > BARREN {
            return Ok(Piece::End(Some(format!("{BARREN} packets in a row held no sound"))));
        }
        Ok(piece)
    }

    fn unguarded_step(&mut self, out: &mut Vec<f32>) -> Result<Piece, AudioError> {
        if self.joined
            && let Some(packet) = self.held.pop_front()
        {
            return Ok(self.heard(&packet, out));
        }
        let mut packet = match self.format.next_packet() {
            Ok(Some(packet)) => packet,
            Ok(None) => return Ok(Piece::End(None)),
            Err(Error::ResetRequired) => {
                // A chained stream: another one follows in the same file.
                (self.track, self.codec) = codec(&*self.format)?;
                return Ok(Piece::Nothing);
            }
            Err(error) => return self.broken(error),
        };
        if packet.track_id != self.track {
            return Ok(Piece::Nothing);
        }
        if self.spec.is_some() && self.is_padding(&packet) {
            packet.trim_end = Default::default();
            self.held.push_back(packet);
            self.joined |= self.held.len() > PADDING;
            return Ok(Piece::Nothing);
        }
        Ok(self.heard(&packet, out))
    }

    /// Whether padding is all that a packet has. Its duration is what is left without padding, but for
    /// packets of bare MPEG streams: their reader counts padding in.
    fn is_padding(&self, packet: &Packet) -> bool {
        let left = match self.format.format_info().short_name {
            "mp1" | "mp2" | "mp3" => packet.dur.saturating_sub(packet.trim_end),
            _ => packet.dur,
        };
        packet.trim_end.get() > 0 && left.get() == 0
    }

    /// Decodes a packet, or puts silence in its place.
    fn heard(&mut self, packet: &Packet, out: &mut Vec<f32>) -> Piece {
        if self.decoded(packet) || self.decoded_afresh(packet) {
            return self.mixed(out);
        }
        let Some((rate, _)) = self.spec else { return Piece::Nothing };
        let silence = packet.dur.get().min(LONGEST_GAP);
        out.resize(out.len() + usize::try_from(silence).unwrap_or(0), 0.0);
        Piece::Gap { rate }
    }

    /// The container cannot be followed any further: a medium that fails may be read again, all
    /// else is how the file is.
    fn broken(&mut self, error: Error) -> Result<Piece, AudioError> {
        if let Error::IoError(error) = error {
            if error.kind() == std::io::ErrorKind::UnexpectedEof {
                let early = "it stops in the middle of a packet".to_owned();
                return Ok(Piece::End((!self.is_whole).then_some(early)));
            }
            return match error.raw_os_error() {
                Some(_) => Err(AudioError::Unreadable(error)),
                None => Ok(Piece::End(Some(error.to_string()))),
            };
        }
        Ok(Piece::End(Some(error.to_string())))
    }

    /// Whether the decoder took the packet; samples of all channels are in `interleaved` then.
    fn decoded(&mut self, packet: &Packet) -> bool {
        match self.codec.decode(packet) {
            Ok(buffer) => {
                let spec = buffer.spec();
                let (rate, channels) = (spec.rate(), spec.channels().count());
                if !RATES.contains(&rate) || channels == 0 {
                    self.last_trouble = Some(format!("{rate} Hz, {channels} channels"));
                    return false;
                }
                buffer.copy_to_vec_interleaved(&mut self.interleaved);
                self.spec = Some((rate, channels));
                true
            }
            Err(error) => {
                self.last_trouble = Some(error.to_string());
                false
            }
        }
    }

    /// Tries a fresh decoder, and keeps it if the rate or the channels are what has changed.
    fn decoded_afresh(&mut self, packet: &Packet) -> bool {
        let Ok((track, fresh)) = codec(&*self.format) else { return false };
        if track != self.track || self.spec.is_none() {
            return false;
        }
        let (old, spec) = (std::mem::replace(&mut self.codec, fresh), self.spec);
        if self.decoded(packet) && self.spec != spec {
            return true;
        }
        self.codec = old;
        self.spec = spec;
        false
    }

    /// One channel of all.
    fn mixed(&mut self, out: &mut Vec<f32>) -> Piece {
        let Some((rate, channels)) = self.spec else { return Piece::Nothing };
        if self.interleaved.is_empty() {
            return Piece::Nothing;
        }
        match channels {
            1 => out.extend(self.interleaved.iter().map(|&sample| sane(sample))),
            2 => self.mixer.mix(&self.interleaved, rate, out),
            many => {
                let share = 1.0 / many as f32;
                let frames = self.interleaved.chunks_exact(many);
                out.extend(frames.map(|frame| sane(frame.iter().sum::<f32>() * share)));
            }
        }
        Piece::Sound { rate }
    }
}

/// Files of floats can hold anything.
pub(super) fn sane(sample: f32) -> f32 {
    if sample.is_finite() { sample.clamp(-4.0, 4.0) } else { 0.0 }
}

/// Decoders of all codecs, with those that symphonia has not.
static CODECS: LazyLock<CodecRegistry> = LazyLock::new(|| {
    let mut codecs = CodecRegistry::new();
    symphonia::default::register_enabled_codecs(&mut codecs);
    codecs.register_audio_decoder::<Opus>();
    codecs
});

fn codec(format: &dyn FormatReader) -> Result<(u32, Box<dyn AudioDecoder>), AudioError> {
    let unfit = |reason: &str| AudioError::NotAudio { reason: reason.to_owned() };
    let track = format.default_track(TrackType::Audio).ok_or_else(|| unfit("no audio track"))?;
    let params = track.codec_params.as_ref().and_then(CodecParameters::audio);
    let params = params.ok_or_else(|| unfit("its codec is unknown"))?;
    let options = AudioDecoderOptions::default().gapless(true);
    let decoder = CODECS.make_audio_decoder(params, &options);
    Ok((track.id, decoder.map_err(|error| unfit(&error.to_string()))?))
}

/// Runs a step of the decoders so that a panic in there is an error out here.
fn guarded<T>(step: impl FnOnce() -> T) -> Result<T, AudioError> {
    // Whatever it was doing is dropped with the decoder: nobody looks at it again.
    catch_unwind(AssertUnwindSafe(step)).map_err(|panic| {
        let said = panic.downcast_ref::<&str>().map(|said| (*said).to_owned());
        let said = said.or_else(|| panic.downcast_ref::<String>().cloned());
        AudioError::DecoderFailed { reason: said.unwrap_or_else(|| "no reason given".to_owned()) }
    })
}
