//! Opening regular files, and nothing else: opening a pipe may wait for ever, and opening a device
//! may set it in motion.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::OFlags;

/// What to do with a symbolic link in place of the file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Links {
    Follow,
    Refuse,
}

/// Opens a regular file for reading. What is looked at before may be exchanged before it is
/// opened: the open itself waits for nothing, and what was opened is looked at again.
pub fn open(path: &Path, links: Links) -> io::Result<(File, Metadata)> {
    let (found, refuse) = match links {
        Links::Follow => (fs::metadata(path)?, OFlags::empty()),
        Links::Refuse => (fs::symlink_metadata(path)?, OFlags::NOFOLLOW),
    };
    check(&found)?;
    let flags = (OFlags::NONBLOCK | OFlags::NOCTTY | refuse).bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    let opened = file.metadata()?;
    check(&opened)?;
    if (found.dev(), found.ino()) != (opened.dev(), opened.ino()) {
        return Err(io::Error::other("it was exchanged for another while it was opened"));
    }
    Ok((file, opened))
}

/// What something is that is no regular file.
pub fn oddity(kind: fs::FileType) -> &'static str {
    if kind.is_dir() {
        "a folder"
    } else if kind.is_symlink() {
        "a symbolic link"
    } else if kind.is_fifo() {
        "a pipe"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

fn check(metadata: &Metadata) -> io::Result<()> {
    if metadata.is_file() {
        return Ok(());
    }
    let what = oddity(metadata.file_type());
    Err(io::Error::new(io::ErrorKind::InvalidInput, format!("it is {what}, not a file")))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::*;

    #[test]
    fn only_regular_files_are_opened() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        let refusal = |name: &str, links| open(&at(name), links).unwrap_err().to_string();
        crate::durable::write(&at("file"), b"abc", false).unwrap();
        symlink(at("file"), at("link")).unwrap();
        symlink(at("link"), at("more")).unwrap();
        symlink("loop", at("loop")).unwrap();
        mknodat(CWD, at("pipe"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        let _listener = UnixListener::bind(at("socket")).unwrap();
        for links in [Links::Follow, Links::Refuse] {
            assert_eq!(open(&at("file"), links).unwrap().1.len(), 3);
            assert_eq!(refusal("pipe", links), "it is a pipe, not a file");
            assert_eq!(refusal("socket", links), "it is a socket, not a file");
            assert_eq!(refusal(".", links), "it is a folder, not a file");
            assert_eq!(open(&at("gone"), links).unwrap_err().kind(), io::ErrorKind::NotFound);
        }
        assert_eq!(refusal("more", Links::Refuse), "it is a symbolic link, not a file");
        assert_eq!(open(&at("more"), Links::Follow).unwrap().1.len(), 3);
        assert!(open(&at("loop"), Links::Follow).is_err());
        let device = open(Path::new("/dev/null"), Links::Follow).unwrap_err().to_string();
        assert_eq!(device, "it is a device, not a file");
    }
}
