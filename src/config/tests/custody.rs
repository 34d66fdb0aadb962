//! Deposits, replicas and options: what is in force, and what is refused alone.

use std::path::PathBuf;
use std::time::Duration;

use super::*;

fn loaded(text: &str) -> Config {
    load(text, &[], Flags::default()).unwrap()
}

fn folder(path: &str) -> Location {
    Location::Folder(DataPath::new(path.into()))
}

#[test]
fn a_fresh_appliance_keeps_two_copies_on_this_machine() {
    let config = plain();
    let replica = |name: &str, url: &str, restore_priority| ReplicaConfig {
        name: name.to_owned(),
        url: folder(url),
        class: ReplicaClass::Hot,
        place: "this machine".to_owned(),
        minimum_retention_days: 0,
        restore_priority,
        fixity_every: None,
    };
    assert_eq!(config.replicas, [replica("a", "vault/a", 1), replica("b", "vault/b", 2)]);
    let standard = OptionConfig {
        name: "Standard".to_owned(),
        replicas: vec!["a".to_owned(), "b".to_owned()],
        minimum_retention_days: 0,
    };
    assert_eq!(config.options, [standard]);
    let ingest = IngestConfig {
        institution: "archive.local".to_owned(),
        institution_name: "Our archive".to_owned(),
        receiving: Location::Folder(DataPath::new("receiving".into())),
        staging: DataPath::new("staging".into()),
        sweep: Duration::from_secs(10),
        still: Duration::from_secs(5),
        keep_turned_away: Some(Duration::from_secs(14 * 86_400)),
        receiving_max_bytes: Some(10_000 << 30),
        max_bag_bytes: 5000 << 30,
        max_files: 10_000_000,
        max_path_bytes: 1024,
        default_option: "Standard".to_owned(),
        profile: ProfileChoice::Named,
    };
    assert_eq!(config.ingest, ingest);
}

#[test]
fn relative_folders_move_with_the_data_directory() {
    let flags = Flags { data: Some("/srv/here".into()), ..Flags::default() };
    let config = load("[ingest]\nstaging = \"/fast/disk\"", &[], flags).unwrap();
    assert_eq!(config.receiving_folder(), Some("/srv/here/receiving".into()));
    assert_eq!(config.staging(), Path::new("/fast/disk"));
    let urls: Vec<_> = config.replicas.iter().map(|replica| &replica.url).collect();
    let [Location::Folder(a), Location::Folder(_)] = urls[..] else { panic!("{urls:?}") };
    assert_eq!(a.within(&config.data), Path::new("/srv/here/vault/a"));
    // As the appliance does once it knows where it is.
    let moved = Config { data: PathBuf::from("/elsewhere"), ..config };
    assert_eq!(moved.receiving_folder(), Some("/elsewhere/receiving".into()));
}

#[test]
fn sections_stand_in_the_order_of_the_file() {
    let config = loaded("[replica.z]\nurl = \"z\"\n[replica.m]\nurl = \"m\"\nclass = \"cold\"");
    let priorities = config.replicas.iter().map(|it| (it.name.as_str(), it.restore_priority));
    assert_eq!(priorities.collect::<Vec<_>>(), [("z", 1), ("m", 2)]);
    assert_eq!(config.option("Standard").unwrap().replicas, ["z", "m"]);
    assert!(config.replica("a").is_none() && config.option("Glacier-OH").is_none());

    let config =
        loaded("[option.Standard]\nreplicas = [\"b\"]\n[option.Attic]\nreplicas = [\"a\"]");
    let names: Vec<_> = config.options.iter().map(|option| option.name.as_str()).collect();
    assert_eq!(names, ["Standard", "Attic"]);
    assert_eq!(config.replicas, plain().replicas);
}

