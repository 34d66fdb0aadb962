//! Figures: of now, of months that have begun, by format, and who sees which; and declarations.

use storage::clock::Timestamp;
use storage::registry::{
    Access, CheckedCopy, CopyState, DeletionTarget, Error, Figures, InstitutionKind, Month,
    NewDeclaration, NewFileVersion, NewInstitution, ObjectFacts, ObjectId, Registry, ReplicaId,
    Role, Seal, Sight,
};

use super::archive::{Archive, NOW, later, new_deposit, new_file, seal, uuid};

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

fn month(text: &str) -> Month {
    Month::parse(text).unwrap()
}

fn figures(object_count: u64, file_count: u64, size: u64) -> Figures {
    Figures { object_count, file_count, size }
}

/// A deposit that is sealed at a moment, under an option and an access.
struct Sealed<'a> {
    bag: &'a str,
    version: u32,
    files: &'a [(&'a str, &'a str)],
    option: &'a str,
    access: Access,
    at: Timestamp,
}

impl Sealed<'_> {
    fn of<'a>(bag: &'a str, version: u32, files: &'a [(&'a str, &'a str)]) -> Sealed<'a> {
        let at = later(u64::from(version) * 1000);
        Sealed { bag, version, files, option: "Standard", access: Access::Institution, at }
    }

    fn put(self, archive: &Archive) -> ObjectId {
        self.put_for(archive, "lib.example.edu")
    }

    fn put_for(self, archive: &Archive, owner: &str) -> ObjectId {
        let registry = &archive.registry;
        let mut new = new_deposit(self.bag, self.version);
        new.object_identifier = format!("{owner}/{}", self.bag);
        new.facts.recorded_at = self.at;
        let id = registry.begin_deposit(&new).unwrap();
        let file = |(path, content): &(&str, &str)| NewFileVersion {
            uuid: uuid(&format!("{owner}/{}/{path}", self.bag)),
            ..new_file(archive, self.bag, path, content)
        };
        registry.put_files(id, &self.files.iter().map(file).collect::<Vec<_>>()).unwrap();
        let facts = ObjectFacts {
            storage_option: self.option.to_owned(),
            access: self.access,
            ..seal(0).facts
        };
        let seal = Seal { facts, saved_file_count: self.files.len() as u64, at: self.at };
        registry.seal(id, &seal).unwrap().id
    }
}

fn institution(registry: &Registry, name: &str, member: Option<i64>) -> i64 {
    let new = NewInstitution {
        name: format!("The {name}"),
        identifier: name.to_owned(),
        kind: match member {
            Some(_) => InstitutionKind::Subscription,
            None => InstitutionKind::Member,
        },
        member_institution_id: member,
        receiving_bucket: format!("receiving {name}"),
        restore_bucket: format!("restore {name}"),
    };
    registry.create_institution(&new, NOW).unwrap().id
}

/// What was held when a month began, by option.
fn told(registry: &Registry, which: &str) -> Vec<(String, Figures)> {
    let which = month(which);
    let rows = registry.month_figures(Sight::All, (which, which)).unwrap();
    rows.into_iter().map(|row| (row.storage_option, row.figures)).collect()
}

#[test]
fn a_month_is_written_down_once_and_stays_when_files_are_deleted() {
    let archive = Archive::new();
    let registry = &archive.registry;
    assert_eq!(registry.missing_months(NOW).unwrap(), []);
    let first = Sealed {
        at: at("2026-11-20T10:00:00Z"),
        ..Sealed::of("one", 1, &[("data/a", "1"), ("data/b", "22")])
    };
    let object = first.put(&archive);
    let december = at("2026-12-01T00:00:00Z");
    assert_eq!(registry.missing_months(Timestamp(december.0 - 1)).unwrap(), []);
    assert_eq!(registry.missing_months(december).unwrap(), [month("2026-12")]);
    assert!(registry.record_month(month("2026-12"), false, december).unwrap());
    assert!(!registry.record_month(month("2026-12"), true, december).unwrap(), "once");
    assert_eq!(registry.missing_months(december).unwrap(), []);
    let held = vec![("Standard".to_owned(), figures(1, 2, 3))];
    assert_eq!(told(registry, "2026-12"), held);
    let recorded = registry.recorded_months().unwrap();
    assert_eq!((recorded.len(), recorded[0].is_derived), (1, false));

    archive.delete(DeletionTarget::Object(object), at("2026-12-05T00:00:00Z"));
    assert_eq!(told(registry, "2026-12"), held, "what was held then was held then");
    for sql in [
        "UPDATE statistics SET size = 0",
        "DELETE FROM statistics",
        "UPDATE statistics_months SET is_derived = 1",
        "DELETE FROM statistics_months",
    ] {
        let refused = archive.sql().execute(sql, []).unwrap_err().to_string();
        assert!(refused.contains("never re"), "{sql}: {refused}");
    }
    let january = at("2027-01-01T00:00:00Z");
    registry.record_month(month("2027-01"), false, january).unwrap();
    assert_eq!(told(registry, "2027-01"), []);
    assert_eq!(registry.check().unwrap(), []);
}

