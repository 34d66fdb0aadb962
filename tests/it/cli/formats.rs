//! `strongroom formats`: newer signatures put in use, refused, gone back from; and what is said
//! when what is stored cannot be used.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use byteio::durable;

use crate::command::{Ran, Server, folder, listing, run};

/// A signature file of DROID with formats of our own.
pub(super) fn droid(version: u32) -> String {
    let signature = |id: u32, hex: &str| {
        format!(
            "<InternalSignature ID=\"{id}\" Specificity=\"Specific\"><ByteSequence \
             Reference=\"BOFoffset\"><SubSequence Position=\"1\" SubSeqMinOffset=\"0\" \
             SubSeqMaxOffset=\"0\"><Sequence>{hex}</Sequence></SubSequence></ByteSequence>\
             </InternalSignature>"
        )
    };
    let signatures = [
        signature(1, "504B0304"),
        signature(2, "5354524F4E47"),
        signature(3, "5354524F4E4732"),
        signature(4, "5457494E"),
    ];
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <FFSignatureFile Version=\"{version}\" DateCreated=\"2040-01-01T00:00:00\" \
         xmlns=\"http://www.nationalarchives.gov.uk/pronom/SignatureFile\">\
         <InternalSignatureCollection>{}</InternalSignatureCollection><FileFormatCollection>\
         <FileFormat ID=\"1\" PUID=\"x-fmt/263\" Name=\"ZIP Format\" MIMEType=\"application/zip\">\
         <InternalSignatureID>1</InternalSignatureID><Extension>zip</Extension></FileFormat>\
         <FileFormat ID=\"2\" PUID=\"fmt/90001\" Name=\"Strong, or &quot;so&quot;\" Version=\"1\" \
         MIMEType=\"application/x-strong, text/x-strong\">\
         <InternalSignatureID>2</InternalSignatureID><Extension>srt</Extension></FileFormat>\
         <FileFormat ID=\"3\" PUID=\"fmt/90002\" Name=\"Stronger\" Version=\"{version}\">\
         <InternalSignatureID>3</InternalSignatureID><Extension>srt</Extension>\
         <HasPriorityOverFileFormatID>2</HasPriorityOverFileFormatID></FileFormat>\
         <FileFormat ID=\"4\" PUID=\"fmt/90003\" Name=\"Twin A\">\
         <InternalSignatureID>4</InternalSignatureID></FileFormat>\
         <FileFormat ID=\"5\" PUID=\"fmt/90004\" Name=\"Twin B\">\
         <InternalSignatureID>4</InternalSignatureID></FileFormat>\
         <FileFormat ID=\"6\" PUID=\"fmt/90005\" Name=\"By Name\"><Extension>nam</Extension>\
         </FileFormat>\
         <FileFormat ID=\"7\" PUID=\"fmt/80{version}\" Name=\"Of {version}\"/>\
         </FileFormatCollection></FFSignatureFile>",
        signatures.concat()
    )
}

/// A container signature file; one of its signatures cannot be used.
pub(super) fn container(version: u32) -> String {
    let signature = |id: u32| {
        format!(
            "<ContainerSignature Id=\"{id}\" ContainerType=\"ZIP\"><Files><File><Path>strong</Path>\
             </File></Files></ContainerSignature>"
        )
    };
    format!(
        "<ContainerSignatureMapping schemaVersion=\"1.0\" signatureVersion=\"{version}\">\
         <ContainerSignatures>{}{}</ContainerSignatures><FileFormatMappings>\
         <FileFormatMapping signatureId=\"1\" Puid=\"fmt/90002\"/>\
         <FileFormatMapping signatureId=\"2\" Puid=\"fmt/1\"/></FileFormatMappings>\
         <TriggerPuids><TriggerPuid ContainerType=\"ZIP\" Puid=\"x-fmt/263\"/></TriggerPuids>\
         </ContainerSignatureMapping>",
        signature(1),
        signature(2)
    )
}

