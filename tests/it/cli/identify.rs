//! `strongroom identify`: what it says about files of every kind and name, and how it ends.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use byteio::durable;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::Value;
use tempfile::TempDir;

use super::formats::update;
use crate::command::{Ran, folder, program, ran, run};

const NOTHING_KNOWN: &[u8] = b"\x00\x01\x02\xfe\xff\x80";

pub(super) fn pipe(path: &Path) {
    mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
}

/// A data directory with signatures of our own, and a folder of files beside it.
fn furnished() -> (TempDir, PathBuf, PathBuf) {
    let (folder, data) = folder();
    update(&data, 900, 900).is(0);
    let files = folder.path().join("files");
    durable::create_folder(&files).unwrap();
    (folder, data, files)
}

fn put(path: impl AsRef<Path>, bytes: &[u8]) {
    durable::create_folder(path.as_ref().parent().unwrap()).unwrap();
    durable::write(path.as_ref(), bytes, false).unwrap();
}

fn identify(data: &Path, path: &Path, more: &[&str]) -> Ran {
    let mut command = program(data, &["identify"]);
    command.arg(path).args(more);
    ran(command)
}

/// What JSON says about the file whose path ends like this.
fn file<'a>(told: &'a Value, end: &str) -> &'a Value {
    let ends = |it: &&Value| it["path"].as_str().unwrap().ends_with(end);
    told["files"].as_array().unwrap().iter().find(ends).unwrap_or_else(|| panic!("{end}: {told}"))
}

/// The records of a CSV text.
fn records(text: &str) -> Vec<Vec<String>> {
    let (mut records, mut record, mut cell) = (Vec::new(), Vec::new(), String::new());
    let mut quoted = false;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                letters.next();
                cell.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => record.push(std::mem::take(&mut cell)),
            '\r' if !quoted => {}
            '\n' if !quoted => {
                record.push(std::mem::take(&mut cell));
                records.push(std::mem::take(&mut record));
            }
            letter => cell.push(letter),
        }
    }
    assert!(!quoted && record.is_empty() && cell.is_empty());
    records
}

#[test]
fn files_are_told_with_format_basis_and_size() {
    let (_folder, data, files) = furnished();
    put(files.join("a.srt"), b"STRONG and more");
    put(files.join("b/c.srt"), b"STRONG2");
    put(files.join("d"), b"TWIN");
    put(files.join("e.nam"), NOTHING_KNOWN);
    put(files.join("f.what"), NOTHING_KNOWN);
    let ran = identify(&data, &files, &[]).is(0);
    assert_eq!(ran.err, "");
    let starts = |end: &str| {
        let ends = |line: &&str| line.ends_with(end);
        ran.out.lines().filter(ends).map(|line| line[..12].trim()).collect::<Vec<_>>()
    };
    assert_eq!(starts("/a.srt"), ["fmt/90001"]);
    assert_eq!(starts("/b/c.srt"), ["fmt/90002"]);
    assert_eq!(starts("/d"), ["fmt/90003", "fmt/90004"]);
    assert_eq!(starts("/e.nam"), ["fmt/90005"]);
    assert_eq!(starts("/f.what"), ["-"]);
    for words in
        ["PUID        FORMAT", "Strong, or \"so\" 1 ", " signature ", " extension ", "Stronger 900"]
    {
        assert!(ran.out.contains(words), "{words}: {ran:?}");
    }
    let bytes = 15 + 7 + 4 + 2 * NOTHING_KNOWN.len();
    let totals = format!("5 files, {bytes} bytes: 4 identified, 1 with several formats, 1 unknown");
    assert!(ran.out.contains(&totals), "{ran:?}");
    assert!(
        ran.out.ends_with("\nSignatures: DROID 900 of 2040-01-01, containers 900\n"),
        "{ran:?}"
    );

    assert!(!ran.out.contains("more formats"), "{ran:?}");

    let short = identify(&data, &files, &["--summary"]).is(0).out;
    assert!(short.starts_with("    FILES            BYTES  PUID"), "{short}");
    assert!(ran.out.ends_with(&short) && !short.contains("a.srt"), "{short}");
}

