//! A recording in a folder of this machine that the configuration names.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::{MediaError, Opened};

/// Opens a file below one of the folders. Links are followed first: where they lead counts.
pub(super) fn open(folders: &[PathBuf], path: &str) -> Result<Opened, MediaError> {
    let path = Path::new(path);
    let outside = || MediaError::Outside { path: path.into() };
    let is_below = |path: &Path, folder: &PathBuf| {
        folder.canonicalize().is_ok_and(|folder| path.starts_with(folder))
    };
    let real = match path.canonicalize() {
        Ok(real) => real,
        // What is not there is told to those only who might find it there.
        Err(source) if folders.iter().any(|folder| path.starts_with(folder)) => {
            return Err(MediaError::Missing { path: path.into(), source });
        }
        Err(_) => return Err(outside()),
    };
    if !folders.iter().any(|folder| is_below(&real, folder)) {
        return Err(outside());
    }
    let missing = |source| MediaError::Missing { path: path.into(), source };
    // Looked at before it is opened: opening a pipe would wait for somebody to write.
    if !real.metadata().map_err(missing)?.is_file() {
        return Err(missing(io::Error::other("it is not a file")));
    }
    Opened::of_file(File::open(&real).map_err(missing)?).map_err(missing)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use byteio::durable;

    use super::*;

    #[test]
    fn nothing_is_read_outside_the_folders_whatever_leads_there() {
        let room = tempfile::tempdir().unwrap();
        let (open_to_all, secret) = (room.path().join("media"), room.path().join("secret"));
        for folder in [&open_to_all, &secret] {
            durable::create_folder(folder).unwrap();
            durable::write(&folder.join("a.wav"), b"sound", false).unwrap();
        }
        symlink(secret.join("a.wav"), open_to_all.join("link.wav")).unwrap();
        symlink(open_to_all.join("a.wav"), secret.join("back.wav")).unwrap();
        let folders = [open_to_all.clone(), room.path().join("not-there")];
        let told = |path: PathBuf| open(&folders, path.to_str().unwrap());
        assert_eq!(told(open_to_all.join("a.wav")).unwrap().size_bytes, 5);
        assert_eq!(told(secret.join("back.wav")).unwrap().size_bytes, 5);
        for path in [
            secret.join("a.wav"),
            secret.join("not-there.wav"),
            open_to_all.join("link.wav"),
            open_to_all.join("../secret/a.wav"),
        ] {
            let error = told(path.clone()).unwrap_err();
            assert!(matches!(error, MediaError::Outside { .. }), "{path:?}: {error}");
        }
        for path in [open_to_all.join("not-there.wav"), open_to_all.clone()] {
            let error = told(path.clone()).unwrap_err();
            assert!(matches!(error, MediaError::Missing { .. }), "{path:?}: {error}");
        }
        let none = open(&[], open_to_all.join("a.wav").to_str().unwrap()).unwrap_err();
        assert!(none.to_string().contains("research.media_folders"), "{none}");
    }
}
