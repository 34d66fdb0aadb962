//! Lines of manifests, as they are written.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use digests::{Algorithm, AlgorithmSet, Digests};

use super::plan::MakeError;

/// One manifest for each algorithm, growing line by line.
pub(super) struct Manifests {
    files: Vec<(Algorithm, PathBuf, BufWriter<File>)>,
}

impl Manifests {
    /// Starts manifests in a folder: `manifest-md5.txt` for the prefix `manifest`.
    pub(super) fn start(
        folder: &Path,
        prefix: &str,
        algorithms: AlgorithmSet,
    ) -> Result<Manifests, MakeError> {
        let mut files = Vec::new();
        for algorithm in algorithms.iter() {
            let path = folder.join(format!("{prefix}-{algorithm}.txt"));
            let file = File::create_new(&path)
                .map_err(|source| MakeError::Write { path: path.clone(), source })?;
            files.push((algorithm, path, BufWriter::new(file)));
        }
        Ok(Manifests { files })
    }

    /// Adds a file to all of them.
    pub(super) fn add(&mut self, path: &str, digests: &Digests) -> Result<(), MakeError> {
        let name = encode(path);
        for (algorithm, file, writer) in &mut self.files {
            let digest = digests.hex(*algorithm).expect("every file is digested by all algorithms");
            writeln!(writer, "{digest}  {name}")
                .map_err(|source| MakeError::Write { path: file.clone(), source })?;
        }
        Ok(())
    }

    /// Writes what is left and tells where they are.
    pub(super) fn finish(self) -> Result<Vec<PathBuf>, MakeError> {
        let mut paths = Vec::new();
        for (_, path, mut writer) in self.files {
            writer.flush().map_err(|source| MakeError::Write { path: path.clone(), source })?;
            paths.push(path);
        }
        Ok(paths)
    }
}

/// RFC 8493 section 2.1.3: these three and no others.
fn encode(path: &str) -> String {
    path.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}
