//! Keys that name a folder or file take no address: `s3://bucket` would become a folder of that name.

use super::*;

/// Keys that take an address of this scheme: buckets, and free text.
const TAKE: [(&str, &[&str]); 3] = [
    (
        "s3://bucket/prefix",
        &[
            "ingest.institution_name",
            "ingest.receiving",
            "replica.copy.place",
            "replica.copy.url",
            "replica.far.place",
            "replica.far.url",
        ],
    ),
    ("file:///srv/x", &["ingest.institution_name", "replica.copy.place", "replica.far.place"]),
    (
        "https://example.org/x",
        &[
            "assess.callback_url",
            "ingest.institution_name",
            "replica.copy.place",
            "replica.far.place",
            "webhook.url",
        ],
    ),
];

/// Which keys take this text as their value, alone or in a list.
fn takers(keys: &[String], value: &str) -> Vec<String> {
    let taken = |key: &&String| {
        let written = |value: String| {
            // Only what is said of this key counts, not what is missing beside it.
            match load(&format!("{}{key} = {value}\n", beside(key)), &[], Flags::default()) {
                Ok(_) => true,
                Err(error) => !error.to_string().contains(&format!("{key} is ")),
            }
        };
        written(format!("{value:?}")) || written(format!("[{value:?}]"))
    };
    keys.iter().filter(taken).cloned().collect()
}

/// What a key needs beside it to be read: how a bucket is reached is asked of a bucket only.
fn beside(key: &str) -> String {
    match key.split('.').collect::<Vec<_>>()[..] {
        ["replica", name, field] if field != "url" => {
            format!("replica.{name}.url = \"s3://vault-1/copies\"\n")
        }
        ["receiving", _] => "ingest.receiving = \"s3://inbox/in\"\n".to_owned(),
        _ => String::new(),
    }
}

#[test]
fn no_key_that_names_a_path_takes_an_address() {
    let config = load(layers::EVERY_KEY, &[], Flags::default()).unwrap();
    let keys: Vec<String> = config.explain().iter().map(|row| row.key.clone()).collect();
    for path in ["data", "restore.area", "ingest.staging", "mail.spool", "http.tls_key"] {
        assert!(keys.iter().any(|key| key == path), "{path}");
    }
    for (value, expected) in TAKE {
        let mut taken = takers(&keys, value);
        taken.sort();
        assert_eq!(taken, expected, "{value}");
    }
}

#[test]
fn names_that_only_look_like_addresses_are_paths() {
    for name in ["/srv/s3:/x", "a:b", ":/x", "9p:/x", "./s3:/x"] {
        let config = load(&format!("restore.area = {name:?}"), &[], Flags::default()).unwrap();
        assert_eq!(config.restore.area.written(), Path::new(name));
    }
    for name in ["s3://bucket", "S3:/bucket", "file:///srv", "https://a.b/c"] {
        let flags = Flags { data: Some(name.into()), ..Flags::default() };
        let error = Config::load(&flags, &Surroundings::BARE, KNOWN).unwrap_err().to_string();
        assert!(error.contains("must be the path of a folder on this machine"), "{error}");
    }
}

#[test]
fn the_other_name_of_a_stages_variable_is_understood() {
    let stage = KnownStage { topic: "ingest04_staging", env: Some("INGEST_STAGING_UPLOADER") };
    let attempts = |env: &[(&str, &str)]| {
        let env: BTreeMap<_, _> = env.iter().copied().collect();
        let env = |name: &str| env.get(name).map(OsString::from);
        let around = Surroundings { env: &env, ..Surroundings::BARE };
        let config = Config::load(&Flags::default(), &around, &[stage]).unwrap();
        config.stage("ingest04_staging").max_attempts
    };
    assert_eq!(attempts(&[("STAGING_UPLOADER_MAX_ATTEMPTS", "7")]), Some(7));
    let both =
        [("STAGING_UPLOADER_MAX_ATTEMPTS", "7"), ("INGEST_STAGING_UPLOADER_MAX_ATTEMPTS", "5")];
    assert_eq!(attempts(&both), Some(5));
}
