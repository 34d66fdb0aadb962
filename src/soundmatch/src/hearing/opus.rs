//! Opus for the readers behind us, which know its containers and not the codec.
//!
//! What an encoder put before the sound is dropped as the header says; the end is trimmed as the
//! container says. In MP4 its edit list tells of both, and the header is left alone.
//!
//! Hazards: a packet is at most 120 ms long, whatever it claims; one that cannot be decoded is an error,
//! and whoever asks puts silence in its place.

use ruopus::{MultistreamDecoder, OpusDecoder};
use symphonia::core::audio::{
    AsGenericAudioBufferRef, AudioBuffer, AudioMut, AudioSpec, Channels, GenericAudioBufferRef,
};
use symphonia::core::codecs::CodecInfo;
use symphonia::core::codecs::audio::well_known::CODEC_ID_OPUS;
use symphonia::core::codecs::audio::{
    AudioCodecParameters, AudioDecoder, AudioDecoderOptions, FinalizeResult,
};
use symphonia::core::codecs::registry::{RegisterableAudioDecoder, SupportedAudioCodec};
use symphonia::core::errors::{Error, Result};
use symphonia::core::packet::PacketRef;

/// Samples a second, whatever the encoder was given.
const RATE: u32 = 48_000;

/// Samples of one channel in the longest packet: 120 ms.
const LONGEST: usize = 5_760;

/// What the header says.
#[derive(Debug, PartialEq, Eq)]
struct Head {
    channels: usize,
    /// Samples before the sound.
    skip: usize,
    /// Streams in each packet, and how many of them have two channels.
    streams: usize,
    coupled: usize,
    /// Which of the decoded channels each one is.
    mapping: Vec<u8>,
}

impl Head {
    /// Reads a header; none if it is damaged or makes no sense.
    fn read(bytes: &[u8]) -> Option<Head> {
        let bytes = bytes.strip_prefix(b"OpusHead")?;
        let [version, channels, low, high] = *bytes.first_chunk()?;
        // The header of MP4 has version 0, and its numbers the other way round.
        let skip = if version == 0 { 0 } else { usize::from(u16::from_le_bytes([low, high])) };
        let channels = usize::from(channels);
        if *bytes.get(10)? == 0 {
            return Some(Head { skip, ..Head::simple(channels)? });
        }
        let [streams, coupled] = *bytes.get(11..)?.first_chunk()?;
        let (streams, coupled) = (usize::from(streams), usize::from(coupled));
        let mapping = bytes.get(13..)?.get(..channels)?.to_vec();
        let decoded = streams + coupled;
        let is_known = |&it: &u8| it == u8::MAX || usize::from(it) < decoded;
        let makes_sense = streams > 0
            && coupled <= streams
            && decoded < 256
            && channels > 0
            && (streams > 1 || channels == decoded)
            && mapping.iter().all(is_known);
        makes_sense.then_some(Head { channels, skip, streams, coupled, mapping })
    }

    /// One stream of one or two channels.
    fn simple(channels: usize) -> Option<Head> {
        let (coupled, mapping) = match channels {
            1 => (0, vec![0]),
            2 => (1, vec![0, 1]),
            _ => return None,
        };
        Some(Head { channels, skip: 0, streams: 1, coupled, mapping })
    }
}

/// What takes the packets of a recording.
enum Decoder {
    One(Box<OpusDecoder>),
    /// Several streams in each packet, for more than two channels.
    Many(MultistreamDecoder),
}

impl Decoder {
    fn new(head: &Head) -> Decoder {
        match head.streams {
            1 => Decoder::One(Box::new(OpusDecoder::new(head.channels))),
            many => Decoder::Many(MultistreamDecoder::with_rate(
                RATE,
                many,
                head.coupled,
                &head.mapping,
            )),
        }
    }

    /// Samples of all channels in turn; none if the packet is damaged.
    fn decode(&mut self, packet: &[u8]) -> Option<Vec<f32>> {
        match self {
            Decoder::One(decoder) => decoder.decode_packet(packet).ok(),
            Decoder::Many(decoder) => decoder.decode_packet(packet).ok(),
        }
    }
}

/// A decoder as the readers want it.
pub(super) struct Opus {
    params: AudioCodecParameters,
    head: Head,
    decoder: Decoder,
    /// Samples that are still to be dropped.
    skip: usize,
    buffer: AudioBuffer<f32>,
}

