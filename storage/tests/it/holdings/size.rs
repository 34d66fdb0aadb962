//! How fast a large deposit is recorded and how much room it takes. Prints, and asserts no times.

use std::time::Duration;

use storage::clock::{Clock, SystemClock};
use storage::registry::{
    Counting, DigestPart, EVENTS, FILES, Folder, NewFileVersion, OBJECTS, Query, Sight, Version,
};

use super::archive::{Archive, ingest_events, new_deposit, new_file, seal};
use super::query;

/// `STRONGROOM_FILES=1000000` for the numbers of the README.
fn file_count() -> usize {
    std::env::var("STRONGROOM_FILES").ok().and_then(|it| it.parse().ok()).unwrap_or(100_000)
}

fn path(n: usize) -> String {
    format!("data/collection-{:03}/series-{:02}/item-{n:07}-master.tif", n % 500, n % 7)
}

struct Watch(SystemClock);

impl Watch {
    fn time<T>(&self, what: &str, run: impl FnOnce() -> T) -> T {
        let (done, spent) = self.measure(run);
        println!("{what:<44} {:>9.1} ms", spent.as_secs_f64() * 1000.0);
        done
    }

    fn measure<T>(&self, run: impl FnOnce() -> T) -> (T, Duration) {
        let before = self.0.steady();
        let done = run();
        (done, self.0.steady().saturating_sub(before))
    }
}

#[test]
fn a_large_deposit_is_measured() {
    let watch = Watch(SystemClock::start());
    let archive = Archive::new();
    let registry = &archive.registry;
    let count = file_count();
    let bags = 10;
    let each = count / bags;
    let mut writing = Duration::ZERO;
    for bag in 0..bags {
        let name = format!("bag-{bag}");
        let id = registry.begin_deposit(&new_deposit(&name, 1)).unwrap();
        let object = registry.deposit(id).unwrap().unwrap().object_id;
        // By path, as whoever walks a folder or a dossier has them: then the paths' index grows at
        // one place.
        let mut paths: Vec<String> = (bag * each..(bag + 1) * each).map(path).collect();
        paths.sort_unstable();
        for batch in paths.chunks(1000) {
            let new = |path: &String| {
                let size = path.len() as u64 * 1_000_003 % 77_777_777;
                NewFileVersion { size, ..new_file(&archive, &name, path, path) }
            };
            let files: Vec<_> = batch.iter().map(new).collect();
            writing += watch.measure(|| registry.put_files(id, &files).unwrap()).1;
        }
        registry.put_events(&ingest_events(&name, (id, object), 1, &["md5", "sha256"])).unwrap();
        let (sealed, spent) = watch.measure(|| registry.seal(id, &seal(each as u64)).unwrap());
        assert_eq!(sealed.file_count, each as u64);
        if bag == 0 {
            println!("seal of {each} files: {:.1} ms", spent.as_secs_f64() * 1000.0);
        }
    }
    let rate = count as f64 / writing.as_secs_f64();
    println!("{count} files with two copies each: {rate:.0} files/s");
    registry.refresh_statistics().unwrap();
    registry.checkpoint().unwrap();
    let size = registry.size_bytes().unwrap();
    println!("{} MB, {} bytes a file", size / 1_000_000, size / count as u64);
    tables(&archive, count);
    lists(&watch, &archive);
    looks(&watch, &archive, each);
}

fn tables(archive: &Archive, count: usize) {
    let conn = archive.sql();
    let sql = "SELECT name, sum(pgsize) FROM dbstat GROUP BY name ORDER BY 2 DESC LIMIT 16";
    let Ok(mut statement) = conn.prepare(sql) else { return };
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    for row in rows {
        let (name, bytes): (String, i64) = row.unwrap();
        println!("  {name:<36} {:>6} bytes a file", bytes / i64::try_from(count).unwrap());
    }
}

fn lists(watch: &Watch, archive: &Archive) {
    let registry = &archive.registry;
    let digest = "00".repeat(32);
    let early = "2000-01-01T00:00:00Z";
    for pairs in [
        &[][..],
        &[("institution_id", "1")],
        &[("institution_id", "2")],
        &[("intellectual_object_id", "5")],
        &[("intellectual_object_id", "5"), ("sort", "path__asc")],
        &[("sort", "path__asc")],
        &[("sort", "size__desc")],
        &[("size__gteq", "60")],
        &[("size__gteq", "600000000000")],
        &[("state", "D")],
        &[("state", "A"), ("storage_option", "Standard")],
        &[("puid", "fmt/353")],
        &[("sha256", digest.as_str())],
        &[(
            "identifier",
            "lib.example.edu/bag-0/data/collection-000/series-00/item-0000000-master.tif",
        )],
        &[("created_at__lteq", early)],
        &[("updated_at__gteq", early)],
        &[("last_fixity_check__lteq", early)],
        &[("last_fixity_check__gteq", early)],
        &[("page", "400")],
    ] {
        let asked = query(&FILES, pairs);
        watch.time(&format!("files {pairs:.60?}"), || registry.list_files(&asked).unwrap());
    }
    watch.time("files counted exactly", || {
        registry.list_files(&Query::all(&FILES).counting(Counting::Exact)).unwrap()
    });
    watch.time("objects", || registry.list_objects(&Query::all(&OBJECTS)).unwrap());
    watch.time("events", || registry.list_events(&Query::all(&EVENTS)).unwrap());
}

fn looks(watch: &Watch, archive: &Archive, each: usize) {
    let registry = &archive.registry;
    let object = registry.object_by_identifier("lib.example.edu/bag-3").unwrap().unwrap().id;
    let path = path(each * 3 + each / 2);
    let file = watch.time("file by path", || {
        registry.files_by_path(object, &[path.as_str()]).unwrap().remove(0)
    });
    watch.time("file by UUID", || registry.file_by_uuid(file.uuid).unwrap());
    let part = DigestPart::parse("00112233").unwrap();
    watch.time("files by part of a digest", || registry.files_by_digest(&part, 10).unwrap());
    watch.time("events of a file", || {
        registry.list_file_events(file.id, Query::all(&EVENTS)).unwrap()
    });
    let folder = |path: &str| Folder {
        object,
        version: Version(1),
        path: path.to_owned(),
        from: String::new(),
    };
    watch.time("root folder", || registry.folder(&folder(""), 100).unwrap());
    watch.time("one folder", || registry.folder(&folder("data/collection-001"), 100).unwrap());
    watch.time("copies of an object", || registry.copy_counts(object, 100).unwrap());
    for (what, text) in [
        ("search for one name", "item-0000777-master.tif"),
        ("search for a word of every file", "master"),
        ("search for the start of every name", "it"),
        ("search for two frequent words and a rare one", "item master 0000777"),
        ("search for nothing", "zebra"),
    ] {
        watch.time(what, || registry.search(text, Sight::All, 25).unwrap());
    }
    watch.time("all that is held", || registry.held_sums().unwrap());
    watch.time("formats of an object", || registry.format_counts(object, 100).unwrap());
    watch.time("due objects", || {
        registry.due_objects(archive.replicas[0], super::NOW, 2500).unwrap()
    });
    watch.time("all files of an object by path", || {
        let mut seen = 0;
        let mut count = |_| {
            seen += 1;
            Ok::<_, storage::registry::Error>(())
        };
        registry.walk_files(object, Version(1), &mut count).unwrap();
        assert_eq!(seen, each);
    });
    watch.time("check of everything", || assert_eq!(registry.check().unwrap(), []));
}
