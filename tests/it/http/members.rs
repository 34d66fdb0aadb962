//! What the members of one institution are told of another: nothing.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;

use storage::clock::{Clock, SystemClock};
use storage::registry::Role;
use storage::work::item::Subject;
use storage::work::queue::NewItem;
use strongroom::alerts::{raise, restoration_ready};
use strongroom::http::{DOORS, Door};

use super::accounts::basic;
use crate::house::{DEADLINE, House, PASSWORD, TOPICS, until};
use crate::ingest::{bag, tree, write_tar};
use crate::wire::{self, Ask, Reply, get, post};

const KEEPER: &str = "keeper@archive.example";
const READER: &str = "user@library.example";
const LIBRARIAN: &str = "keeper@library.example";

/// The institutions by number: the appliance's own, and the one whose members look at it.
struct Two {
    house: House,
    archive: i64,
    library: i64,
}

impl Two {
    fn new() -> Two {
        let house = House::ingesting();
        house.person_of("archive.local", KEEPER, Role::InstitutionalAdmin);
        let library = r#"{"name":"Town library","identifier":"library.example"}"#;
        house.command("/api/v1/institutions", library).is(200);
        house.person_of("library.example", READER, Role::InstitutionalUser);
        house.person_of("library.example", LIBRARIAN, Role::InstitutionalAdmin);
        let number = |email: &str| {
            house.app().registry.user_by_email(email).unwrap().unwrap().institution_id
        };
        let (archive, library) = (number(KEEPER), number(READER));
        Two { house, archive, library }
    }

    /// An item of an institution, which does what its name says.
    fn push(&self, institution: i64, name: &str) -> u64 {
        let subject = Subject {
            action: "Testing".into(),
            name: name.into(),
            user: "someone@elsewhere.example".into(),
            institution: Some(institution),
            size_bytes: 1,
            ..Subject::default()
        };
        let (flow, topic) = ("test".into(), TOPICS[0].into());
        let new = NewItem { flow, topic, subject, ..NewItem::default() };
        self.house.queue().push(new).unwrap().id.0
    }

    /// A bag of an institution, preserved.
    fn preserve(&self, institution: &str, name: &str) {
        let folder = self.house.data().join("receiving").join(institution);
        byteio::durable::create_folder(&folder).unwrap();
        let path = folder.join(format!("{name}.tar"));
        write_tar(&path, name, &bag(&[("quill.txt", name.as_bytes())]));
        let old = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_600_000_000);
        std::fs::File::open(&path).unwrap().set_modified(old).unwrap();
        until("it is preserved", || {
            self.house.get(format!("/api/v1/objects/{institution}/{name}")).status == 200
        });
    }

    /// Damages the copy of an object's file in one replica, and has the object checked there while
    /// the other copy is away too, so that nothing repairs it.
    fn lose(&self, object: &str, bytes: &[u8]) {
        for replica in ["a", "b"] {
            let vault = self.house.data().join("vault").join(replica);
            for entry in tree(&vault) {
                let path = vault.join(entry.split(' ').next().unwrap());
                if entry.contains("quill.txt") && std::fs::read(&path).unwrap() == bytes {
                    byteio::durable::write(&path, b"eaten by moths", false).unwrap();
                }
            }
        }
        let path = format!("/api/v1/objects/{object}/check");
        let asked = self.house.command(&path, "").is(202).json();
        let id = asked["item"]["id"].as_u64().unwrap();
        until("the check has ended", || {
            let state = self.house.state(id);
            ["finished", "parked", "failed"].contains(&state.as_str())
        });
        until("the loss is known", || {
            self.house.get("/api/v1/fixity").json()["unsound_count"] != 0
        });
    }

    fn number(&self, path: &str, list: &str, key: &str) -> String {
        let row = self.house.get(path).is(200).json()[list][0][key].clone();
        row.as_str().map_or_else(|| row.to_string(), str::to_owned)
    }
}

const FILES: &str = "/api/v1/files?object_identifier=archive.local/quagga&path=data/quill.txt";

/// Words that stand in what is the archive's, and nowhere else.
const WORDS: [&str; 4] = ["quagga", "quill", "archive.local", "archive.example"];