/// Keeps both files beside the data directory; their paths.
pub(super) fn files(data: &Path, droid_version: u32, container_version: u32) -> [String; 2] {
    [("droid", droid(droid_version)), ("container", container(container_version))].map(
        |(name, text)| {
            let path = data.with_file_name(format!("{name}.xml"));
            durable::write(&path, text.as_bytes(), false).unwrap();
            path.to_str().unwrap().to_owned()
        },
    )
}

/// Puts a set of these versions in use.
pub(super) fn update(data: &Path, droid: u32, container: u32) -> Ran {
    let [droid, container] = files(data, droid, container);
    run(data, &["formats", "update", &droid, &container])
}

/// The version of DROID's file in use, where it is from, and what is said about it.
fn used(data: &Path) -> (u64, String, String) {
    let ran = run(data, &["formats", "show", "--json"]).is(0);
    let told = ran.json();
    let text = |key: &str| told[key].as_str().unwrap_or_default().to_owned();
    (told["droid_version"].as_u64().unwrap(), text("origin"), text("warning"))
}

fn shelf(data: &Path, name: &str) -> PathBuf {
    data.join("formats").join(name)
}

/// The number of the set that comes with the program.
fn built_in() -> u64 {
    used(Path::new("no-such-directory")).0
}

#[test]
fn the_set_of_the_program_is_shown_without_a_directory() {
    let (_folder, data) = folder();
    let ran = run(&data, &["formats", "show"]).is(0);
    for words in ["it comes with this program", "DROID          version ", "Previous set   none"] {
        assert!(ran.out.contains(words), "{words}: {ran:?}");
    }
    let told = run(&data, &["formats", "show", "--json"]).is(0).json();
    assert_eq!((&told["origin"], &told["previous"]), (&"built_in".into(), &().into()));
    assert!(told["counts"]["formats"].as_u64().unwrap() > 2000, "{told}");
    assert!(told["counts"]["extension_only"].as_u64().unwrap() > 100);
    assert_eq!(told["droid_sha256"].as_str().unwrap().len(), 64);
    assert!(!data.try_exists().unwrap());
}

#[test]
fn one_format_is_shown_by_its_puid() {
    let (_folder, data) = folder();
    let ran = run(&data, &["formats", "show", "FMT/18"]).is(0);
    assert!(ran.out.starts_with("fmt/18  Acrobat PDF 1.4"), "{ran:?}");
    assert!(ran.out.contains("application/pdf") && ran.out.contains("pdf\n"), "{ran:?}");
    let told = run(&data, &["formats", "show", "fmt/18", "--json"]).is(0).json();
    assert_eq!((&told["puid"], &told["version"]), (&"fmt/18".into(), &"1.4".into()));
    assert!(told["signatures"].as_u64().unwrap() > 0);
    update(&data, 900, 900).is(0);
    let told = run(&data, &["formats", "show", "fmt/90002", "--json"]).is(0).json();
    assert_eq!(told["over"][0]["puid"], "fmt/90001");
    assert_eq!((&told["signatures"], &told["container_signatures"]), (&1.into(), &1.into()));
    let told = run(&data, &["formats", "show", "fmt/90001"]).is(0).out;
    assert!(told.contains("Gives way to:\n  fmt/90002"), "{told}");
    let ran = run(&data, &["formats", "show", "fmt/\u{1b}0"]).is(1);
    assert!(ran.err.contains("there is no format fmt/\u{FFFD}0 in"), "{ran:?}");
}

