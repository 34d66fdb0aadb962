//! Where the bag is in its source, and what its names are worth.

use super::case::Case;
use crate::code::Code;
use crate::facts::Serialization;
use crate::findings::Findings;
use crate::ledger::{Ledger, Odd};
use crate::limits::Limits;
use crate::names::{alike, rules};
use crate::report::Class;
use crate::source::intake::Tops;

/// Judges the layout and all names, and makes the ledger ready for use.
pub(crate) fn judge(case: &mut Case<'_>, tops: &Tops) {
    let folder = case.facts.serialization == Serialization::Folder;
    case.base = if folder { tops.folder_base() } else { tops.archive_base() };
    if !folder {
        layout(case, tops);
    }
    let findings = &mut case.findings;
    case.ledger.settle(&case.base.prefix, |name, odd| {
        let name = rules::shown(&String::from_utf8_lossy(name));
        match odd {
            Odd::Twice => findings.add(Code::EntryTwice, name.clone(), || {
                format!(
                    "The archive holds `{name}` twice; unpacking would keep only one of them. \
                     Make the archive again."
                )
            }),
            Odd::Elsewhere if name.contains('/') => {}
            Odd::Elsewhere => findings.add(Code::LooseFile, name.clone(), || {
                format!(
                    "`{name}` lies beside the folder of the bag, not in it. Move it into the \
                     folder or leave it out."
                )
            }),
        }
    });
    names(&mut case.ledger, case.limits, findings);
    alike::judge(&case.ledger, findings);
    if !folder {
        files_that_are_folders(&case.ledger, findings);
    }
    if !case.base.has_data {
        findings.add(Code::DataMissing, "data/", || {
            "There is no folder named data; the files to be kept belong there.".to_owned()
        });
    }
    for id in case.ledger.present() {
        if Class::of(case.ledger.path(id)) == Class::Payload {
            case.facts.payload_count += 1;
            case.facts.payload_bytes += case.ledger.held(id).size_bytes;
        }
    }
}

fn layout(case: &mut Case<'_>, tops: &Tops) {
    let Some(top) = case.base.prefix.strip_suffix(b"/") else {
        case.findings.add(Code::TopFolderMissing, "the archive", || {
            "The files of the bag lie loose in the archive. Put them into one folder, and pack \
             that folder."
                .to_owned()
        });
        return;
    };
    let top = String::from_utf8_lossy(top).into_owned();
    for code in rules::flaws(&top, case.limits) {
        case.findings.add(code, rules::shown(&top), || rules::sentence(code, &top));
    }
    if str::from_utf8(&case.base.prefix).is_err() {
        not_unicode(&mut case.findings, &top);
    }
    for other in tops.others(&case.base) {
        let other = rules::shown(&String::from_utf8_lossy(other));
        case.findings.add(Code::TopFolderSecond, other.clone(), || {
            format!(
                "Beside the folder of the bag, `{}`, there is another one, `{other}`. An archive \
                 holds one bag and nothing else.",
                rules::shown(&top)
            )
        });
    }
    case.facts.top_folder = Some(top);
}

fn names(ledger: &mut Ledger, limits: &Limits, findings: &mut Findings) {
    for id in ledger.all() {
        if !ledger.is_present(id) {
            continue;
        }
        let Ok(path) = str::from_utf8(ledger.path(id)) else {
            not_unicode(findings, &ledger.shown(id));
            ledger.mark_bad_name(id);
            continue;
        };
        for code in rules::flaws(path, limits) {
            findings.add(code, rules::shown(path), || rules::sentence(code, path));
        }
        if path.contains('\\') {
            findings.add(Code::NameBackslash, path, || {
                format!(
                    "`{}` has a backslash in its name, which Windows takes for a folder. Rename \
                     it if the bag is to be read there.",
                    rules::shown(path)
                )
            });
        }
    }
}

fn not_unicode(findings: &mut Findings, name: &str) {
    let name = rules::shown(name);
    findings.add(Code::NameNotUtf8, name.clone(), || {
        format!("The name `{name}` is not Unicode text. Rename the file and make the bag again.")
    });
}

/// In an archive a name may be used for a file and, by files in it, for a folder.
fn files_that_are_folders(ledger: &Ledger, findings: &mut Findings) {
    let mut last: &[u8] = b"";
    for id in ledger.present() {
        let path = ledger.path(id);
        let Some(end) = path.iter().rposition(|byte| *byte == b'/') else { continue };
        let mut folder = &path[..end];
        if folder == last {
            continue;
        }
        last = folder;
        loop {
            if ledger.find(folder).is_some_and(|id| ledger.is_present(id)) {
                let name = rules::shown(&String::from_utf8_lossy(folder));
                findings.add(Code::FileIsFolder, name.clone(), || {
                    format!(
                        "`{name}` is a file and also the folder of `{}`; the archive cannot be \
                         unpacked. Rename one.",
                        rules::shown(&ledger.shown(id))
                    )
                });
            }
            match folder.iter().rposition(|byte| *byte == b'/') {
                Some(end) => folder = &folder[..end],
                None => break,
            }
        }
    }
}