#[test]
fn months_that_were_missed_are_worked_out_as_they_were() {
    let archive = Archive::new();
    let registry = &archive.registry;
    let sealed = |bag, version, files, when: &str| Sealed {
        at: at(when),
        ..Sealed::of(bag, version, files)
    };
    let one = sealed("one", 1, &[("data/a", "1"), ("data/b", "22")], "2026-08-20T10:00:00Z");
    let one = one.put(&archive);
    // A second version replaces a file and adds one.
    sealed("one", 2, &[("data/a", "333"), ("data/c", "4444")], "2026-09-10T00:00:00Z")
        .put(&archive);
    let two = sealed("two", 1, &[("data/x", "55555")], "2026-09-15T00:00:00Z");
    let two = Sealed { option: "Glacier-VA", ..two }.put(&archive);
    sealed("three", 1, &[("data/y", "7")], "2026-10-01T00:00:00Z").put(&archive);
    let b = registry.files_by_path(one, &["data/b"]).unwrap().remove(0).id;
    archive.delete(DeletionTarget::File(b), at("2026-10-20T00:00:00Z"));
    archive.delete(DeletionTarget::Object(two), at("2026-11-02T00:00:00Z"));

    let now = at("2026-12-24T00:00:00Z");
    let missing = registry.missing_months(now).unwrap();
    let names: Vec<String> = missing.iter().map(ToString::to_string).collect();
    assert_eq!(names, ["2026-09", "2026-10", "2026-11", "2026-12"]);
    for month in missing {
        assert!(registry.record_month(month, true, now).unwrap());
    }
    let standard = |figures| ("Standard".to_owned(), figures);
    let glacier = ("Glacier-VA".to_owned(), figures(1, 1, 5));
    assert_eq!(told(registry, "2026-09"), [standard(figures(1, 2, 3))]);
    // What came in the first moment of October was not there before it.
    let october = [glacier.clone(), standard(figures(1, 3, 2 + 3 + 4))];
    assert_eq!(told(registry, "2026-10"), october);
    let november = [glacier, standard(figures(2, 3, 3 + 4 + 1))];
    assert_eq!(told(registry, "2026-11"), november);
    assert_eq!(told(registry, "2026-12"), [standard(figures(2, 3, 8))]);
    assert!(registry.recorded_months().unwrap().iter().all(|it| it.is_derived));
}

#[test]
fn everybody_sees_their_own_figures_and_a_member_those_of_its_accounts() {
    let archive = Archive::new();
    let registry = &archive.registry;
    let library = archive.institution();
    let account = institution(registry, "branch.example.edu", Some(library));
    let other = institution(registry, "other.example.org", None);
    let files: &[(&str, &str)] = &[("data/a.txt", "1")];
    let hidden = Sealed { access: Access::Restricted, ..Sealed::of("hidden", 1, files) };
    Sealed::of("own", 1, files).put(&archive);
    hidden.put(&archive);
    Sealed::of("branch", 1, files).put_for(&archive, "branch.example.edu");
    let shared = Sealed { access: Access::Consortia, ..Sealed::of("theirs", 1, files) };
    shared.put_for(&archive, "other.example.org");
    let december = month("2026-12");
    registry.record_month(december, false, december.begins()).unwrap();

    let own = |institution, restricted| Sight::Own { institution, restricted };
    let cases = [
        (Sight::All, vec![(library, 2), (account, 1), (other, 1)], 4),
        (own(library, true), vec![(library, 2), (account, 1)], 2),
        (own(library, false), vec![(library, 1), (account, 1)], 1),
        (own(account, true), vec![(account, 1)], 1),
        (own(other, false), vec![(other, 1)], 1),
        (own(0, false), vec![], 0),
        (Sight::Shared { institution: library }, vec![], 0),
    ];
    for (sight, deposits, alone) in cases {
        let mut now: Vec<(i64, u64)> = Vec::new();
        for row in registry.deposit_figures(sight).unwrap() {
            match now.iter_mut().find(|(known, _)| *known == row.institution_id) {
                Some((_, count)) => *count += row.figures.object_count,
                None => now.push((row.institution_id, row.figures.object_count)),
            }
        }
        assert_eq!(now, deposits, "{sight:?}");
        let then = registry.month_figures(sight, (december, december)).unwrap();
        let then: Vec<(i64, u64)> =
            then.iter().map(|row| (row.institution_id, row.figures.object_count)).collect();
        assert_eq!(then, deposits, "{sight:?}");
        let held = registry.held_figures(sight).unwrap();
        let held: u64 = held.iter().map(|row| row.figures.object_count).sum();
        let formats = registry.format_figures(sight, 10).unwrap();
        let formats: u64 = formats.iter().map(|row| row.file_count).sum();
        assert_eq!((held, formats), (alone, alone), "{sight:?}");
        assert_eq!(registry.gaps(sight).unwrap().undescribed_count, alone, "{sight:?}");
    }
}