#[test]
fn newer_files_are_put_in_use_and_what_changed_is_told() {
    let (_folder, data) = folder();
    let ran = update(&data, 900, 901).is(0);
    assert!(
        ran.out
            .starts_with("In use from now on: DROID 900 of 2040-01-01, containers 901\nKept in "),
        "{ran:?}"
    );
    for words in [
        "Formats: 6 added, ",
        " 1 changed, 0 the same",
        "Added:\n  fmt/80900 ",
        "Removed:\n",
        " more; --json lists all",
        "Left out, as this program cannot use them: 1\n  container signature 2: fmt/1 is unknown",
    ] {
        assert!(ran.out.contains(words), "{words}: {ran:?}");
    }
    assert!(ran.out.lines().count() < 60, "{ran:?}");
    assert!(ran.err.contains("are these the right files?"), "nearly all is gone: {ran:?}");
    assert_eq!(used(&data), (900, "stored".into(), String::new()));
    let told = run(&data, &["formats", "show"]).is(0).out;
    assert!(told.contains("put in use here at 20") && told.contains("Previous set   DROID"));

    let [droid, container] = files(&data, 901, 901);
    let told = run(&data, &["formats", "update", &droid, &container, "--json"]).is(0).json();
    assert_eq!(
        (&told["updated"], &told["signatures"]["droid_version"]),
        (&true.into(), &901.into())
    );
    let changes = &told["changes"];
    let puid = |of: &str| changes[of][0]["puid"].as_str().unwrap().to_owned();
    assert_eq!(
        [puid("added"), puid("removed"), puid("changed")],
        ["fmt/80901", "fmt/80900", "fmt/90002"]
    );
    assert_eq!(changes["same"], 5);
}

#[test]
fn both_files_may_come_in_any_order() {
    let (_folder, data) = folder();
    let [droid, container] = files(&data, 900, 900);
    run(&data, &["formats", "update", &container, &droid]).is(0);
    assert_eq!(used(&data).0, 900);
    // A refusal still names the right one.
    durable::write(Path::new(&droid), b"<FFSignatureFile/>", false).unwrap();
    let ran = run(&data, &["formats", "update", &container, &droid]).is(1);
    assert!(ran.err.contains("droid.xml: FFSignatureFile in line 1: it has no"), "{ran:?}");
    let ran = run(&data, &["formats", "update", &container, &container]).is(1);
    assert!(ran.err.contains("it is no signature file of DROID"), "{ran:?}");
}

#[test]
fn the_same_files_are_in_use_already_and_older_ones_are_refused() {
    let (_folder, data) = folder();
    update(&data, 900, 900).is(0);
    let before = listing(&data);
    let ran = update(&data, 900, 900).is(0);
    assert_eq!(ran.out, "Already in use: DROID 900 of 2040-01-01, containers 900\n");
    let [droid, container] = files(&data, 900, 900);
    let told = run(&data, &["formats", "update", &droid, &container, "--json"]).is(0).json();
    assert_eq!((&told["updated"], &told["changes"]), (&false.into(), &().into()));
    for (droid, container) in [(899, 900), (900, 899), (901, 899), (1, 1)] {
        let ran = update(&data, droid, container).is(1);
        let words = "is older than what is in use: DROID 900 of 2040-01-01, containers 900; the set in use is kept";
        assert!(ran.err.contains(words) && ran.out.is_empty(), "{ran:?}");
    }
    assert_eq!(listing(&data), before);
}

#[test]
fn files_of_no_use_change_nothing() {
    let (folder, data) = folder();
    update(&data, 900, 900).is(0);
    let before = listing(&data);
    let [droid_path, container_path] = files(&data, 901, 901);
    let text = droid(901);
    let bad = folder.path().join("bad.xml");
    let bad = bad.to_str().unwrap();
    let bomb = "<!DOCTYPE a [<!ENTITY b \"bb\">]><FFSignatureFile>&b;</FFSignatureFile>";
    let wild = text.replace("504B0304", "50(4B");
    for (bytes, words) in [
        (&text.as_bytes()[..text.len() / 2], "it is not XML, or damaged"),
        (b"", "it is not XML, or damaged"),
        (b"Dear Ann", "it is not XML, or damaged"),
        (b"\xff\xfe<\0F\0", "it is not text in UTF-8"),
        (b"<html/>", "it is no signature file of DROID: its first element is html"),
        (bomb.as_bytes(), "it has a document type definition"),
        (wild.as_bytes(), "cannot be read"),
        (text.replace("Version=\"901\"", "Version=\"x\u{1b}\"").as_bytes(), "bad.xml: "),
        (text.replace("\"901\"", "\"4294967295\"").as_bytes(), "cannot be 4294967295"),
        (text.replace("2040-01-01T00:00:00", "yesterday").as_bytes(), "is no date: yesterday"),
    ] {
        durable::write(Path::new(bad), bytes, false).unwrap();
        let ran = run(&data, &["formats", "update", bad, &container_path]).is(1);
        assert!(ran.err.contains(words) && ran.err.contains("bad.xml: "), "{words}: {ran:?}");
        assert!(ran.err.ends_with("; the set in use is kept\n") && ran.out.is_empty(), "{ran:?}");
        assert_eq!(ran.err.lines().count(), 1, "{ran:?}");
    }
    durable::write(Path::new(bad), b"<ContainerSignatureMapping/>", false).unwrap();
    run(&data, &["formats", "update", &droid_path, bad]).is(1);
    assert_eq!(listing(&data), before);
    assert_eq!(used(&data), (900, "stored".into(), String::new()));
}