#[test]
fn json_is_one_object_with_a_line_for_each_file() {
    let (_folder, data, files) = furnished();
    put(files.join("a.srt"), b"STRONG");
    put(files.join("b.srt"), b"STRONG, and so on");
    put(files.join("d"), b"TWIN");
    put(files.join("e"), b"");
    put(files.join("f.what"), NOTHING_KNOWN);
    let ran = identify(&data, &files, &["--json"]).is(0);
    let told = ran.json();
    let keys: Vec<&String> = told.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["files", "identified_at", "signatures", "summary", "totals"]);
    assert_eq!(told["signatures"]["droid_version"], 900);
    assert_eq!(told["signatures"]["origin"], "stored");
    assert!(told["identified_at"].as_str().unwrap().ends_with('Z'));
    let rows = ran.out.lines().filter(|line| line.starts_with("{\"path\":"));
    assert_eq!(rows.count(), 5);

    let first = file(&told, "a.srt");
    assert_eq!((&first["kind"], &first["size_bytes"]), (&"file".into(), &6.into()));
    assert_eq!((&first["unknown"], first.get("path_bytes")), (&Value::Null, None));
    let found = &first["matches"][0];
    assert_eq!((&found["puid"], &found["version"]), (&"fmt/90001".into(), &"1".into()));
    assert_eq!(found["mime"], serde_json::json!(["application/x-strong", "text/x-strong"]));
    assert_eq!(
        (&found["basis"]["by"], &found["basis"]["signature"]),
        (&"signature".into(), &2.into())
    );
    assert_eq!(file(&told, "/d")["matches"].as_array().unwrap().len(), 2);
    assert_eq!(file(&told, "/e")["kind"], "empty");
    assert!(file(&told, "f.what")["unknown"].as_str().unwrap().len() > 5);

    let counts = told["summary"].as_array().unwrap();
    let counts: Vec<_> =
        counts.iter().map(|it| (it["puid"].as_str(), it["files"].as_u64())).collect();
    let wanted = [("fmt/90001", 2), ("fmt/90003", 1), ("fmt/90004", 1)];
    assert_eq!(counts, wanted.map(|(puid, files)| (Some(puid), Some(files))));
    assert_eq!(told["summary"][0]["bytes"], 6 + 17);
    let totals = &told["totals"];
    for (key, count) in
        [("files", 5), ("identified", 3), ("several", 1), ("unknown", 2), ("empty", 1)]
    {
        assert_eq!(totals[key], count, "{key} in {totals}");
    }
    let short = identify(&data, &files, &["--json", "--summary"]).is(0).json();
    assert_eq!((short.get("files"), &short["summary"]), (None, &told["summary"]));
    // Nothing found is an object as well.
    let none = data.with_file_name("none");
    durable::create_folder(&none).unwrap();
    let told = identify(&data, &none, &["--json"]).is(0).json();
    assert_eq!((&told["files"], &told["totals"]["files"]), (&serde_json::json!([]), &0.into()));
}

#[test]
fn csv_has_a_row_for_each_format_of_each_file() {
    let (_folder, data, files) = furnished();
    put(files.join("a.srt"), b"STRONG");
    put(files.join("d"), b"TWIN");
    put(files.join("f.what"), NOTHING_KNOWN);
    symlink("a.srt", files.join("link")).unwrap();
    let ran = identify(&data, &files, &["--csv"]).is(0);
    assert!(ran.out.lines().count() == 6 && ran.out.matches("\r\n").count() == 6, "{ran:?}");
    let rows = records(&ran.out);
    assert_eq!(
        rows[0].join(","),
        "path,size_bytes,kind,puid,name,version,mime,basis,detail,warnings,signatures,\
         identified_at,path_bytes"
    );
    assert!(rows.iter().all(|row| row.len() == 13), "{rows:?}");
    let puids: Vec<_> = rows.iter().map(|row| row[3].as_str()).collect();
    assert_eq!(puids, ["puid", "fmt/90001", "fmt/90003", "fmt/90004", "", ""]);
    assert_eq!(rows[1][4], "Strong, or \"so\"");
    assert_eq!(rows[1][6..8], ["application/x-strong, text/x-strong", "signature"]);
    assert_eq!((rows[5][1].as_str(), rows[5][2].as_str()), ("", "link"));
    assert_eq!(rows[4][10], "DROID 900 of 2040-01-01, containers 900");
    let rows = records(&identify(&data, &files, &["--csv", "--summary"]).is(0).out);
    assert_eq!(rows[0].join(","), "puid,name,version,mime,files,bytes,signatures");
    let counted: Vec<_> = rows[1..].iter().map(|row| (row[0].as_str(), row[1].as_str())).collect();
    assert_eq!(counted[3..], [("", "unknown"), ("", "link")], "the whole is told");
    identify(&data, &files, &["--csv", "--json"]).is(2);
}

