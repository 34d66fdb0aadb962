//! What is typed into one field, and what everybody finds by it.

use storage::registry::{
    Access, Found, InstitutionKind, ItemRow, NewInstitution, ObjectFacts, Registry, Seal, Sight,
};

use super::archive::{Archive, NOW, digests, later, new_deposit, seal};

fn search(registry: &Registry, text: &str) -> Found {
    registry.search(text, Sight::All, 25).unwrap()
}

fn paths(registry: &Registry, text: &str) -> Vec<String> {
    search(registry, text).files.into_iter().map(|file| file.path).collect()
}

fn bags(found: &Found) -> Vec<&str> {
    found.objects.iter().map(|object| object.bag_name.as_str()).collect()
}

fn seal_as(archive: &Archive, bag: &str, version: u32, title: &str, access: Access) {
    let id = archive.begin(bag, version, &[("data/Scans/Folio 1.TIF", title)]);
    let facts = ObjectFacts { title: title.to_owned(), access, ..seal(1).facts };
    let at = later(u64::from(version));
    archive.registry.seal(id, &Seal { facts, at, saved_file_count: 1 }).unwrap();
}

#[test]
fn words_are_found_whatever_their_case_and_accents() {
    let archive = Archive::new();
    let registry = &archive.registry;
    archive.deposit("one", 1, &[("data/Scans/Folio 1.TIF", "1"), ("bag-info.txt", "i")]);
    archive.deposit("two", 1, &[("data/été/folio 2.tif", "2"), ("data/Straße.txt", "3")]);
    archive.begin("three", 1, &[("data/folio 3.tif", "5")]);
    // The newest first.
    assert_eq!(paths(registry, "FOLIO"), ["data/été/folio 2.tif", "data/Scans/Folio 1.TIF"]);
    assert_eq!(paths(registry, "fol"), paths(registry, "FOLIO"));
    assert_eq!(paths(registry, "folio scans"), ["data/Scans/Folio 1.TIF"]);
    assert_eq!(paths(registry, "ete"), ["data/été/folio 2.tif"]);
    assert_eq!(paths(registry, "e\u{301}té"), ["data/été/folio 2.tif"]);
    assert_eq!(paths(registry, "STRASSE"), ["data/Straße.txt"]);
    assert_eq!(search(registry, "Folio, SCANS").words, ["folio", "scans"]);
    for nothing in ["olio", "folio 3", "folio nothing", "f"] {
        assert!(paths(registry, nothing).is_empty(), "{nothing}");
    }
    let few = registry.search("folio", Sight::All, 1).unwrap();
    assert!(few.more && few.files.len() == 1);
    assert!(!search(registry, "folio").more);
}

#[test]
fn what_is_named_exactly_comes_first() {
    let archive = Archive::new();
    let registry = &archive.registry;
    archive.deposit("a", 1, &[("data/x.txt", "first")]);
    archive.deposit("a", 2, &[("data/x.txt", "second")]);
    archive.deposit("a-b", 1, &[("data/y.txt", "other")]);
    let found = search(registry, "lib.example.edu/a");
    assert_eq!(bags(&found), ["a", "a-b"], "the one of this name, then the one that has its words");
    let file = registry.file_by_identifier("lib.example.edu/a/data/x.txt").unwrap().unwrap();
    for (name, version) in [
        (file.uuid.to_string(), 2),
        ("lib.example.edu/a/data/x.txt".to_owned(), 2),
        (digests("second").named()[2].1.clone(), 2),
        (digests("first").named()[0].1.to_uppercase(), 1),
        (digests("first").named()[3].1[..10].to_owned(), 1),
    ] {
        let found = search(registry, &format!(" {name} ")).files;
        assert_eq!(
            found.first().map(|it| (it.id, it.version.0)),
            Some((file.id, version)),
            "{name}"
        );
        assert_eq!(found.iter().filter(|it| it.id == file.id).count(), 1, "{name}");
    }
}

#[test]
fn any_text_is_a_question() {
    let archive = Archive::new();
    archive.deposit("bag", 1, &[("data/and or not near.txt", "1")]);
    let registry = &archive.registry;
    assert_eq!(paths(registry, "NOT or AND near"), ["data/and or not near.txt"]);
    assert_eq!(paths(registry, "\"not\" OR (near*)"), ["data/and or not near.txt"]);
    for text in [
        "",
        " ",
        "*",
        "\"",
        "'",
        "--",
        "; DROP TABLE files",
        "words:not",
        "^not",
        "not^",
        "(",
        ")",
        "NEAR(",
        "NEAR(not, 5)",
        "{words}: x",
        "-not",
        "+",
        "\u{0}",
        "a\u{0}b",
        "\u{E000}1",
        "\u{E000}1 not",
        "\u{FFFF}",
        "\u{301}",
        "%",
        "_",
        "\\",
        "not AND",
        "AND",
        "OR OR",
        "🙂",
        "日本",
        "\u{202E}not",
        "x'",
        "1e999",
        "-1",
        "9223372036854775808",
    ] {
        search(registry, text);
        search(registry, &text.repeat(10_000));
        for sight in
            [Sight::Own { institution: 1, restricted: false }, Sight::Shared { institution: -1 }]
        {
            registry.search(text, sight, u32::MAX).unwrap();
        }
    }
    assert_eq!(registry.check().unwrap(), []);
}

