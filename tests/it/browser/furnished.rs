//! A house whose every list has more rows than one page shows, and somebody of each kind to look.

use std::time::Duration;

use serde_json::json;
use storage::registry::{ParkedItem, Role};
use strongroom::accounts::{confirm_factor, offer_factor};
use strongroom::alerts::{item_parked, raise};
use strongroom::desk::{InstitutionWish, UserWish};
use strongroom::rights::{Person, Proof};

use crate::assessing::{message, supply, until_assessed};
use crate::device::code;
use crate::house::{House, PASSWORD, until};
use crate::ingest::{bag, write_tar};
use crate::researcher::{add, hold_back, recording, search_all, sound};
use crate::wire::post;

/// Looks after the house.
pub(super) const ROOT: &str = "root@archive.example";
/// Looks after the institution.
pub(super) const ANN: &str = "ann@archive.example";
/// Looks after it with her.
const BEA: &str = "bea@archive.example";
/// Has a second factor.
const DOT: &str = "dot@archive.example";

/// More than one page of any list shows.
const MANY: usize = 55;

/// The house, and what is to be found in it.
pub(super) struct Furnished {
    pub(super) house: House,
    pub(super) root: String,
    pub(super) ann: String,
    /// The cookie of somebody whose password was right and whose code is still asked for.
    pub(super) half: String,
    /// The path of a link that sets a password.
    pub(super) link: String,
    /// An item that went through.
    pub(super) finished: u64,
    /// An item that needs a person.
    pub(super) parked: u64,
    /// An item that gave something back.
    pub(super) restored: u64,
    pub(super) file: String,
    pub(super) event: String,
    /// A piece of research that somebody holds.
    pub(super) lease: String,
    /// A site that was assessed.
    pub(super) assessment: String,
}

impl Furnished {
    pub(super) fn new() -> Furnished {
        let house = House::of_the_program("[ingest]\nsweep_s = 1\n[research]\nresearchers = 0\n");
        let files: Vec<(String, Vec<u8>)> = (0..MANY + 15)
            .map(|n| (format!("scans/folio-{n:03}.txt"), n.to_string().into_bytes()))
            .collect();
        let files: Vec<(&str, &[u8])> =
            files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice())).collect();
        house.receive("letters", &bag(&files), 1);
        house.receive("letters", &bag(&[("scans/folio-000.txt", b"changed")]), 2);
        house.person(ROOT, Role::Admin);
        house.person(ANN, Role::InstitutionalAdmin);
        house.person(BEA, Role::InstitutionalAdmin);
        house.person(DOT, Role::InstitutionalUser);
        let (root, ann) = (house.sign_in(ROOT), house.sign_in(ANN));
        fill_areas(&house);
        let link = fill_people(&house);
        fill_alerts(&house);
        fill_requests(&house, &ann);
        let assessment = fill_assessments(&house);
        let half = half_open(&house);
        let lease = fill_research(&house);
        let first = |path: &str, rows: &str, key: &str| {
            let list = house.get(path).is(200).json();
            list[rows][0][key].clone()
        };
        until("all is done", || {
            house.get("/api/v1/items?status=Suspended").json()["count"] == 1
                && first("/api/v1/items?status__in=Started&status__in=Pending", "items", "id")
                    .is_null()
        });
        let number = |path: &str| first(path, "items", "id").as_u64().unwrap();
        let text =
            |path: &str, rows: &str, key: &str| first(path, rows, key).as_str().unwrap().to_owned();
        Furnished {
            finished: number("/api/v1/items?status=Success&action=Ingest"),
            parked: number("/api/v1/items?status=Suspended"),
            restored: number("/api/v1/items?status=Success&action=Restore%20File"),
            file: text(
                "/api/v1/files?identifier=archive.local/letters/data/scans/folio-000.txt",
                "files",
                "uuid",
            ),
            event: text("/api/v1/events?scope=files", "events", "identifier"),
            lease,
            house,
            root,
            ann,
            half,
            link,
            assessment,
        }
    }
}

/// Reference data in two versions, and sites.
fn fill_assessments(house: &House) -> String {
    supply(house.app(), house.dir.path());
    let wish = serde_json::json!({
        "folder": house.dir.path().join("layers").to_str().unwrap(),
        "data_version": "made-2",
    });
    house.command("/api/v1/reference-data", &wish.to_string()).is(202);
    until("the second version is in use", || {
        let told = house.get("/api/v1/reference-data").json();
        told["versions"][0]["data_version"] == "made-2" && told["loading"].is_null()
    });
    let mut last = String::new();
    for n in 0..MANY {
        let sent = message(&format!("NRF-{n:06}"), 300.0);
        let asked = house.command("/api/v1/assessments", &sent).is(202).json();
        last = asked["id"].as_str().unwrap().to_owned();
    }
    until_assessed(house, &last);
    last
}