#[test]
fn figures_say_in_which_replicas_everything_is_sound() {
    let archive = Archive::new();
    let registry = &archive.registry;
    let [a, b] = archive.replicas;
    let object = archive.deposit("bag", 1, &[("data/a.txt", "1"), ("data/b", "22")]);
    let sound_in = || -> Vec<Vec<ReplicaId>> {
        assert_eq!(registry.check().unwrap(), []);
        registry.held_figures(Sight::All).unwrap().into_iter().map(|it| it.sound_in).collect()
    };
    assert_eq!(sound_in(), [vec![a, b]]);
    let file = registry.files_by_path(object, &["data/a.txt"]).unwrap().remove(0);
    let look = |state, millis| CheckedCopy {
        file_id: file.id,
        version: file.version,
        replica: b,
        state,
        at: later(millis),
    };
    registry.record_checks(&[look(CopyState::Missing, 5)]).unwrap();
    assert_eq!(sound_in(), [vec![a]]);
    registry.record_checks(&[look(CopyState::Sound, 6)]).unwrap();
    assert_eq!(sound_in(), [vec![a, b]]);
    // The next version is in one replica only: the other has not all of it any more.
    let id = registry.begin_deposit(&new_deposit("bag", 2)).unwrap();
    let mut new = new_file(&archive, "bag", "data/c", "333");
    new.copies.truncate(1);
    registry.put_files(id, &[new]).unwrap();
    registry.seal(id, &Seal { at: later(2000), ..seal(1) }).unwrap();
    assert_eq!(sound_in(), [vec![a]]);
    // Without that file it has.
    let c = registry.files_by_path(object, &["data/c"]).unwrap().remove(0).id;
    archive.delete(DeletionTarget::File(c), later(3000));
    assert_eq!(sound_in(), [vec![a, b]]);
    archive.delete(DeletionTarget::Object(object), later(4000));
    assert_eq!(sound_in(), Vec::<Vec<ReplicaId>>::new());
}

#[test]
fn formats_follow_deposits_deletions_and_a_new_access() {
    let archive = Archive::new();
    let registry = &archive.registry;
    let library = archive.institution();
    let formats = |restricted| -> Vec<(String, u64, u64)> {
        assert_eq!(registry.check().unwrap(), []);
        let sight = Sight::Own { institution: library, restricted };
        let rows = registry.format_figures(sight, 10).unwrap();
        rows.into_iter().map(|it| (it.puid, it.file_count, it.size)).collect()
    };
    let object = Sealed::of("bag", 1, &[("data/a.txt", "1"), ("data/b", "22")]).put(&archive);
    let text = "x-fmt/111".to_owned();
    assert_eq!(formats(false), [(String::new(), 1, 2), (text.clone(), 1, 1)]);
    let next = Sealed::of("bag", 2, &[("data/a.txt", "333")]);
    Sealed { access: Access::Restricted, ..next }.put(&archive);
    assert_eq!(formats(false), []);
    assert_eq!(formats(true), [(text.clone(), 1, 3), (String::new(), 1, 2)]);
    let file = registry.files_by_path(object, &["data/b"]).unwrap().remove(0).id;
    archive.delete(DeletionTarget::File(file), later(3000));
    assert_eq!(formats(true), [(text, 1, 3)]);
    archive.delete(DeletionTarget::Object(object), later(4000));
    assert_eq!(formats(true), []);
}

