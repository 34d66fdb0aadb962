//! Every version of every file.

use std::io;

use ocfl::ObjectId;
use storage::registry::{CopyRow, FileRow, ObjectRow, Registry};

use super::deposit::Deposits;
use super::entity::fact;
use super::vocabulary::{INCLUDED_IN, REPLACEMENT, SPECIFICATION, STRUCTURAL, SUPERSEDES};
use super::xml::Xml;
use super::{Identifier, PremisError, deposit_id, file_id, file_version_id, object_id};

/// All versions of a file; it has no more of them than its object.
const ALL: u32 = u32::MAX;

pub(super) fn write(
    xml: &mut Xml<'_>,
    registry: &Registry,
    object: &ObjectRow,
    deposits: &mut Deposits,
) -> Result<(), PremisError> {
    registry.walk_files::<PremisError>(object.id, object.version, &mut |file| {
        let mut earlier = Vec::new();
        if file.version != file.first_version {
            earlier = registry.file_versions(file.id, ALL)?;
            earlier.retain(|it| it.version < file.version);
        }
        let newest_first: Vec<&FileRow> = [&file].into_iter().chain(&earlier).collect();
        for (at, version) in newest_first.iter().enumerate() {
            deposits.count(version);
            let copies = registry.copies(version.id, version.version)?;
            let described = Described {
                object,
                file: version,
                is_current: at == 0,
                copies: &copies,
                before: newest_first.get(at + 1).copied(),
            };
            described.write(xml, deposits)?;
        }
        Ok(())
    })
}

/// One version of a file, with what is around it.
struct Described<'d> {
    object: &'d ObjectRow,
    file: &'d FileRow,
    is_current: bool,
    copies: &'d [CopyRow],
    /// The version that it replaced.
    before: Option<&'d FileRow>,
}

impl Described<'_> {
    fn write(&self, xml: &mut Xml<'_>, deposits: &Deposits) -> io::Result<()> {
        let file = self.file;
        xml.object("file", |xml| {
            // An identifier names one thing: what is replaced goes by its version alone.
            if self.is_current {
                let uuid = Identifier { domain: "UUID", value: file.uuid.to_string() };
                for id in [file_id(&file.identifier), uuid] {
                    xml.identifier("objectIdentifier", &id, |_| Ok(()))?;
                }
            }
            xml.identifier("objectIdentifier", &file_version_id(file), |_| Ok(()))?;
            let deleted = file.deleted_at.map(|at| at.to_string()).unwrap_or_default();
            fact(xml, "deleted", &deleted)?;
            self.characteristics(xml, deposits)?;
            xml.text("originalName", &file.path)?;
            self.storage(xml)?;
            self.relationships(xml)
        })
    }

    fn characteristics(&self, xml: &mut Xml<'_>, deposits: &Deposits) -> io::Result<()> {
        let file = self.file;
        xml.element("objectCharacteristics", |xml| {
            xml.text("compositionLevel", "0")?;
            for (algorithm, digits) in file.digests.named() {
                xml.element("fixity", |xml| {
                    xml.text("messageDigestAlgorithm", algorithm)?;
                    xml.text("messageDigest", &digits)?;
                    let originator = deposits.originator(file, algorithm);
                    xml.text("messageDigestOriginator", originator)
                })?;
            }
            xml.text("size", &file.size.to_string())?;
            xml.element("format", |xml| format(xml, file))?;
            match file.modified_at {
                Some(at) => xml.element("creatingApplication", |xml| {
                    xml.text("dateCreatedByApplication", &at.to_string())
                }),
                None => Ok(()),
            }
        })
    }

    fn storage(&self, xml: &mut Xml<'_>) -> io::Result<()> {
        let root = ObjectId::new(self.object.identifier.clone()).root();
        for copy in self.copies {
            let (kind, medium) = match copy.url.split_once("://") {
                Some(("s3", _)) => ("URI", "object storage"),
                Some(_) => ("URI", "file system"),
                None => ("file path", "file system"),
            };
            let replica = copy.url.trim_end_matches('/');
            xml.element("storage", |xml| {
                xml.element("contentLocation", |xml| {
                    xml.text("contentLocationType", kind)?;
                    let place = format!("{replica}/{root}/{}", self.file.content_path);
                    xml.text("contentLocationValue", &place)
                })?;
                xml.text("storageMedium", &format!("{medium} (replica {})", copy.replica))
            })?;
        }
        Ok(())
    }

    fn relationships(&self, xml: &mut Xml<'_>) -> io::Result<()> {
        xml.element("relationship", |xml| {
            xml.term("relationshipType", &STRUCTURAL)?;
            xml.term("relationshipSubType", &INCLUDED_IN)?;
            for id in [deposit_id(self.object, self.file.version), object_id(self.object)] {
                xml.identifier("relatedObjectIdentifier", &id, |_| Ok(()))?;
            }
            Ok(())
        })?;
        let Some(before) = self.before else { return Ok(()) };
        xml.element("relationship", |xml| {
            xml.term("relationshipType", &REPLACEMENT)?;
            xml.term("relationshipSubType", &SUPERSEDES)?;
            xml.identifier("relatedObjectIdentifier", &file_version_id(before), |_| Ok(()))
        })
    }
}

fn format(xml: &mut Xml<'_>, file: &FileRow) -> io::Result<()> {
    xml.element("formatDesignation", |xml| {
        let name = if file.format_name.is_empty() { "unknown" } else { &file.format_name };
        xml.text("formatName", name)?;
        match file.format_version.as_str() {
            "" => Ok(()),
            version => xml.text("formatVersion", version),
        }
    })?;
    if !file.puid.is_empty() {
        xml.element("formatRegistry", |xml| {
            xml.text("formatRegistryName", "PRONOM")?;
            xml.text("formatRegistryKey", &file.puid)?;
            xml.term("formatRegistryRole", &SPECIFICATION)
        })?;
    }
    let warnings = file.format_warnings.clone().unwrap_or_default();
    for (about, note) in [
        ("media type: ", &file.file_format),
        ("identified by: ", &file.format_basis),
        ("to know: ", &warnings),
    ] {
        if !note.is_empty() {
            xml.text("formatNote", &format!("{about}{note}"))?;
        }
    }
    Ok(())
}