#[test]
fn what_is_no_file_or_too_large_is_not_read() {
    let (folder, data) = folder();
    let [_, container] = files(&data, 900, 900);
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    File::create(at("huge")).unwrap().set_len(1 << 40).unwrap();
    super::identify::pipe(Path::new(&at("pipe")));
    for (name, words) in [
        ("huge", "huge: it is larger than any signature file"),
        ("pipe", "pipe: it is a pipe, not a file"),
        (".", "it is a folder, not a file"),
        ("gone.xml", "gone.xml: there is no such file"),
    ] {
        let ran = run(&data, &["formats", "update", &at(name), &container]).is(1);
        assert!(ran.err.contains(words), "{words}: {ran:?}");
        assert!(ran.err.ends_with("; the set in use is kept\n"), "{ran:?}");
    }
    assert!(!data.try_exists().unwrap());
    run(&data, &["formats", "update", &container]).is(2);
}

#[test]
fn revert_goes_back_and_forth() {
    let (_folder, data) = folder();
    let ran = run(&data, &["formats", "revert"]).is(1);
    assert!(ran.err.contains("there is no other set to go back to"), "{ran:?}");
    assert!(!data.try_exists().unwrap());
    update(&data, 900, 900).is(0);
    update(&data, 901, 900).is(0);
    let ran = run(&data, &["formats", "revert"]).is(0);
    assert!(
        ran.out.starts_with("Back in use: DROID 900 of 2040-01-01, containers 900\n"),
        "{ran:?}"
    );
    assert_eq!(used(&data).0, 900);
    let told = run(&data, &["formats", "revert", "--json"]).is(0).json();
    assert_eq!(told["signatures"]["droid_version"], 901);
    assert_eq!(told["changes"]["added"][0]["puid"], "fmt/80901");
    assert_eq!(used(&data).0, 901);
    // Out of every maze of sets there is one way that needs no file.
    run(&data, &["formats", "revert", "--built-in"]).is(0);
    assert_eq!((used(&data).0, used(&data).1.as_str()), (built_in(), "built_in"));
    run(&data, &["formats", "revert", "--built-in"]).is(1);
}

#[test]
fn a_set_that_is_gone_is_said() {
    let (_folder, data) = folder();
    update(&data, 900, 900).is(0);
    update(&data, 901, 900).is(0);
    fs::remove_file(shelf(&data, "current.set")).unwrap();
    let (version, origin, warning) = used(&data);
    assert_eq!((version, origin.as_str()), (900, "stored"));
    assert!(warning.contains("current.set is gone (`strongroom formats update`"), "{warning}");
    durable::write(&shelf(&data, "previous.set"), b"rot", false).unwrap();
    update(&data, 901, 900).is(0);
    durable::write(&shelf(&data, "previous.set"), b"rot", false).unwrap();
    let ran = run(&data, &["formats", "revert"]).is(1);
    assert!(ran.err.contains("the previous set is damaged"), "{ran:?}");
    drop(Server::start(&data));
    let ran = run(&data, &["doctor"]);
    assert!(ran.code == Some(1) && ran.out.contains("previous.set is damaged"), "{ran:?}");
}