/// The numbers and names that things of the archive go by, with the word before them in an address.
struct Things {
    numbers: Vec<(&'static str, String)>,
    user: String,
    /// What must stand in no answer.
    words: Vec<String>,
}

impl Things {
    /// Makes one thing of every kind that the archive's administrator can make.
    fn made(two: &Two, keeper: &str) -> Things {
        let app = two.house.app();
        let as_keeper = |ask: Ask| two.house.ask(&ask.with("cookie", keeper)).is(200).json();
        let wish = r#"{"reason":"a quagga too many","objects":["archive.local/quagga"]}"#;
        let deletion = as_keeper(post("/api/v1/deletions", wish))["deletion"]["id"].to_string();
        let token = as_keeper(post("/api/v1/tokens", r#"{"name":"quagga","scope":"read"}"#));
        let item = two.number("/api/v1/items?name=quagga.tar", "items", "id");
        let row = app.registry.item(item.parse().unwrap()).unwrap().unwrap();
        let alert = raise(app, &restoration_ready(&row)).unwrap().unwrap().id.to_string();
        let file = two.number(FILES, "files", "uuid");
        let event = two.number("/api/v1/events", "events", "identifier");
        let user = app.registry.user_by_email(KEEPER).unwrap().unwrap().id.to_string();
        let words = WORDS.map(str::to_owned).into_iter().chain([file.clone(), event.clone()]);
        Things {
            words: words.collect(),
            numbers: vec![
                ("items", item.clone()),
                ("restorations", item),
                ("deletions", deletion),
                ("alerts", alert),
                ("tokens", token["token"]["id"].to_string()),
                ("users", user.clone()),
                ("institutions", two.archive.to_string()),
                ("objects", two.number("/api/v1/objects", "objects", "id")),
                ("files", file),
                ("events", event),
            ],
            user,
        }
    }

    /// The address of a thing of the archive.
    fn address(&self, path: &str) -> String {
        let found = self.numbers.iter().find(|(name, _)| path.contains(&format!("/{name}/")));
        let number = found.map_or("1", |(_, number)| number.as_str());
        let (mut bare, mut inside) = (String::new(), false);
        for letter in path.replace("{user}", &self.user).chars() {
            match letter {
                '{' => {
                    inside = true;
                    bare.push_str(number);
                }
                '}' => inside = false,
                _ if inside => {}
                _ => bare.push(letter),
            }
        }
        bare
    }

    /// What an answer tells of the archive that the request did not say itself.
    fn told(&self, ask: &Ask, reply: &Reply) -> Vec<String> {
        let text = String::from_utf8_lossy(&reply.body);
        let own: Vec<&str> = ask.path.split(['/', '?', '=', '&']).collect();
        let words = self.words.iter().filter(|word| !own.contains(&word.as_str()));
        words.filter(|word| text.contains(word.as_str())).cloned().collect()
    }
}

/// Every request that a row of the table of addresses stands for.
fn requests(things: &Things, method: &'static str, path: &str, archive: i64) -> Vec<Ask> {
    let at = things.address(path);
    match method {
        "GET" if path.contains('{') => vec![get(at)],
        "GET" => vec![get(at.as_str()), get(format!("{at}?institution_id={archive}"))],
        "POST" => vec![post(at, "")],
        "PUT" | "PATCH" | "DELETE" => vec![post(at, "{}").method(method)],
        other => panic!("{other}: teach this test the method"),
    }
}

#[test]
fn no_answer_to_a_member_names_anything_of_another_institution() {
    let two = Two::new();
    two.preserve("archive.local", "quagga");
    two.lose("archive.local/quagga", b"quagga");
    let running = two.push(two.archive, "slow-quagga-20000");
    let parked = two.push(two.archive, "fatal-quagga");
    two.house.until_state(parked, "parked");
    let keeper = two.house.sign_in(KEEPER);
    let things = Things::made(&two, &keeper);
    let (mut offences, mut asked) = (Vec::new(), 0);
    for email in [READER, LIBRARIAN] {
        let cookie = two.house.sign_in(email);
        // A stream does not end, and has a test of its own below; the address of an upload names the
        // institution itself.
        let doors = DOORS.iter().filter(|(_, path, door)| {
            matches!(door, Door::Asks(_)) && *path != "/live" && !path.contains("{institution}")
        });
        let sought = ["/search?q=quag", "/api/v1/search?q=quag", "/objects?find=quag"].map(get);
        let asks = doors.flat_map(|(method, path, _)| requests(&things, method, path, two.archive));
        for ask in asks.chain(sought) {
            let marked = two.house.with_mark(&ask.with("cookie", cookie.as_str()));
            let reply = wire::send(two.house.address(), &marked);
            for word in things.told(&marked, &reply) {
                offences.push(format!("{email} {} {}: {word}", marked.method, marked.path));
            }
            asked += 1;
        }
    }
    assert!(asked > 600, "{asked} requests were made");
    assert!(offences.is_empty(), "{}", offences.join("\n"));
    assert_eq!(two.house.state(running), "leased", "and nothing of it was changed");
    assert_eq!(two.house.state(parked), "parked");
    let tokens = two.house.ask(&get("/api/v1/tokens").with("cookie", keeper.as_str())).json();
    assert!(tokens["tokens"][0]["revoked_at"].is_null(), "{tokens}");
}

#[test]
fn fixity_tells_members_of_their_own_copies_and_no_others() {
    let two = Two::new();
    two.preserve("archive.local", "quagga");
    two.preserve("library.example", "atlas");
    two.lose("archive.local/quagga", b"quagga");
    let keeper = two.house.sign_in(KEEPER);
    let reader = two.house.sign_in(READER);
    let ask = |cookie: &str, path: &str| two.house.ask(&get(path).with("cookie", cookie)).is(200);
    let all = two.house.get("/api/v1/fixity").json();
    let own = ask(&reader, "/api/v1/fixity").json();
    let other = ask(&keeper, "/api/v1/fixity").json();
    let copies = |told: &serde_json::Value| told["replicas"][0]["copy_count"].as_u64().unwrap();
    assert!(copies(&own) > 0 && copies(&other) > 0);
    assert_eq!(copies(&own) + copies(&other), copies(&all), "each is told of its own");
    let aged = |told: &serde_json::Value| {
        let ages = told["replicas"][0]["ages"].as_array().unwrap().clone();
        ages.iter().map(|age| age["copy_count"].as_u64().unwrap()).sum::<u64>()
    };
    assert_eq!(aged(&own), copies(&own));
    for (told, unsound, lost) in [(&own, 0, 0), (&other, 2, 1), (&all, 2, 1)] {
        let sums = (told["unsound_count"].as_u64(), told["lost_count"].as_u64());
        assert_eq!(sums, (Some(unsound), Some(lost)), "{told}");
        assert_eq!(told["unsound"].as_array().unwrap().len() as u64, unsound);
    }
    for path in ["/fixity", "/fragments/fixity"] {
        let page = ask(&reader, path).text();
        assert!(page.contains("No copy is known to be damaged"), "{page}");
        assert!(!page.contains("quill"), "{page}");
    }
    let csv = ask(&reader, "/api/v1/fixity/report.csv").text();
    let row: Vec<&str> = csv.lines().nth(1).unwrap().split(',').collect();
    assert_eq!((row[2], row[3], row[4]), ("1", copies(&own).to_string().as_str(), "0"), "{csv}");
}

#[test]
fn the_reasons_offered_on_the_page_items_are_those_of_items_that_are_seen() {
    let two = Two::new();
    let archives = two.push(two.archive, "fatal-quagga");
    let librarys = two.push(two.library, "reject-atlas");
    for id in [archives, librarys] {
        two.house.until_state(id, "parked");
    }
    let reader = two.house.sign_in(READER);
    for path in ["/items", "/fragments/items"] {
        let page = two.house.ask(&get(path).with("cookie", reader.as_str())).is(200).text();
        assert!(!page.contains("vault-closed"), "{page}");
    }
    let page = two.house.ask(&get("/items").with("cookie", reader.as_str())).text();
    let own = two.house.get(format!("/api/v1/items/{librarys}")).json()["item"]["reason"].clone();
    assert!(page.contains(own.as_str().unwrap()), "{own}: {page}");
    assert!(two.house.get("/items").text().contains("vault-closed"), "others see it");
}

type Stream = BufReader<TcpStream>;

/// A stream that somebody follows.
fn follow(house: &House, ask: &Ask) -> Stream {
    let (head, stream) = wire::open(house.address(), ask);
    assert_eq!(head.status, 200);
    stream
}

/// What else a stream tells until it ends. One that goes on says so every few seconds.
#[track_caller]
fn until_its_end(stream: &mut Stream, whose: &str) -> String {
    let clock = SystemClock::start();
    let mut told = String::new();
    while stream.read_line(&mut told).unwrap() > 0 {
        assert!(clock.steady() < DEADLINE, "the stream of {whose} goes on: {told}");
    }
    told
}

#[test]
fn a_stream_tells_members_of_their_own_work_and_ends_with_the_account() {
    let two = Two::new();
    let house = &two.house;
    let people = ["shut", "reset", "left", "token", "basic"].map(|name| {
        let email = format!("{name}@library.example");
        house.person_of("library.example", &email, Role::InstitutionalUser);
        email
    });
    let [shut, reset, left, token, program] = &people;
    let cookies = [shut, reset, left].map(|email| house.sign_in(email));
    let bearer = {
        let cookie = house.sign_in(token);
        let wish = r#"{"name":"watch","scope":"read"}"#;
        let made = house.ask(&post("/api/v1/tokens", wish).with("cookie", cookie.as_str()));
        made.is(200).json()
    };
    let live = || get("/live");
    let mut streams: Vec<_> = cookies
        .iter()
        .map(|cookie| follow(house, &live().with("cookie", cookie.as_str())))
        .collect();
    let text = bearer["text"].as_str().unwrap();
    streams.push(follow(house, &live().with("authorization", format!("Bearer {text}"))));
    streams.push(follow(house, &live().with("authorization", basic(program, PASSWORD))));

    let archives = two.push(two.archive, "slow-quagga-20000");
    let librarys = two.push(two.library, "slow-atlas-20000");
    for id in [archives, librarys] {
        house.until_state(id, "leased");
    }
    // Long enough for each of them to be told: the page of everything says when.
    let mut all = follow(house, &house.with_key(&live()));
    let mut told = String::new();
    while !(told.contains(&format!("\"item\":{archives},"))
        && told.contains(&format!("\"item\":{librarys},")))
    {
        all.read_line(&mut told).unwrap();
    }
    let first_told = |stream: &mut Stream| {
        let mut told = String::new();
        while !told.contains(&format!("\"item\":{librarys},")) {
            assert!(stream.read_line(&mut told).unwrap() > 0, "{told}");
        }
        told
    };
    let mut heard: Vec<String> = streams.iter_mut().map(first_told).collect();

    house.command(&format!("/api/v1/users/{shut}/deactivate"), "").is(200);
    let link = house.app().desk().reset_user(reset).unwrap().path.unwrap();
    house.redeem(&link);
    house.ask(&post("/sign-out", "").with("cookie", cookies[2].as_str())).is(303);
    house.command(&format!("/api/v1/tokens/{}/revoke", bearer["token"]["id"]), "").is(200);
    let link = house.app().desk().reset_user(program).unwrap().path.unwrap();
    house.redeem(&link);
    for ((stream, heard), email) in streams.iter_mut().zip(&mut heard).zip(&people) {
        heard.push_str(&until_its_end(stream, email));
        assert!(!heard.contains(&format!("\"item\":{archives},")), "{email}: {heard}");
    }
}

#[test]
fn a_member_is_not_told_that_others_work() {
    let two = Two::new();
    let reader = two.house.sign_in(READER);
    let mut stream = follow(&two.house, &get("/live").with("cookie", reader.as_str()));
    for round in 0..3 {
        let id = two.push(two.archive, &format!("ok-quagga-{round}"));
        two.house.until_state(id, "finished");
    }
    two.house.ask(&post("/sign-out", "").with("cookie", reader.as_str())).is(303);
    let heard = until_its_end(&mut stream, READER);
    assert!(heard.contains("event: progress"), "{heard}");
    assert!(!heard.contains("event: changed"), "{heard}");
}
