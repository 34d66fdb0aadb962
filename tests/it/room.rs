//! A disk that fills up under a running appliance. Mounting one needs rights: where there are
//! none, these tests say so and return.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use storage::work::item::Subject;
use storage::work::queue::NewItem;

use crate::house::{House, TOPICS, until};

/// A small file system of its own.
pub(crate) struct SmallDisk(PathBuf);

impl SmallDisk {
    pub(crate) fn mount(at: &Path, size: &str) -> Option<SmallDisk> {
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={size}"), "strongroom-test"])
            .arg(at)
            .stderr(Stdio::null())
            .status();
        mounted.is_ok_and(|status| status.success()).then(|| SmallDisk(at.to_owned()))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    fn ballast(&self) -> PathBuf {
        self.0.join("ballast")
    }

    /// Takes every free byte.
    pub(crate) fn fill(&self) {
        let mut file = OpenOptions::new().create(true).append(true).open(self.ballast()).unwrap();
        while file.write_all(&[0; 4096]).is_ok() {}
    }

    /// Gives them back.
    pub(crate) fn clear(&self) {
        std::fs::remove_file(self.ballast()).unwrap();
    }

    /// Lets nobody write, or everybody again; whether that could be done now.
    pub(crate) fn seal(&self, is_sealed: bool) -> bool {
        let how = if is_sealed { "remount,ro" } else { "remount,rw" };
        let mut mount = Command::new("mount");
        let done = mount.args(["-o", how]).arg(&self.0).stderr(Stdio::null()).status();
        done.is_ok_and(|status| status.success())
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        drop(Command::new("umount").arg("--lazy").arg(&self.0).status());
    }
}

#[test]
fn full_disk_while_running_stops_work_says_so_and_goes_on_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().to_owned();
    let Some(disk) = SmallDisk::mount(&at, "64m") else {
        println!("skipped: mounting a small file system is not allowed here");
        return;
    };
    let mut house = House::at(folder, "[work]\nroom_floor_mb = 16\n", &[]);
    house.start();
    house.bring("ok", "finished");

    disk.fill();
    until("health says so", || house.get("/health").status == 503);
    let reason = house.get("/health").json()["reason"].as_str().unwrap().to_owned();
    assert!(reason.contains("the disk has no room, no work is taken"), "{reason}");
    let page = house.get("/").is(200).text();
    assert!(page.contains("(work.room_floor_mb): no new work is taken"), "{page}");
    house.get("/health/ready").is(503);
    house.get("/health/live").is(200);

    // Nothing at all fits any more: what cannot be kept is refused, not lost and not a crash.
    let asked = house.post("/queues/pause", "");
    println!("a pause on a full disk: {}", asked.status);
    let told = house.get("/health").is(503).json();
    println!("health says: {}", told["reason"]);

    disk.clear();
    until("it is well again", || house.get("/health").status == 200);
    assert!(!house.get("/").text().contains("almost full"));
    house.post("/queues/resume", "").is(303);
    house.bring("ok", "finished");
    let doctor = house.get("/api/v1/doctor").is(200).json();
    assert_eq!(doctor["findings"].as_array().unwrap().len(), 0, "{doctor}");
    house.stop();
    drop(disk);
}

#[test]
fn full_disk_under_the_work_state_is_said_and_nothing_confirmed_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().to_owned();
    let Some(disk) = SmallDisk::mount(&at, "64m") else {
        println!("skipped: mounting a small file system is not allowed here");
        return;
    };
    let mut house = House::at(folder, "[work]\nroom_floor_mb = 1\n", &[]);
    house.start();
    house.post("/queues/pause", "").is(303);
    disk.fill();
    // Written until it really does not fit.
    let bulky = || NewItem {
        flow: "test".into(),
        topic: TOPICS[0].into(),
        subject: Subject { name: "bag".into(), ..Subject::default() },
        note: "0123456789abcdef".repeat(200),
        ..NewItem::default()
    };
    let mut confirmed = Vec::new();
    let refused = loop {
        match house.queue().push(bulky()) {
            Ok(pushed) => confirmed.push(pushed.id),
            Err(error) => break error,
        }
    };
    assert!(refused.is_full(), "{refused:?}");
    println!("{} items fitted", confirmed.len());
    let reason = house.get("/health").is(503).json()["reason"].to_string();
    assert!(reason.contains("the work state cannot be written"), "{reason}");
    for page in ["/", "/queues", "/items"] {
        let reply = house.get(page);
        println!("{page} answers {}", reply.status);
        assert!([200, 503].contains(&reply.status), "{page}: {}", reply.status);
    }
    assert_eq!(house.post("/queues/resume", "").status, 503);

    disk.clear();
    until("it is well again", || house.get("/health").status == 200);
    for id in &confirmed {
        assert!(house.queue().item(*id).unwrap().is_some(), "item {id}");
    }
    house.post("/queues/resume", "").is(303);
    house.bring("ok", "finished");
    house.stop();
    drop(disk);
}