#[test]
fn names_of_any_kind_come_through_and_steer_nothing() {
    let (_folder, data, files) = furnished();
    let names: [&[u8]; 8] = [
        b"new\nline.srt",
        b"quo\"te, comma.srt",
        b"esc\x1b[2J.srt",
        b"c1\xc2\x9b31m.srt",
        b"latin\xe9.srt",
        b"=1+1.srt",
        b"cr\r.srt",
        "\u{202e}\u{1f4dc} .srt".as_bytes(),
    ];
    for name in names {
        put(files.join(OsStr::from_bytes(name)), b"STRONG");
    }
    let ran = identify(&data, &files, &[]).is(0);
    assert!(!ran.out.contains(['\u{1b}', '\r', '\u{9b}']), "{ran:?}");
    // One line for each, the head, and the four of the summary with a blank one before.
    assert_eq!(ran.out.lines().filter(|line| line.starts_with("fmt/90001")).count(), 8);

    let ran = identify(&data, &files, &["--json"]).is(0);
    assert!(!ran.out.contains(['\u{1b}', '\r', '\u{9b}']), "{ran:?}");
    let told = ran.json();
    for name in names {
        file(&told, &String::from_utf8_lossy(name));
    }
    let hex = file(&told, "latin\u{FFFD}.srt")["path_bytes"].as_str().unwrap();
    assert!(hex.ends_with("6c6174696ee92e737274"), "{hex}");
    assert_eq!(file(&told, "=1+1.srt").get("path_bytes"), None);

    let rows = records(&identify(&data, &files, &["--csv"]).is(0).out);
    assert_eq!(rows.len(), 9);
    for name in names {
        let name = String::from_utf8_lossy(name);
        assert!(rows.iter().any(|row| row[0].ends_with(&*name)), "{name:?}");
    }
}

#[test]
fn what_is_no_file_is_told_and_never_opened() {
    let (_folder, data, files) = furnished();
    put(files.join("a.srt"), b"STRONG");
    pipe(&files.join("pipe"));
    let _listener = UnixListener::bind(files.join("socket")).unwrap();
    symlink("..", files.join("up")).unwrap();
    symlink("self", files.join("self")).unwrap();
    symlink("a.srt", files.join("link")).unwrap();
    symlink("gone\u{1b}", files.join("dangling")).unwrap();
    let told = identify(&data, &files, &["--json"]).is(0).json();
    for (end, kind, words) in [
        ("/pipe", "device", "a pipe, not opened"),
        ("/socket", "device", "a socket, not opened"),
        ("/up", "link", "a symbolic link to .., not followed"),
        ("/self", "link", "a symbolic link to self, not followed"),
        ("/dangling", "link", "a symbolic link to gone\u{1b}, not followed"),
    ] {
        let told = file(&told, end);
        assert_eq!((&told["kind"], &told["size_bytes"]), (&kind.into(), &Value::Null));
        assert_eq!(told["unknown"], words);
        assert_eq!(told["matches"], serde_json::json!([]));
    }
    assert_eq!((&told["totals"]["links"], &told["totals"]["devices"]), (&4.into(), &2.into()));
    assert_eq!(told["totals"]["files"], 1);
    let ran = identify(&data, &files, &[]).is(0);
    assert!(!ran.out.contains('\u{1b}') && ran.out.contains("2 devices"), "{ran:?}");
    // Named directly it is the same.
    for name in ["pipe", "up", "self", "dangling", "socket"] {
        let told = identify(&data, &files.join(name), &["--json"]).is(0).json();
        assert_eq!(told["files"].as_array().unwrap().len(), 1, "{name}");
    }
    let told = identify(&data, Path::new("/dev/zero"), &["--json"]).is(0).json();
    assert_eq!(told["files"][0]["kind"], "device");
}

#[test]
fn a_path_that_is_not_there_is_told_and_the_others_go_on() {
    let (_folder, data, files) = furnished();
    put(files.join("a.srt"), b"STRONG");
    let gone = files.join("go\u{1b}ne");
    let at = |path: &Path| path.to_str().unwrap().to_owned();
    let ran = run(&data, &["identify", &at(&gone), &at(&files)]).is(1);
    assert!(ran.out.contains("  there is no such file\n") && ran.out.contains("a.srt"), "{ran:?}");
    assert!(ran.out.contains("1 unreadable") && !ran.out.contains('\u{1b}'), "{ran:?}");
    let told = run(&data, &["identify", "--json", &at(&files), &at(&gone)]).is(1).json();
    assert_eq!(file(&told, "ne")["kind"], "unreadable");
    assert_eq!(told["totals"]["unreadable"], 1);
    let below = files.join("a.srt/below");
    identify(&data, &below, &[]).is(1);

    let ran = run(&data, &["identify", &at(&gone), &at(&files.join("none"))]);
    ran.refused("none: there is no such file");
    run(&data, &["identify"]).is(2);
}