#[test]
fn a_damaged_set_is_said_and_another_is_used_until_it_is_mended() {
    let (folder, data) = folder();
    update(&data, 900, 900).is(0);
    update(&data, 901, 900).is(0);
    let whole = fs::read(shelf(&data, "current.set")).unwrap();
    let file = folder.path().join("file");
    durable::write(&file, b"x", false).unwrap();
    let file = file.to_str().unwrap();
    for bytes in [&whole[..whole.len() - 1], b"", b"\0\0\0\0"] {
        durable::write(&shelf(&data, "current.set"), bytes, false).unwrap();
        let (version, origin, warning) = used(&data);
        assert_eq!((version, origin.as_str()), (900, "stored"));
        assert!(
            warning.contains("current.set is damaged (`strongroom formats update`"),
            "{warning}"
        );
        let ran = run(&data, &["identify", file, "--json"]).is(0);
        assert!(ran.err.contains(&warning), "{ran:?}");
        assert_eq!(ran.json()["signatures"]["warning"], warning.as_str());
    }
    durable::write(&shelf(&data, "previous.set"), &whole[..99], false).unwrap();
    let (version, origin, warning) = used(&data);
    assert_eq!((version, origin.as_str()), (built_in(), "built_in"));
    assert!(warning.contains("the one of this program is used"), "{warning}");
    run(&data, &["formats", "revert"]).is(1);
    let ran = update(&data, 900, 900).is(0);
    assert!(ran.err.contains("is damaged"), "{ran:?}");
    assert_eq!(used(&data), (900, "stored".into(), String::new()));
}

#[test]
fn a_crash_at_any_step_leaves_a_set_in_use() {
    let (_folder, data) = folder();
    update(&data, 900, 900).is(0);
    let first = fs::read(shelf(&data, "current.set")).unwrap();
    update(&data, 901, 900).is(0);
    let second = fs::read(shelf(&data, "current.set")).unwrap();
    let plant =
        |name: &str, bytes: &[u8]| durable::write(&shelf(&data, name), bytes, false).unwrap();
    // The update to 901 had kept the previous set, and was writing the current one.
    plant("current.set", &first);
    plant("current.set.draft", &second[..500]);
    assert_eq!(used(&data), (900, "stored".into(), String::new()));
    update(&data, 901, 900).is(0);
    // The revert to 900 had put it in use, and 901 was not yet the previous one.
    plant("current.set", &first);
    plant("previous.set", &first);
    plant("aside.set", &second);
    assert_eq!(used(&data), (900, "stored".into(), String::new()));
    run(&data, &["formats", "revert"]).is(0);
    assert_eq!(used(&data), (901, "stored".into(), String::new()));
}

#[test]
fn a_set_older_than_the_program_gives_way() {
    let (_folder, data) = folder();
    durable::create_folder(&data.join("formats")).unwrap();
    let old = pronom::SignatureSet::compile(
        droid(1).as_bytes(),
        container(1).as_bytes(),
        Some("2020-01-01T00:00:00.000Z".to_owned()),
    );
    let bytes = old.unwrap().to_bytes().unwrap();
    durable::write(&shelf(&data, "current.set"), &bytes, false).unwrap();
    let (version, origin, warning) = used(&data);
    assert_eq!((version, origin.as_str()), (built_in(), "built_in"));
    assert!(warning.contains("(DROID 1 of 2040-01-01, containers 1) is older than"), "{warning}");
}

#[test]
fn a_directory_may_be_served_before_and_after() {
    let (_folder, data) = folder();
    update(&data, 900, 900).is(0);
    let mut server = Server::start(&data);
    update(&data, 901, 900).is(0);
    run(&data, &["formats", "revert"]).is(0);
    assert!(server.is_running());
}

#[test]
fn a_folder_of_somebody_else_is_not_written_to() {
    let (folder, data) = folder();
    durable::create_folder(&data).unwrap();
    durable::write(&data.join("thesis.doc"), b"x", false).unwrap();
    let ran = update(&data, 900, 900).is(2);
    assert!(ran.err.contains("sets cannot be kept there"), "{ran:?}");
    assert_eq!(fs::read_dir(&data).unwrap().count(), 1);
    // Nor can a file be a directory.
    let file = folder.path().join("droid.xml");
    update(&file, 900, 900).is(2);
}