#[test]
fn nobody_finds_what_they_may_not_see() {
    let archive = Archive::new();
    let registry = &archive.registry;
    let new = NewInstitution {
        name: "Museum".to_owned(),
        identifier: "museum.example.edu".to_owned(),
        kind: InstitutionKind::Member,
        member_institution_id: None,
        receiving_bucket: "museum-in".to_owned(),
        restore_bucket: "museum-out".to_owned(),
    };
    let (library, museum) =
        (archive.institution(), registry.create_institution(&new, NOW).unwrap().id);
    seal_as(&archive, "open", 1, "Letters", Access::Consortia);
    seal_as(&archive, "plain", 1, "Letters", Access::Institution);
    seal_as(&archive, "secret", 1, "Letters", Access::Restricted);
    let items = [(1, Some(library)), (2, Some(museum)), (3, None)].map(|(id, institution_id)| {
        ItemRow { id, institution_id, name: format!("letters-{id}.tar"), ..ItemRow::default() }
    });
    registry.record_items(&items, &[], &[]).unwrap();
    let own = |institution, restricted| Sight::Own { institution, restricted };
    let secret = registry.file_by_identifier("lib.example.edu/secret/data/Scans/Folio 1.TIF");
    let secret = secret.unwrap().unwrap();
    for (sight, objects, items) in [
        (Sight::All, &["secret", "plain", "open"][..], &[3, 2, 1][..]),
        (own(library, true), &["secret", "plain", "open"], &[1]),
        (own(library, false), &["plain", "open"], &[1]),
        (own(museum, true), &[], &[2]),
        (Sight::Shared { institution: museum }, &["open"], &[]),
        (Sight::Shared { institution: library }, &[], &[]),
        (own(0, false), &[], &[]),
    ] {
        let found = registry.search("letters", sight, 25).unwrap();
        assert_eq!(bags(&found), objects, "{sight:?}");
        assert_eq!(found.items.iter().map(|item| item.id).collect::<Vec<_>>(), items, "{sight:?}");
        let files = registry.search("folio", sight, 25).unwrap().files;
        assert_eq!(files.len(), objects.len(), "{sight:?}");
        // Not by its very name, either.
        let sees = sight.sees(library, "restricted");
        for name in [
            "lib.example.edu/secret".to_owned(),
            secret.uuid.to_string(),
            secret.identifier.clone(),
            secret.digests.named()[2].1.clone(),
            format!("\u{E000}{library} secret"),
        ] {
            let found = registry.search(&name, sight, 25).unwrap();
            let there = found.objects.iter().any(|it| it.bag_name == "secret")
                || found.files.iter().any(|it| it.id == secret.id);
            assert!(sees || !there, "{name} as {sight:?}");
        }
    }
}

#[test]
fn words_follow_titles_deposits_and_imports() {
    let archive = Archive::new();
    let registry = &archive.registry;
    seal_as(&archive, "maps", 1, "Old maps", Access::Institution);
    seal_as(&archive, "maps", 2, "Atlas", Access::Institution);
    assert_eq!(bags(&search(registry, "atlas")), ["maps"]);
    assert!(search(registry, "old").objects.is_empty(), "a new title takes the place of the old");
    // What was abandoned after it was made searchable leaves nothing.
    archive.begin("three", 1, &[("data/gone.tif", "5")]);
    let id = registry.begin_deposit(&new_deposit("three", 1)).unwrap();
    assert!(registry.seal(id, &seal(9)).is_err());
    registry.abandon(id).unwrap();
    assert!(search(registry, "gone").files.is_empty());
    let item = ItemRow { id: 5, name: "kept-5.tar".to_owned(), ..ItemRow::default() };
    registry.record_items(std::slice::from_ref(&item), &[], &[]).unwrap();
    registry.record_items(&[item], &[], &[]).unwrap();

    let other = Archive::new();
    let fresh = Registry::open(&other.dir.path().join("imported.sqlite"), NOW).unwrap();
    let mut rows = archive.exported().into_iter();
    fresh.import_rows::<storage::registry::Error>(&mut || Ok(rows.next())).unwrap();
    for registry in [registry, &fresh] {
        assert_eq!(bags(&search(registry, "atlas")), ["maps"]);
        assert_eq!(paths(registry, "folio"), ["data/Scans/Folio 1.TIF"]);
        assert_eq!(search(registry, "kept").items.len(), 1);
        assert_eq!(registry.check().unwrap(), []);
    }
}
