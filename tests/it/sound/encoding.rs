//! Episodes as other programs would store them, where such a program is at hand.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) struct Encoder {
    pub(crate) name: &'static str,
    extension: &'static str,
    options: [&'static str; 4],
}

pub(crate) const ENCODERS: [Encoder; 4] = [
    Encoder {
        name: "MP3 at 64 kbit/s",
        extension: "mp3",
        options: ["-c:a", "libmp3lame", "-b:a", "64k"],
    },
    Encoder {
        name: "MP3 at 32 kbit/s",
        extension: "mp3",
        options: ["-c:a", "libmp3lame", "-b:a", "32k"],
    },
    Encoder { name: "AAC at 48 kbit/s", extension: "m4a", options: ["-c:a", "aac", "-b:a", "48k"] },
    Encoder {
        name: "Vorbis at quality 0",
        extension: "ogg",
        options: ["-c:a", "libvorbis", "-q:a", "0"],
    },
];

/// Encodes a WAV file into a folder, or says why it cannot.
pub(crate) fn encoded(room: &Path, wav: &[u8], encoder: &Encoder) -> Result<PathBuf, String> {
    let plain = room.join("plain.wav");
    let coded = room.join("coded").with_extension(encoder.extension);
    File::create(&plain).unwrap().write_all(wav).unwrap();
    let mut ffmpeg = Command::new("ffmpeg");
    ffmpeg.args(["-v", "error", "-y", "-i"]).arg(&plain).args(encoder.options).arg(&coded);
    let output = ffmpeg.output().map_err(|error| format!("ffmpeg: {error}"))?;
    if output.status.success() {
        return Ok(coded);
    }
    Err(String::from_utf8_lossy(&output.stderr).trim().to_owned())
}
