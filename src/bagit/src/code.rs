//! The rules of bags, each with a stable code. The list in the docs is made from this one.

use serde::{Serialize, Serializer};

use super::finding::Severity;

macro_rules! codes {
    ($($variant:ident = $name:literal, $severity:ident, $meaning:literal;)*) => {
        /// A rule that a bag can break.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code { $(#[doc = $meaning] $variant),* }

        impl Code {
            /// Every rule, in the order it is documented.
            pub const ALL: &'static [Code] = &[$(Code::$variant),*];

            /// The stable name: in JSON, reports and scripts, forever.
            pub fn name(self) -> &'static str {
                match self { $(Code::$variant => $name),* }
            }

            /// What it means.
            pub fn meaning(self) -> &'static str {
                match self { $(Code::$variant => $meaning),* }
            }

            /// How bad it is, unless the version of BagIt or the profile says otherwise.
            pub fn severity(self) -> Severity {
                match self { $(Code::$variant => Severity::$severity),* }
            }
        }
    };
}

codes! {
    // Structure (bag core)
    BagitTxtMissing = "bagit-txt-missing", Error, "There is no bagit.txt.";
    BagitTxtBom = "bagit-txt-byte-order-mark", Error, "bagit.txt begins with a byte order mark.";
    BagitTxtForm = "bagit-txt-form", Error, "bagit.txt is not the two lines that the standard prescribes. White space alone is a warning before BagIt 1.0.";
    VersionUnknown = "version-unknown", Error, "The version of BagIt is none that exists.";
    EncodingUnknown = "encoding-unknown", Error, "The declared encoding of tag files cannot be read here.";
    DataMissing = "data-folder-missing", Error, "There is no data folder.";
    ManifestMissing = "manifest-missing", Error, "There is no payload manifest.";
    // Containers (bag core)
    TopFolderMissing = "top-folder-missing", Error, "The files of the bag lie loose in the archive, not in one folder.";
    LooseFile = "loose-file", Error, "A file lies in the archive outside the folder of the bag.";
    TopFolderSecond = "top-folder-second", Error, "The archive holds more than one top folder.";
    EntryTwice = "entry-twice", Error, "The archive holds two entries of the same name.";
    FileIsFolder = "file-is-folder", Error, "A name is used for a file and for a folder.";
    LinkInBag = "link-in-bag", Error, "There is a link where a file should be.";
    DeviceInBag = "device-in-bag", Error, "There is a device, pipe or socket in the bag.";
    SparseEntry = "sparse-entry", Error, "The archive stores a file as sparse.";
    EntryUnsupported = "entry-unsupported", Error, "The archive holds an entry that cannot be read here.";
    ArchiveTruncated = "archive-truncated", Error, "The archive ends too early.";
    ArchiveDamaged = "archive-damaged", Error, "The archive is damaged.";
    ArchiveTrailing = "archive-trailing-bytes", Warning, "There is something after the end of the archive.";
    ArchiveEndMissing = "archive-end-missing", Warning, "The tar lacks the two zero blocks at its end.";
    ZipNamesDiffer = "zip-names-differ", Error, "The zip calls the same entry by two names.";
    ArchiveBomb = "archive-bomb", Error, "The archive unpacks to far more than it should.";
    LimitReached = "limit-reached", Error, "The bag is larger than the limits set here.";
    ArchiveUnknown = "archive-unknown", Error, "The file is no archive, whatever its name says.";
    ArchiveEncrypted = "archive-encrypted", Error, "The archive is encrypted.";
    ArchiveCompression = "archive-compression", Error, "The archive is packed in a way that is not read here.";
    // Names (bag core)
    NameNotUtf8 = "name-not-utf8", Error, "A file name is not Unicode text.";
    NameControl = "name-control-character", Warning, "A name has a control character, a no-break space, or one spelled out. An error by the APTrust profile.";
    NameTooLong = "name-too-long", Error, "A name is too long.";
    PathTooDeep = "path-too-deep", Error, "A path has too many folders.";
    PathTraversal = "path-traversal", Error, "A path leads out of the bag.";
    PathAbsolute = "path-absolute", Error, "A path is absolute.";
    PathHome = "path-home", Error, "A path begins with a tilde.";
    PathDrive = "path-drive-letter", Error, "A path begins with a drive letter.";
    PathUnc = "path-unc", Error, "A path names a network share.";
    PathForm = "path-form", Error, "A path is empty or has empty or dotted parts.";
    PathBackslash = "path-backslash", Error, "A manifest writes a path with backslashes.";
    NameBackslash = "name-backslash", Warning, "A file name has a backslash.";
    NamesDifferByCase = "names-differ-by-case", Warning, "Two names differ only in case.";
    NamesDifferByForm = "names-differ-by-form", Warning, "Two names differ only in their Unicode form.";
    // Tag files (bag core)
    TagFileNotDecodable = "tag-file-encoding", Error, "A tag file is not in the declared encoding.";
    TagFileBom = "tag-file-byte-order-mark", Warning, "A tag file begins with a byte order mark.";
    TagLine = "tag-line-form", Error, "A line of a tag file is neither a tag nor the continuation of one.";
    TagSeparator = "tag-separator", Warning, "A tag has odd white space about its colon.";
    LineTooLong = "line-too-long", Error, "A line is longer than 64 KiB.";
    OxumForm = "payload-oxum-form", Error, "Payload-Oxum is not of the form octets.files.";
    OxumTwice = "payload-oxum-twice", Error, "Payload-Oxum stands more than once.";
    OxumWrong = "payload-oxum-wrong", Error, "Payload-Oxum does not fit the payload.";
    TagOnceOnly = "tag-once-only", Warning, "A tag that should stand once stands more often.";
    BaggingDateForm = "bagging-date-form", Warning, "Bagging-Date is not a date of the form YYYY-MM-DD.";
    BagCountForm = "bag-count-form", Warning, "Bag-Count is not of the form N of T.";
    // Manifests (bag core)
    AlgorithmUnknown = "algorithm-unknown", Error, "A manifest uses an algorithm that cannot be computed here.";
    AlgorithmSpelling = "algorithm-spelling", Warning, "A manifest spells its algorithm in an odd way.";
    AlgorithmTwice = "algorithm-twice", Error, "Two manifests use the same algorithm.";
    ManifestLine = "manifest-line-form", Error, "A line of a manifest is not a digest and a path.";
    ManifestDigest = "manifest-digest-form", Error, "A digest in a manifest has the wrong length or is not hexadecimal.";
    ManifestStar = "manifest-star", Warning, "A manifest writes a path with a leading asterisk.";
    ManifestDotSlash = "manifest-dot-slash", Warning, "A manifest writes a path with a leading ./";
    ManifestPercent = "manifest-percent", Warning, "A manifest does not encode its paths as its version asks.";
    ManifestUnicode = "manifest-unicode-form", Warning, "A manifest writes a name in another Unicode form than the file has.";
    ManifestPathTwice = "manifest-path-twice", Error, "A manifest lists a path twice.";
    ManifestPathAgain = "manifest-path-again", Warning, "A manifest of an old version lists a path twice, with the same digest.";
    ManifestContradicts = "manifest-contradicts-itself", Error, "A manifest lists a path with two different digests.";
    ManifestOutside = "manifest-outside-payload", Error, "A payload manifest lists a path outside data/.";
    TagManifestListsTagManifest = "tag-manifest-lists-tag-manifest", Error, "A tag manifest lists a tag manifest.";
    TagManifestListsPayload = "tag-manifest-lists-payload", Warning, "A tag manifest lists a payload file.";
    TagManifestIncomplete = "tag-manifest-without-manifest", Error, "A tag manifest does not list a payload manifest. A warning before BagIt 1.0.";
    TagFileUnlisted = "tag-file-unlisted", Warning, "A tag file is in no tag manifest.";
    FileMissing = "file-missing", Error, "A listed file is not in the bag.";
    FileUnlisted = "file-unlisted", Error, "A payload file is not in a manifest that must list it.";
    DigestMismatch = "digest-mismatch", Error, "A file is not the one that the manifest describes.";
    FileUnreadable = "file-unreadable", Error, "A file or folder cannot be read.";
    FileChanged = "file-changed", Error, "A file changed while it was being read.";
    // fetch.txt (bag core)
    FetchLine = "fetch-line-form", Error, "A line of fetch.txt is not an address, a length and a path.";
    FetchOutside = "fetch-outside-payload", Error, "fetch.txt lists a path outside data/.";
    FetchUnlisted = "fetch-unlisted", Error, "fetch.txt lists a file that a manifest does not.";
    FetchPending = "fetch-pending", Error, "A file still has to be fetched.";
    FetchLength = "fetch-length", Warning, "A file that is here has another length than fetch.txt says.";
    // Reports (bag core)
    FindingsOmitted = "findings-omitted", Warning, "There are more findings than are listed.";
    // Profiles
    SerializationForbidden = "profile-serialization-forbidden", Error, "The profile wants a folder, the bag is an archive.";
    SerializationRequired = "profile-serialization-required", Error, "The profile wants an archive, the bag is a folder.";
    SerializationNotAccepted = "profile-serialization-not-accepted", Error, "The profile does not accept this kind of archive.";
    TopFolderName = "profile-top-folder-name", Warning, "The folder inside the archive is not named like the archive.";
    VersionNotAccepted = "profile-version-not-accepted", Error, "The profile does not accept this version of BagIt.";
    ProfileIdentifierMissing = "profile-identifier-missing", Warning, "The bag does not name the profile it follows.";
    ProfileIdentifierOther = "profile-identifier-other", Warning, "The bag names other profiles than the one it is judged by.";
    FetchNotAllowed = "profile-fetch-not-allowed", Error, "The profile does not allow fetch.txt.";
    FetchRequired = "profile-fetch-required", Error, "The profile wants a fetch.txt, there is none.";
    DataNotEmpty = "profile-data-not-empty", Error, "The profile wants an empty payload, there are files in it.";
    ManifestRequired = "profile-manifest-required", Error, "A payload manifest that the profile requires is missing.";
    ManifestNotAllowed = "profile-manifest-not-allowed", Error, "The profile does not allow this payload manifest.";
    TagManifestRequired = "profile-tag-manifest-required", Error, "A tag manifest that the profile requires is missing.";
    TagManifestNotAllowed = "profile-tag-manifest-not-allowed", Error, "The profile does not allow this tag manifest.";
    TagFileRequired = "profile-tag-file-required", Error, "A tag file that the profile requires is missing.";
    TagFileNotAllowed = "profile-tag-file-not-allowed", Error, "The profile does not allow this tag file.";
    PayloadFileRequired = "profile-payload-file-required", Error, "A payload file that the profile requires is missing.";
    PayloadFileNotAllowed = "profile-payload-file-not-allowed", Error, "The profile does not allow this payload file.";
    TagRequired = "profile-tag-required", Error, "A tag that the profile requires is missing.";
    TagEmpty = "profile-tag-empty", Warning, "A tag that the profile requires has no value. An error where the profile asks for one, as APTrust and BTR do.";
    TagRecommended = "profile-tag-recommended", Warning, "A tag that the profile recommends is missing.";
    TagValueNotAllowed = "profile-tag-value-not-allowed", Error, "A tag has a value that the profile does not allow.";
    TagRepeated = "profile-tag-repeated", Error, "A tag that may stand once stands more often.";
    StorageOptionUnknown = "deposit-storage-option-unknown", Error, "The bag asks for a storage option that does not exist.";
    AccessUnknown = "deposit-access-unknown", Error, "The bag asks for a kind of access that does not exist.";
    ProfileKeyUnknown = "profile-document-key-unknown", Warning, "A profile document has a key that means nothing here.";
    ProfileKeyNewer = "profile-document-key-newer", Warning, "A profile document uses a key newer than the version it declares.";
    ProfileIncomplete = "profile-document-incomplete", Warning, "A profile document leaves out something its specification requires.";
    // Making bags
    SourceNameUnusable = "make-name-unusable", Error, "A name cannot be written in a manifest or an archive.";
    SourceNameFragile = "make-name-fragile", Warning, "A name is legal but other tools are known to misread it.";
    SourcePathTaken = "make-path-taken", Error, "Two entries want the same place in the bag.";
    SourceFolderEmpty = "make-empty-folder", Warning, "An empty folder is left out: BagIt keeps files only.";
    PlanTagUnusable = "make-tag-unusable", Error, "A tag cannot be written as asked.";
    PlanAlgorithms = "make-no-algorithm", Error, "A bag needs at least one digest algorithm.";
    PlanNameUnusable = "make-bag-name-unusable", Error, "The name of the bag cannot be used.";
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}