#[test]
fn what_is_missing_is_counted() {
    let archive = Archive::new();
    let registry = &archive.registry;
    let id = archive.begin("bag", 1, &[("data/a", "1")]);
    let facts = ObjectFacts { title: String::new(), ..seal(1).facts };
    registry.seal(id, &Seal { facts, ..seal(1) }).unwrap();
    let gaps = registry.gaps(Sight::All).unwrap();
    assert_eq!((gaps.untitled_count, gaps.undescribed_count), (1, 1));
    let dates = (gaps.unvalidated_count, gaps.unverified_count, gaps.unidentified_count);
    assert_eq!(dates, (0, 0, 1), "the archive of these tests identifies nothing");

    let warned = NewFileVersion {
        format_warnings: Some("the name says otherwise".to_owned()),
        ..new_file(&archive, "odd", "data/a.doc", "1")
    };
    let id = registry.begin_deposit(&new_deposit("odd", 1)).unwrap();
    registry.put_files(id, &[warned]).unwrap();
    assert_eq!(registry.format_warnings(Sight::All).unwrap().file_count, 0, "not sealed");
    let facts = ObjectFacts { description: Some("An odd one".to_owned()), ..seal(1).facts };
    registry.seal(id, &Seal { facts, ..seal(1) }).unwrap();
    assert_eq!(registry.format_warnings(Sight::All).unwrap().file_count, 1);
    assert_eq!(registry.gaps(Sight::All).unwrap().undescribed_count, 1, "this one is described");
    let stranger = Sight::Own { institution: 99, restricted: true };
    assert_eq!(registry.format_warnings(stranger).unwrap().file_count, 0);
}

#[test]
fn declarations_are_dated_named_and_withdrawn_but_not_changed() {
    let archive = Archive::new();
    let registry = &archive.registry;
    let ann = archive.user("ann", Role::Admin, archive.institution());
    let bob = archive.user("bob", Role::Admin, archive.institution());
    let declare = |requirement: &str, sentence: &str, at| {
        let new = NewDeclaration {
            requirement: requirement.to_owned(),
            sentence: sentence.to_owned(),
            declared_by: ann,
        };
        registry.declare(&new, at)
    };
    for bad in ["", "  \n", &"x".repeat(1001)] {
        assert!(matches!(declare("media", bad, NOW), Err(Error::Invalid { .. })), "{bad:.20}");
    }
    let first = declare("media", "A list lies in the safe.", NOW).unwrap();
    assert_eq!((first.declared_by.as_str(), first.declared_at), ("ann", NOW));
    let second = declare("media", "The list was looked through.", later(9)).unwrap();
    declare("reviews", "Yes.", later(1)).unwrap();
    let standing = || -> Vec<String> {
        registry.standing_declarations().unwrap().into_iter().map(|it| it.sentence).collect()
    };
    assert_eq!(standing(), ["The list was looked through.", "Yes."]);
    let gone = registry.withdraw_declaration(second.id, bob, later(10)).unwrap();
    assert_eq!(gone.withdrawn_by.as_deref(), Some("bob"));
    assert_eq!(standing(), ["A list lies in the safe.", "Yes."], "the one before stands again");
    let again = registry.withdraw_declaration(second.id, bob, later(11));
    assert!(matches!(again, Err(Error::Refused { .. })), "{again:?}");
    let missing = registry.withdraw_declaration(99, bob, later(11));
    assert!(matches!(missing, Err(Error::NotFound { .. })), "{missing:?}");
    assert_eq!(registry.declarations(10).unwrap().len(), 3);
    // They are told to the ledger, with the month and its rows.
    archive.deposit("bag", 1, &[("data/a", "1")]);
    registry.record_month(month("2026-12"), false, NOW).unwrap();
    let untold = registry.untold(1000).unwrap().lines;
    for (table, count) in [("declarations", 3), ("statistics_months", 1), ("statistics", 1)] {
        let mark = format!("\"table\":\"{table}\"");
        assert_eq!(untold.iter().filter(|line| line.contains(&mark)).count(), count, "{table}");
    }
    // And come back from it, to a registry that knows what is held.
    let again = Archive::new();
    again.deposit("bag", 1, &[("data/a", "1")]);
    again.user("ann", Role::Admin, again.institution());
    again.user("bob", Role::Admin, again.institution());
    let row = |line: String| {
        let mut line: serde_json::Value = serde_json::from_str(&line).unwrap();
        (line["table"].as_str().unwrap().to_owned(), line["row"].take())
    };
    // Twice, as after a kill between a page and the note that it is written.
    let mut lines = untold.iter().chain(&untold).cloned().map(row);
    let retold = again.registry.retell(&mut || Ok::<_, Error>(lines.next())).unwrap();
    assert_eq!(retold.left_out, 0);
    let told = |archive: &Archive| -> Vec<(String, serde_json::Value)> {
        let ours = ["statistics_months", "statistics", "declarations"];
        archive.exported().into_iter().filter(|(name, _)| ours.contains(&name.as_str())).collect()
    };
    assert_eq!(told(&again).len(), 5);
    assert_eq!(told(&again), told(&archive));
}
