//! The real program: run to its end, or left serving; and a data directory to run it on.

use std::collections::BTreeMap;
use std::fs::Permissions;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use storage::clock::SystemClock;
use storage::work::item::{Finding, Reason, Severity, Subject};
use storage::work::queue::{Account, NewItem, Settlement};
use strongroom::app::{App, OnDamage};
use strongroom::flows::FLOWS;
use tempfile::TempDir;

use crate::house::{config, until};

/// What a run of the program left behind.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    #[track_caller]
    pub(crate) fn is(self, code: i32) -> Ran {
        assert_eq!(self.code, Some(code), "{self:?}");
        self
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|_| panic!("{self:?}"))
    }

    /// Fails unless the program could not run and says why in one sentence on standard error.
    #[track_caller]
    pub(crate) fn refused(self, words: &str) -> Ran {
        let ran = self.is(2);
        let said = ran.err.strip_prefix("strongroom: ").unwrap_or_else(|| panic!("{ran:?}"));
        assert_eq!((said.lines().count(), ran.out.as_str()), (1, ""), "{ran:?}");
        assert!(said.contains(words), "no {words:?} in {said}");
        ran
    }
}

/// The program, with no wishes in its environment.
pub(crate) fn program(data: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_strongroom"));
    command.env_clear().stdin(Stdio::null()).args(arguments).arg("--data").arg(data);
    command
}

/// Runs a command to its end.
pub(crate) fn run(data: &Path, arguments: &[&str]) -> Ran {
    ran(program(data, arguments))
}

/// Demands that `doctor` finds nothing. What a test made itself is made private first, as the program
/// makes its own files.
pub(crate) fn finds_nothing_wrong(data: &Path) {
    for (path, mode) in [(data.to_owned(), 0o700), (data.join("strongroom.toml"), 0o600)] {
        if path.try_exists().unwrap() {
            std::fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
        }
    }
    run(data, &["doctor"]).is(0);
}

pub(crate) fn ran(mut command: Command) -> Ran {
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Ran { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

/// The program, serving.
pub(crate) struct Server {
    child: Child,
    out: BufReader<ChildStdout>,
    pub(crate) address: SocketAddr,
}

impl Server {
    pub(crate) fn start(data: &Path) -> Server {
        Server::started(program(data, &["serve", "--listen", "127.0.0.1:0"]))
    }

    pub(crate) fn started(command: Command) -> Server {
        Server::logging(command, Stdio::null())
    }

    /// The same with its log written somewhere.
    pub(crate) fn logging(mut command: Command, log: Stdio) -> Server {
        let mut child = command.stdout(Stdio::piped()).stderr(log).spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("Strongroom is open at http://");
        let address = address.and_then(|it| it.trim_end_matches('/').parse().ok());
        Server { child, out, address: address.unwrap_or_else(|| panic!("it said {line:?}")) }
    }

    /// Waits for the line in which it says this; that line.
    pub(crate) fn says(&mut self, words: &str) -> String {
        let mut line = String::new();
        while !line.contains(words) {
            line.clear();
            assert!(self.out.read_line(&mut line).unwrap() > 0, "it ended without {words:?}");
        }
        line.trim().to_owned()
    }

    /// Its process.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn signal(&self, signal: Signal) {
        let pid = Pid::from_raw(i32::try_from(self.child.id()).unwrap()).unwrap();
        kill_process(pid, signal).unwrap();
    }

    /// Waits for its end; its exit code and what else it said.
    pub(crate) fn ended(&mut self) -> (Option<i32>, String) {
        let mut ended = None;
        until("the program ends", || {
            ended = self.child.try_wait().unwrap();
            ended.is_some()
        });
        let mut said = String::new();
        self.out.read_to_string(&mut said).unwrap();
        (ended.and_then(|status| status.code()), said)
    }

    pub(crate) fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Already ended in most tests.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// A folder that can hold a data directory.
pub(crate) fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::Builder::new().prefix("strongroom-cli-").tempdir().unwrap();
    let data = folder.path().join("data");
    (folder, data)
}

/// Opens a directory in this process, as a command does.
pub(crate) fn open(data: &Path) -> App {
    let config = config(data, "127.0.0.1:0", "", &[], FLOWS);
    App::open(config, FLOWS, Arc::new(SystemClock::start()), OnDamage::Refuse).unwrap()
}

fn item(topic: &str, name: &str) -> NewItem {
    let (action, user) = ("Upkeep".into(), "ann@example.org".into());
    let subject = Subject { action, user, name: name.into(), size_bytes: 7, ..Subject::default() };
    NewItem { flow: "upkeep".into(), topic: topic.into(), subject, ..NewItem::default() }
}

/// A directory with item 1 parked at the second stage, and items 2 and 3 in line at the first. No
/// work is given out, so that they stay there also when it is served.
pub(crate) fn furnish(data: &Path) {
    let app = open(data);
    let queue = &app.shop.queue;
    app.desk().pause(None, true).unwrap();
    queue.pause("upkeep02_prove", false).unwrap();
    queue.push(item("upkeep02_prove", "bag-one")).unwrap();
    let claim = queue.claim("upkeep02_prove", 1, Duration::from_secs(60)).unwrap().remove(0);
    let because = Reason {
        code: "disk-full".into(),
        happened: "The disk is full.".into(),
        kept: "Everything is kept.".into(),
        advice: "Make room.".into(),
    };
    let finding = Finding {
        code: "digest-differs".into(),
        severity: Severity::Error,
        place: "data/a\u{7}.tif".into(),
        sentence: "It differs.".into(),
    };
    let account = Account { note: "no room".into(), findings: vec![finding], ..Account::default() };
    queue.settle(claim.lease, &Settlement::Park { because }, account).unwrap();
    queue.pause("upkeep02_prove", true).unwrap();
    queue.push(item("upkeep01_snapshot", "bag-two")).unwrap();
    queue.push(item("upkeep01_snapshot", "bag-three")).unwrap();
    app.settle();
}

/// Every file below a folder with a digest of its content; but for locks, which change hands.
pub(crate) fn listing(dir: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let Ok(entries) = std::fs::read_dir(dir) else { return found };
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.insert(path.clone(), "a folder".to_owned());
            found.append(&mut listing(&path));
        } else if path.file_name().is_some_and(|name| name != "lock") {
            let mut digest = DefaultHasher::new();
            std::fs::read(&path).unwrap().hash(&mut digest);
            found.insert(path, format!("{:x}", digest.finish()));
        }
    }
    found
}