#[test]
fn what_we_may_not_read_is_told_and_the_rest_goes_on() {
    if rustix::process::geteuid().is_root() {
        println!("skipped: nothing is closed to root");
        return;
    }
    let (_folder, data, files) = furnished();
    put(files.join("open.srt"), b"STRONG");
    put(files.join("closed.srt"), b"STRONG");
    put(files.join("shut/inside.srt"), b"STRONG");
    let mode = |name: &str, mode| {
        fs::set_permissions(files.join(name), fs::Permissions::from_mode(mode)).unwrap();
    };
    mode("closed.srt", 0o000);
    mode("shut", 0o000);
    let told = identify(&data, &files, &["--json"]).is(1).json();
    mode("shut", 0o700);
    assert_eq!(file(&told, "closed.srt")["kind"], "unreadable");
    assert_eq!(file(&told, "/shut")["kind"], "folder");
    assert_eq!(file(&told, "/shut")["unknown"], "we may not read it");
    assert_eq!(file(&told, "open.srt")["matches"][0]["puid"], "fmt/90001");
}

#[test]
fn deep_folders_and_many_files_come_in_order() {
    let (_folder, data, files) = furnished();
    let deep = files.join("d/".repeat(400));
    put(deep.join("deep.srt"), b"STRONG");
    for at in 0..1500 {
        fs::File::create(files.join(format!("many-{at:04}"))).unwrap();
    }
    let told = identify(&data, &files, &["--json"]).is(0).json();
    let paths: Vec<_> =
        told["files"].as_array().unwrap().iter().map(|it| it["path"].as_str().unwrap()).collect();
    assert_eq!(paths.len(), 1501);
    assert!(paths.is_sorted() && paths[0].ends_with("d/deep.srt"));
}

#[test]
fn without_a_directory_the_signatures_of_the_program_are_used_and_none_is_made() {
    let (folder, data) = folder();
    let path = folder.path().join("letter.pdf");
    put(&path, b"%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n");
    let told = identify(&data, &path, &["--json"]).is(0).json();
    assert_eq!(told["signatures"]["origin"], "built_in");
    assert_eq!(told["files"][0]["path"], path.to_str().unwrap());
    assert_eq!(told["totals"]["identified"], 1, "{told}");
    assert!(!data.try_exists().unwrap());
}

#[test]
fn a_reader_that_goes_away_ends_it_quietly() {
    let (_folder, data, files) = furnished();
    for at in 0..600 {
        put(files.join(format!("{at}.srt")), b"STRONG");
    }
    for more in [&[][..], &["--json"], &["--csv"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = program(&data, &["identify"]);
        command.arg(&files).args(more).stdout(writer).stderr(Stdio::piped());
        let output = command.spawn().unwrap().wait_with_output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), said.as_str()), (Some(0), ""), "{more:?}");
    }
    // A disk that is full is not a reader that has gone.
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let mut command = program(&data, &["identify", "--csv"]);
    command.arg(&files).stdout(full).stderr(Stdio::piped());
    let output = command.spawn().unwrap().wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(said.contains("the result cannot be written"), "{said}");
}

#[test]
fn a_file_on_standard_input_is_told_in_its_place() {
    let (_folder, data, files) = furnished();
    put(files.join("a.srt"), b"STRONG2 and more");
    put(files.join("piped"), b"STRONG");
    let piped = |more: &[&str]| {
        let mut command = program(&data, &["identify"]);
        command.args(more);
        let mut cat = std::process::Command::new("cat")
            .arg(files.join("piped"))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        command.stdin(cat.stdout.take().unwrap());
        let ran = ran(command);
        cat.wait().unwrap();
        ran
    };
    let other = files.join("a.srt");
    let told = piped(&[other.to_str().unwrap(), "-", "--json"]).is(0).json();
    let paths: Vec<&str> =
        told["files"].as_array().unwrap().iter().map(|it| it["path"].as_str().unwrap()).collect();
    assert_eq!(paths, [other.to_str().unwrap(), "-"]);
    assert_eq!(file(&told, "-")["matches"][0]["puid"], "fmt/90001");
    assert_eq!((&file(&told, "-")["size_bytes"], &told["totals"]["files"]), (&6.into(), &2.into()));
    piped(&["-", "-"]).refused("standard input can be read once");
}