impl Opus {
    fn new(params: &AudioCodecParameters) -> Result<Opus> {
        let channels = params.channels.as_ref().map_or(0, Channels::count);
        let head = match &params.extra_data {
            Some(bytes) => Head::read(bytes),
            None => Head::simple(channels),
        };
        let head = head.ok_or(Error::Unsupported("opus: its header cannot be read"))?;
        let discrete = u16::try_from(head.channels).unwrap_or(u16::MAX);
        let spec = AudioSpec::new(RATE, Channels::Discrete(discrete));
        let (decoder, skip) = (Decoder::new(&head), head.skip);
        let buffer = AudioBuffer::new(spec, LONGEST);
        Ok(Opus { params: params.clone(), head, decoder, skip, buffer })
    }
}

impl AudioDecoder for Opus {
    fn reset(&mut self) {
        self.decoder = Decoder::new(&self.head);
    }

    fn codec_info(&self) -> &CodecInfo {
        &CODECS[0].info
    }

    fn codec_params(&self) -> &AudioCodecParameters {
        &self.params
    }

    fn decode_ref(&mut self, packet: &PacketRef<'_>) -> Result<GenericAudioBufferRef<'_>> {
        self.buffer.clear();
        let samples = self.decoder.decode(packet.data);
        let samples = samples.ok_or(Error::DecodeError("opus: a packet is damaged"))?;
        let frames = (samples.len() / self.head.channels).min(LONGEST);
        self.buffer.render_uninit(Some(frames));
        self.buffer.copy_from_slice_interleaved(&&samples[..frames * self.head.channels]);
        let end = usize::try_from(packet.trim_end.get()).unwrap_or(usize::MAX);
        // A container that knows what to drop has taken that from the packet.
        let told = usize::try_from(packet.trim_start.get()).unwrap_or(usize::MAX);
        let start = self.skip.max(told).min(frames);
        self.skip -= self.skip.min(start);
        self.buffer.trim(start, end);
        Ok(self.buffer.as_generic_audio_buffer_ref())
    }

    fn finalize(&mut self) -> FinalizeResult {
        FinalizeResult::default()
    }

    fn last_decoded(&self) -> GenericAudioBufferRef<'_> {
        self.buffer.as_generic_audio_buffer_ref()
    }
}

const CODECS: &[SupportedAudioCodec] = &[SupportedAudioCodec {
    id: CODEC_ID_OPUS,
    info: CodecInfo { short_name: "opus", long_name: "Opus", profiles: &[] },
}];

impl RegisterableAudioDecoder for Opus {
    fn try_registry_new(
        params: &AudioCodecParameters,
        _: &AudioDecoderOptions,
    ) -> Result<Box<dyn AudioDecoder>> {
        Ok(Box::new(Opus::new(params)?))
    }

    fn supported_codecs() -> &'static [SupportedAudioCodec] {
        CODECS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEREO: &[u8] = b"OpusHead\x01\x02\x38\x01\x80\xbb\0\0\0\0\0";

    #[test]
    fn a_header_tells_what_to_drop_and_where_channels_are() {
        let two = Head::read(STEREO).unwrap();
        assert_eq!((two.channels, two.skip, two.streams, two.coupled), (2, 312, 1, 1));
        let six = b"OpusHead\x01\x06\x38\x01\x80\xbb\0\0\0\0\x01\x04\x02\0\x04\x01\x02\x03\x05";
        let six = Head::read(six).unwrap();
        assert_eq!((six.streams, six.coupled), (4, 2));
        assert_eq!(six.mapping, [0, 4, 1, 2, 3, 5]);
        let mp4 = Head::read(b"OpusHead\0\x01\x01\x38\0\0\xbb\x80\0\0\0").unwrap();
        assert_eq!((mp4.channels, mp4.skip), (1, 0));
    }

    #[test]
    fn a_header_that_is_cut_or_makes_no_sense_is_no_header() {
        for cut in 0..STEREO.len() {
            assert_eq!(Head::read(&STEREO[..cut]), None, "{cut} bytes");
        }
        for (at, odd) in [(9, 0), (9, 3), (0, b'o')] {
            let mut bytes = STEREO.to_vec();
            bytes[at] = odd;
            assert_eq!(Head::read(&bytes), None);
        }
        for odd in [[0, 0, 0, 1], [1, 2, 0, 1], [1, 0, 0, 1], [2, 0, 0, 2], [200, 100, 0, 1]] {
            let mut bytes = STEREO.to_vec();
            bytes[18] = 1;
            bytes.extend(odd);
            assert_eq!(Head::read(&bytes), None, "{odd:?}");
        }
    }
}
