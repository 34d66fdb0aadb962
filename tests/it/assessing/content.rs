//! A delivery is known by its content: the same under a name is in use already, other content under it is
//! refused, and what is damaged is replaced.

use std::path::PathBuf;

use nutrients::{Library, Reference, ReferenceError, Table, VersionNote};

use super::*;

/// A library and the folder that deliveries are made in.
struct Shelf {
    dir: tempfile::TempDir,
    library: Library,
}

impl Shelf {
    fn new() -> Shelf {
        let dir = tempfile::tempdir().unwrap();
        let library = Library::open(&dir.path().join("library")).unwrap();
        delivered(&dir.path().join("layers"));
        Shelf { dir, library }
    }

    fn home(&self) -> PathBuf {
        self.dir.path().join("library")
    }

    fn load(&self, version: &str, force: bool) -> Result<VersionNote, ReferenceError> {
        let drop = SourceDrop::in_folder(&self.dir.path().join("layers"), version).unwrap();
        self.library.load(&drop, Strictness::CleanUp, force)
    }

    fn change(&self, layer: &str, sql: &str) {
        let path = self.dir.path().join("layers").join(layer);
        let changed = rusqlite::Connection::open(path).unwrap().execute(sql, []).unwrap();
        assert!(changed > 0);
    }

    /// Another coefficient in one parcel.
    fn change_parcel(&self, coefficient: f64) {
        let sql = format!("UPDATE layer SET N_ResiCoeff = {coefficient} WHERE fid = 7");
        self.change("coefficient_layer.gpkg", &sql);
    }

    /// The names of the versions that are kept, the one in use marked.
    fn kept(&self) -> Vec<(u32, String, bool)> {
        let versions = self.library.versions().unwrap().into_iter();
        versions.map(|it| (it.number, it.data_version, it.is_current)).collect()
    }
}

/// Changes a byte in the middle of a file, in place.
pub(super) fn damage(path: &Path) {
    use std::os::unix::fs::FileExt;
    let file = std::fs::OpenOptions::new().read(true).write(true).open(path).unwrap();
    let at = file.metadata().unwrap().len() / 2;
    let mut byte = [0];
    file.read_exact_at(&mut byte, at).unwrap();
    file.write_all_at(&[byte[0] ^ 0x55], at).unwrap();
}

fn named(number: u32, name: &str, is_current: bool) -> (u32, String, bool) {
    (number, name.to_owned(), is_current)
}

#[test]
fn other_content_under_a_known_name_is_refused_with_its_tables_and_loaded_by_force() {
    let shelf = Shelf::new();
    shelf.load("one", false).unwrap();
    let again = shelf.load("one", false).unwrap_err();
    assert!(matches!(again, ReferenceError::SameVersion(_)), "{again}");
    shelf.change_parcel(12.5);
    let refused = shelf.load("one", false).unwrap_err();
    let ReferenceError::OtherContent { version, tables } = &refused else { panic!("{refused}") };
    assert_eq!((version.as_str(), tables.as_slice()), ("one", &[Table::CoefficientLayer][..]));
    assert!(refused.to_string().contains("coefficient_layer"), "{refused}");
    assert!(!refused.to_string().contains("already"), "{refused}");
    assert_eq!(shelf.kept(), [named(1, "one", true)], "nothing changed, and nothing is left over");

    shelf.load("one", true).unwrap();
    assert_eq!(shelf.kept(), [named(1, "one", false), named(2, "one", true)]);
    let again = shelf.load("one", false).unwrap_err();
    assert!(matches!(again, ReferenceError::SameVersion(_)), "the newer is in use: {again}");
    // A name of the version before is known as well.
    shelf.change_parcel(12.6);
    shelf.load("two", false).unwrap();
    shelf.change_parcel(12.7);
    let refused = shelf.load("one", false).unwrap_err();
    assert!(matches!(refused, ReferenceError::OtherContent { .. }), "{refused}");
    assert_eq!(shelf.kept(), [named(2, "one", false), named(3, "two", true)]);
}

#[test]
fn the_same_content_is_in_use_already_though_its_files_differ_in_bytes() {
    let shelf = Shelf::new();
    shelf.load("one", false).unwrap();
    let layer = shelf.dir.path().join("layers/coefficient_layer.gpkg");
    let before = std::fs::read(&layer).unwrap();
    let sql = "UPDATE gpkg_contents SET last_change = '2026-06-01T00:00:00.000Z'";
    shelf.change("coefficient_layer.gpkg", sql);
    assert_ne!(std::fs::read(&layer).unwrap(), before);
    let again = shelf.load("one", false).unwrap_err();
    assert!(matches!(again, ReferenceError::SameVersion(_)), "{again}");
    assert_eq!(shelf.kept(), [named(1, "one", true)]);
}

#[test]
fn the_same_delivery_replaces_a_damaged_version_which_is_no_way_back() {
    let shelf = Shelf::new();
    shelf.load("one", false).unwrap();
    shelf.change_parcel(12.5);
    shelf.load("two", false).unwrap();
    damage(&shelf.home().join("version-000002/coefficient_layer.layer"));
    let note = shelf.load("two", false).unwrap();
    assert_eq!(note.number, 3, "what is damaged is not in use already");
    assert_eq!(shelf.kept(), [named(1, "one", false), named(3, "two", true)]);
    assert_eq!(Reference::open(&shelf.home()).unwrap().verify().unwrap(), []);
    let back = shelf.library.roll_back().unwrap();
    assert_eq!((back.from, back.to), (3, 1), "the damaged one is not what one goes back to");
}

#[test]
fn damaged_descriptions_and_lookups_are_told_and_keep_no_delivery_out() {
    let shelf = Shelf::new();
    shelf.load("one", false).unwrap();
    let is_damaged = |file: &str| {
        let refused = Reference::open(&shelf.home()).unwrap_err();
        let ReferenceError::Damaged { path, .. } = &refused else { panic!("{refused}") };
        assert!(path.ends_with(file), "{refused}");
    };
    // Still JSON, and another number: it must not be believed.
    let lookups = shelf.home().join("version-000001/lookups.json");
    let text = std::fs::read_to_string(&lookups).unwrap();
    assert!(text.contains("120.0"));
    byteio::durable::write(&lookups, text.replace("120.0", "121.0").as_bytes(), false).unwrap();
    is_damaged("lookups.json");
    shelf.load("one", false).unwrap();

    let manifest = shelf.home().join("version-000002/manifest.json");
    byteio::durable::write(&manifest, b"{\"data_version\":", false).unwrap();
    is_damaged("manifest.json");
    let [note] = &shelf.library.versions().unwrap()[..] else { panic!("{:?}", shelf.kept()) };
    assert!(note.is_current && note.data_version.contains("damaged"), "{note:?}");
    shelf.load("one", false).unwrap();

    byteio::durable::write(&shelf.home().join("active.json"), b"\0\0\0\0", false).unwrap();
    is_damaged("active.json");
    assert_eq!(
        shelf.kept(),
        [named(3, "one", false)],
        "it is shown, and which is in use is not known"
    );
    shelf.load("two", false).unwrap();
    assert_eq!(Reference::open(&shelf.home()).unwrap().version(), "two");

    std::fs::remove_file(shelf.home().join("version-000004/nn_catchments.layer")).unwrap();
    is_damaged("nn_catchments.layer");
}