#[test]
fn a_bucket_is_reached_as_its_section_says() {
    let config = loaded(
        "[replica.aws]\nurl = \"s3://vault-va\"\n\
         [replica.near]\nurl = \"s3://vault/a\"\nendpoint = \"https://s3.near.org:9000/\"\n\
         credentials = \"near.ini\"",
    );
    let aws = BucketConfig {
        bucket: "vault-va".to_owned(),
        prefix: String::new(),
        endpoint: None,
        region: "us-east-1".to_owned(),
        path_style: false,
        allow_http: false,
        credentials: Credentials::Environment,
    };
    let near = BucketConfig {
        bucket: "vault".to_owned(),
        prefix: "a".to_owned(),
        endpoint: Some("https://s3.near.org:9000".to_owned()),
        path_style: true,
        credentials: Credentials::File(DataPath::new("near.ini".into())),
        ..aws.clone()
    };
    assert_eq!(config.replicas[0].url, Location::Bucket(aws));
    assert_eq!(config.replicas[1].url, Location::Bucket(near));
    let places: Vec<_> = config.replicas.iter().map(|it| it.place.as_str()).collect();
    assert_eq!(places, ["AWS us-east-1", "s3.near.org:9000"]);
    let row = config.explain().iter().find(|row| row.key == "replica.near.path_style").unwrap();
    assert_eq!((row.value.as_str(), &row.origin), ("true", &Origin::Default));
}

#[test]
fn what_only_buckets_have_is_not_explained_for_folders() {
    let rows = plain().explain().iter().map(|row| row.key.clone()).collect::<Vec<_>>();
    let of_a: Vec<_> = rows.iter().filter_map(|key| key.strip_prefix("replica.a.")).collect();
    let expected = ["url", "class", "place", "minimum_retention_days", "restore_priority"];
    assert_eq!(of_a, expected);
    assert_eq!(rows.iter().filter(|key| key.starts_with("option.")).count(), 2);
}

#[test]
fn described_options_know_their_days_and_replicas_may_lengthen_them() {
    for (name, days) in [
        ("Standard", 0),
        ("Glacier-OH", 90),
        ("Glacier-OR", 90),
        ("Glacier-VA", 90),
        ("Glacier-Deep-OH", 180),
        ("Glacier-Deep-OR", 180),
        ("Glacier-Deep-VA", 180),
        ("Wasabi-OR", 90),
        ("Wasabi-TX", 90),
        ("Wasabi-VA", 90),
        ("Attic", 0),
    ] {
        let with = |more: &str| {
            let text = format!(
                "ingest.default_option = \"{name}\"\n[replica.x]\nurl = \"x\"\n\
                 minimum_retention_days = 100\n[replica.y]\nurl = \"y\"\n\
                 [option.{name}]\n{more}"
            );
            loaded(&text).option(name).unwrap().minimum_retention_days
        };
        assert_eq!(with("replicas = [\"y\"]"), days, "{name}");
        assert_eq!(with("replicas = [\"y\", \"x\"]"), days.max(100), "{name}");
        assert_eq!(with("replicas = [\"y\"]\nminimum_retention_days = 5"), 5, "{name}");
    }
}

#[test]
fn profiles_are_words_or_files() {
    let of = |text: &str| loaded(&format!("ingest.profile = \"{text}\"")).ingest.profile;
    assert_eq!(of("named"), ProfileChoice::Named);
    assert_eq!(of("aptrust"), ProfileChoice::Aptrust);
    assert_eq!(of("btr"), ProfileChoice::Btr);
    assert_eq!(of("bagit"), ProfileChoice::BagIt);
    let file = ProfileChoice::File(DataPath::new("ours.json".into()));
    assert_eq!(of("ours.json"), file);
}

#[test]
fn the_described_interval_has_a_unit() {
    for (text, seconds) in [("10s", 10), ("5m", 300), ("1h", 3600), ("7", 7)] {
        let env = [("INGEST_BUCKET_READER_INTERVAL", text)];
        let config = load("", &env, Flags::default()).unwrap();
        assert_eq!(config.ingest.sweep, Duration::from_secs(seconds), "{text}");
    }
    for text in ["0s", "25h", "10ms", "s", "-1s", "99999999h", "1.5s", "ä"] {
        assert_eq!(
            refusal("", &[("INGEST_BUCKET_READER_INTERVAL", text)]),
            format!(
                "environment variable INGEST_BUCKET_READER_INTERVAL: ingest.sweep_s is \
                 \"{text}\", but it must be a whole number of seconds from 1 to 86400"
            )
        );
    }
}

