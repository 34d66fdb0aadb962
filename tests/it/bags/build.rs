//! Bags as maps of paths and bytes, to be packed in any way.

use std::collections::BTreeMap;
use std::path::Path;

use bagit::code::Code;
use bagit::{Limits, Options, Survey, Verdict, judge};
use digests::{Algorithm, AlgorithmSet, digest_buffers};

pub(crate) const VERSIONS: [&str; 6] = ["0.93", "0.94", "0.95", "0.96", "0.97", "1.0"];

/// A bag that has yet to be packed.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    pub(crate) version: &'static str,
    pub(crate) algorithms: Vec<Algorithm>,
    pub(crate) tag_manifests: bool,
    pub(crate) files: BTreeMap<Vec<u8>, Vec<u8>>,
}

impl Draft {
    /// A small bag, not yet sealed: payload in two folders, and some tags.
    pub(crate) fn new(version: &'static str) -> Draft {
        let algorithms = vec![Algorithm::Md5, Algorithm::Sha256];
        let mut draft = Draft { version, algorithms, tag_manifests: true, files: BTreeMap::new() };
        draft.put("data/a.txt", "alpha\n");
        draft.put("data/sub/b.bin", vec![7; 70_000]);
        draft.put("data/sub/empty", "");
        draft.put(
            "bagit.txt",
            format!("BagIt-Version: {version}\nTag-File-Character-Encoding: UTF-8\n"),
        );
        let info = "Source-Organization: Example\nBagging-Date: 2026-01-31\nBag-Count: 1 of 1\n";
        let name = if version < "0.96" { "package-info.txt" } else { "bag-info.txt" };
        draft.put(name, info);
        draft
    }

    pub(crate) fn put(&mut self, path: impl AsRef<[u8]>, bytes: impl AsRef<[u8]>) {
        self.files.insert(path.as_ref().to_vec(), bytes.as_ref().to_vec());
    }

    pub(crate) fn get(&self, path: &str) -> &[u8] {
        &self.files[path.as_bytes()]
    }

    pub(crate) fn text(&self, path: &str) -> String {
        String::from_utf8(self.get(path).to_vec()).unwrap()
    }

    /// Changes the text of a file.
    pub(crate) fn edit(&mut self, path: &str, edit: impl FnOnce(String) -> String) {
        let text = edit(self.text(path));
        self.put(path, text);
    }

    pub(crate) fn append(&mut self, path: &str, text: &str) {
        self.edit(path, |old| old + text);
    }

    pub(crate) fn remove(&mut self, path: &str) {
        self.files.remove(path.as_bytes()).unwrap();
    }

    pub(crate) fn oxum(&self) -> String {
        let payload = self.files.iter().filter(|(path, _)| path.starts_with(b"data/"));
        let (bytes, count) = payload.fold((0, 0), |(b, c), (_, v)| (b + v.len(), c + 1));
        format!("{bytes}.{count}")
    }

    /// Writes manifests of the payload as it is now.
    pub(crate) fn seal(mut self) -> Draft {
        for algorithm in self.algorithms.clone() {
            let encode = self.version >= "1.0";
            let lines = self.lines(algorithm, encode, |path| path.starts_with("data/"));
            self.put(format!("manifest-{algorithm}.txt"), lines);
        }
        if self.tag_manifests { self.seal_tags() } else { self }
    }

    /// Writes tag manifests of the tag files as they are now.
    pub(crate) fn seal_tags(mut self) -> Draft {
        for algorithm in self.algorithms.clone() {
            let lines = self.lines(algorithm, true, |path| {
                !path.starts_with("data/") && !path.starts_with("tagmanifest-")
            });
            self.put(format!("tagmanifest-{algorithm}.txt"), lines);
        }
        self
    }

    /// Changes a payload manifest; the tag manifests follow.
    pub(crate) fn with_manifest(mut self, edit: impl Fn(String) -> String) -> Draft {
        for algorithm in self.algorithms.clone() {
            self.edit(&format!("manifest-{algorithm}.txt"), &edit);
        }
        if self.tag_manifests { self.seal_tags() } else { self }
    }

    fn lines(&self, algorithm: Algorithm, encode: bool, which: impl Fn(&str) -> bool) -> String {
        let mut lines = String::new();
        for (path, bytes) in &self.files {
            let Ok(path) = str::from_utf8(path) else { continue };
            if which(path) {
                let path = if encode { path.replace('%', "%25") } else { path.to_owned() };
                let path = path.replace('\n', "%0A").replace('\r', "%0D");
                lines += &format!("{}  {path}\n", hex(algorithm, bytes));
            }
        }
        lines
    }
}

pub(crate) fn sealed(version: &'static str) -> Draft {
    Draft::new(version).seal()
}

pub(crate) fn hex(algorithm: Algorithm, bytes: &[u8]) -> String {
    digest_buffers(AlgorithmSet::EMPTY.with(algorithm), &[bytes])[0].hex(algorithm).unwrap()
}

pub(crate) fn verdict(path: &Path) -> Verdict {
    verdict_with(path, &Limits::default(), &mut ())
}

pub(crate) fn verdict_with(
    path: &Path,
    limits: &Limits,
    survey: &mut (dyn Survey + Send),
) -> Verdict {
    let options = Options { limits: Some(limits), ..Options::default() };
    judge(path, &options, survey).unwrap()
}

/// Every rule that was broken.
pub(crate) fn codes_of(verdict: &Verdict) -> Vec<Code> {
    let kept = verdict.findings.iter().map(|finding| finding.code);
    let mut codes: Vec<Code> = kept.chain(verdict.counts.by_code.keys().copied()).collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}