/// Objects and items: many bags at once, and one that is not valid.
fn fill_areas(house: &House) {
    let folder = house.data().join("receiving/archive.local");
    let long = ["a name of many words, as scanners and people give them"; 3].join(" and ");
    for n in 0..MANY {
        let (name, scan) = (format!("deed-{n:03}"), n.to_string());
        put(
            house,
            &folder.join(format!("{name}.tar")),
            &name,
            &bag(&[("scan.tif", scan.as_bytes())]),
        );
    }
    put(house, &folder.join("broken.tar"), "broken", &bag(&[(&long, b"x")])[1..]);
    until("they are preserved", || {
        house.get("/api/v1/objects").json()["count"].as_u64() == Some(MANY as u64 + 1)
    });
}

fn put(house: &House, path: &std::path::Path, name: &str, files: &[(String, Vec<u8>)]) {
    // Written aside: what grows in the area is looked at while it does.
    let aside = house.dir.path().join("aside.tar");
    write_tar(&aside, name, files);
    let old = std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(1_600_000_000);
    std::fs::File::open(&aside).unwrap().set_modified(old).unwrap();
    std::fs::copy(&aside, path).unwrap();
    std::fs::File::open(path).unwrap().set_modified(old).unwrap();
}

/// Institutions and users; the path of the last one's link.
fn fill_people(house: &House) -> String {
    let desk = house.app().desk();
    let mut link = None;
    for n in 0..MANY {
        let identifier = format!("library-{n:02}.example");
        let name = format!("Library of the town number {n}");
        desk.add_institution(&InstitutionWish { name, identifier, member: None }).unwrap();
        let wish = UserWish {
            name: format!("Person number {n}"),
            email: format!("person-{n:02}@archive.example"),
            phone_number: None,
            role: Role::InstitutionalUser,
            institution: "archive.local".into(),
        };
        link = desk.add_user(&wish).unwrap().path;
    }
    link.unwrap()
}

fn fill_alerts(house: &House) {
    let ann = house.app().registry.user_by_email(ANN).unwrap().unwrap();
    for n in 0..MANY {
        let item = ParkedItem {
            id: 1_000 + i64::try_from(n).unwrap(),
            name: format!("letters-of-a-rather-long-name-{n}.tar"),
            action: "Ingest".into(),
            stage: "Validate".into(),
            since: house.app().shop.clock.now(),
            happened: "The bag is not valid: 3 findings.".into(),
            kept: "The bag stays where it is.".into(),
            advice: "Send the report to the depositor.".into(),
        };
        raise(house.app(), &item_parked(&item, Some(ann.institution_id))).unwrap();
    }
}

/// Requests to restore files of one object, and to delete those of others: one that is being worked
/// on is not deleted.
fn fill_requests(house: &House, ann: &str) {
    let send = |path: &str, form: String| {
        house.ask(&post(path, form).with("cookie", ann)).is(303);
    };
    for number in
        files(house, "object_identifier=archive.local/letters&path__starts_with=data/scans")
    {
        send("/restorations", format!("file={number}"));
    }
    for number in files(house, "named=scan.tif") {
        send("/deletions", format!("file={number}&reason=Sent+twice."));
    }
}

/// The numbers of so many files.
fn files(house: &House, filter: &str) -> Vec<i64> {
    let list = house.get(format!("/api/v1/files?{filter}&per_page={MANY}")).is(200).json();
    let numbers = list["files"].as_array().unwrap().iter().map(|it| it["id"].as_i64().unwrap());
    let numbers: Vec<i64> = numbers.collect();
    assert_eq!(numbers.len(), MANY, "{filter}");
    numbers
}

/// One episode in which two clips were looked for, one clip that is no recording, and an episode that
/// somebody searches; the lease for that.
fn fill_research(house: &House) -> String {
    let episode = sound::episode(1, 9.0, &[(1, 1.0), (1, 6.0), (2, 3.5)]);
    let (first, second) = (sound::clip(1), sound::clip(2));
    let files: [(&str, &[u8]); 4] =
        [("one.wav", &episode), ("a.wav", &first), ("b.wav", &second), ("bad.wav", b"no sound")];
    house.receive("show", &bag(&files), 1);
    let held = |title: &str, path: &str| {
        recording(title, &json!({"kind": "vault", "object": "archive.local/show", "path": path}))
    };
    let clips = ["a", "b", "bad"].map(|it| held(it, &format!("data/{it}.wav")));
    add(house, "clips", &clips);
    add(house, "episodes", &[held("The first show", "data/one.wav")]);
    search_all(house);
    hold_back(house, &held("The second show", "data/one.wav"))
}

/// The first step of signing in, done.
fn half_open(house: &House) -> String {
    let (registry, now) = (&house.app().registry, house.app().shop.clock.now());
    let user = registry.user_by_email(DOT).unwrap().unwrap();
    let person = Person { user, proof: Proof::Password, address: String::new() };
    let letters = offer_factor(registry, &person, (PASSWORD, "House"), now).unwrap().secret;
    confirm_factor(registry, &person, &code(&letters, now), now).unwrap();
    let form = format!("email={DOT}&password={PASSWORD}").replace(' ', "+");
    let reply = house.ask_by_form(&post("/sign-in", form)).is(303);
    let cookies = reply.all("set-cookie");
    let half = cookies.iter().find(|it| it.starts_with("strongroom_half=")).unwrap();
    half.split(';').next().unwrap().to_owned()
}