#[test]
fn bad_values_of_ingest_are_refused() {
    for (key, value, allowed) in [
        ("institution", "\"archive\"", "a name like that of a web site, with a dot in it, "),
        ("institution", "\"a..b\"", "a name like that of a web site, "),
        ("institution", "\"-a.b\"", "a name like that of a web site, "),
        ("institution", "\"a/b.c\"", "a name like that of a web site, "),
        ("institution_name", "\" \"", "one line of text of at most 200 letters"),
        ("institution_name", "\"a\\nb\"", "one line of text of at most 200 letters"),
        ("receiving", "\"\"", "the path of a folder, or a bucket such as \"s3://bucket/prefix\""),
        (
            "staging",
            "\"\"",
            "the path of a folder on this machine; a relative one is in the data directory",
        ),
        ("sweep_s", "0", "a whole number of seconds from 1 to 86400"),
        ("still_s", "3601", "a whole number of seconds from 0 to 3600"),
        ("keep_turned_away_days", "36501", "a whole number of days from 0 to 36500"),
        ("receiving_max_gb", "1000001", "a whole number of gigabytes from 0 to 1000000"),
        ("max_bag_gb", "0", "a whole number of gigabytes from 1 to 1000000"),
        ("max_files", "0", "a whole number from 1 to 1000000000"),
        ("max_path_bytes", "4097", "a whole number from 64 to 4096"),
        ("default_option", "\"a b\"", "the name of a section [option.NAME]"),
        ("profile", "\"aptrsut\"", "\"named\", \"aptrust\", \"btr\", \"bagit\", or a file such as"),
    ] {
        let sentence = refusal(&format!("[ingest]\n{key} = {value}"), &[]);
        let start = format!("etc/s.toml line 2: ingest.{key} is {value}, but it must be {allowed}");
        assert!(sentence.starts_with(&start), "{sentence}");
    }
}

#[test]
fn bad_values_of_a_replica_are_refused() {
    let url = "the path of a folder, or a bucket such as \"s3://bucket/prefix\"";
    for (key, value, allowed) in [
        ("url", "\"\"", url),
        ("url", "\"file:///srv\"", url),
        ("url", "\"s3:/bucket\"", url),
        ("url", "\"S3://bucket\"", url),
        ("url", "\"s3://\"", url),
        ("url", "\"s3://Bucket\"", url),
        ("url", "\"s3://key:secret@bucket\"", url),
        ("url", "\"s3://bucket//a\"", url),
        ("url", "\"s3://bucket/../a\"", url),
        ("url", "\"s3://bucket/a?b\"", url),
        ("endpoint", "\"s3.example.org\"", "an address such as"),
        ("endpoint", "\"https://key@s3.org\"", "an address such as"),
        ("endpoint", "\"https://s3.org/path\"", "an address such as"),
        ("endpoint", "\"https://s3.org:0\"", "an address such as"),
        ("endpoint", "\"https://\"", "an address such as"),
        ("region", "\"\"", "the name of a region"),
        ("path_style", "\"yes\"", "true or false"),
        ("allow_http", "1", "true or false"),
        ("credentials", "\"AKIAIOSFODNN7\"", "\"environment\", or a file such as"),
        ("class", "\"warm\"", "\"hot\" or \"cold\""),
        ("place", "3", "one line of text"),
        ("minimum_retention_days", "-1", "a whole number from 0 to 36500"),
        ("restore_priority", "0", "a whole number from 1 to 1000000"),
    ] {
        let first = if key == "url" { "" } else { "url = \"s3://bucket\"\n" };
        let sentence = refusal(&format!("[replica.x]\n{key} = {value}\n{first}"), &[]);
        let start =
            format!("etc/s.toml line 2: replica.x.{key} is {value}, but it must be {allowed}");
        assert!(sentence.starts_with(&start) && !sentence.contains('\n'), "{sentence}");
    }
    for endpoint in ["https://[::1]:9000", "https://[::1]", "https://localhost", "https://a-b.c:1"]
    {
        loaded(&format!("[replica.x]\nurl = \"s3://bucket\"\nendpoint = \"{endpoint}\""));
    }
}
