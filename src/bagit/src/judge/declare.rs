//! `bagit.txt`.

use std::io::Read;

use super::case::{Case, unreadable};
use crate::code::Code;
use crate::facts::Tag;
use crate::finding::Severity;
use crate::text::declaration::{Flaw, parse};
use crate::text::encoding::Encoding;
use crate::text::version::Version;

const NAME: &str = "bagit.txt";

/// Two lines need less; what is longer is no declaration.
const READ_BYTES: u64 = 4 << 10;

/// Learns version and encoding. What cannot be learnt is taken as 1.0 and UTF-8, so that the rest
/// can be judged too.
pub(crate) fn judge(case: &mut Case<'_>) {
    let found = case.ledger.find(NAME.as_bytes()).filter(|id| case.ledger.is_present(*id));
    let Some(id) = found else {
        case.findings.add(Code::BagitTxtMissing, NAME, || {
            "There is no bagit.txt, so this is not a bag. Make the bag again with a bagging tool."
                .to_owned()
        });
        return;
    };
    let mut bytes = Vec::new();
    let Some(reader) = case.open_file(id) else { return };
    let read = reader.take(READ_BYTES).read_to_end(&mut bytes);
    if let Err(error) = read {
        return unreadable(&mut case.findings, NAME, &error);
    }
    let declaration = parse(&bytes);
    let named = declaration.version.as_deref().and_then(Version::named);
    for flaw in declaration.flaws {
        let (line, why, severity) = match flaw {
            Flaw::ByteOrderMark => {
                case.findings.add(Code::BagitTxtBom, NAME, || {
                    "bagit.txt begins with a byte order mark. Save it as UTF-8 without one."
                        .to_owned()
                });
                continue;
            }
            Flaw::Form(line, why) => (line, why, Severity::Error),
            Flaw::Space(line, why) => (line, why, named.map_or(Severity::Error, Version::strictly)),
        };
        case.findings.add_graded(Code::BagitTxtForm, severity, format!("{NAME}:{line}"), || {
            format!(
                "bagit.txt is not in form: {why}. It must be the lines `BagIt-Version: 1.0` and \
                 `Tag-File-Character-Encoding: UTF-8`."
            )
        });
    }
    if let Some(text) = &declaration.version {
        match Version::named(text) {
            Some(version) => case.version = version,
            None => case.findings.add(Code::VersionUnknown, format!("{NAME}:1"), || {
                format!(
                    "BagIt {text} does not exist; there are 0.93 to 0.97 and 1.0. The bag was \
                     judged as 1.0."
                )
            }),
        }
    }
    if let Some(name) = &declaration.encoding {
        match Encoding::named(name) {
            Some(encoding) => case.encoding = encoding,
            None => case.findings.add(Code::EncodingUnknown, format!("{NAME}:2"), || {
                format!(
                    "Tag files in {name} cannot be read here; UTF-8, UTF-16 and ISO-8859-1 can. \
                     Write them in UTF-8."
                )
            }),
        }
    }
    let tags = [
        ("BagIt-Version", &declaration.version),
        ("Tag-File-Character-Encoding", &declaration.encoding),
    ];
    for (name, value) in tags {
        if let Some(value) = value {
            let (file, name) = (NAME.to_owned(), name.to_owned());
            case.facts.tags.push(Tag { file, name, value: value.clone() });
        }
    }
    case.facts.version = declaration.version;
    case.facts.encoding = declaration.encoding;
}
