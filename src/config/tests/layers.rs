//! Which value is in force, and where it came from.

use std::time::Duration;

use tracing::level_filters::LevelFilter;

use super::*;
use crate::config::meant::QuietHours;

#[test]
fn defaults_are_those_of_the_product_page() {
    let config = plain();
    assert_eq!(config.data, Path::new("./strongroom-data"));
    assert_eq!(config.file, None);
    assert_eq!(config.http.listen, "127.0.0.1:8600".parse().unwrap());
    assert!(config.http.hosts.is_empty() && !config.http.open_to_network);
    assert_eq!(config.http.max_connections, 512);
    assert_eq!(config.http.header_timeout, Duration::from_secs(10));
    assert_eq!(config.http.body_limit_bytes, 8 << 20);
    assert_eq!(config.http.upload_idle, Duration::from_secs(60));
    let health = HealthConfig {
        port: None,
        heartbeat_timeout: Duration::from_secs(120),
        task_timeout_buffer: 1.5,
    };
    assert_eq!(config.health, health);
    assert_eq!(config.log.format, LogFormat::Human);
    assert_eq!(config.log.level, LogFilter { everything: LevelFilter::INFO, parts: vec![] });
    assert_eq!(config.work.room_floor_bytes, 256 << 20);
    assert_eq!(config.work.stop_grace, Duration::from_secs(20));
    assert_eq!(config.pool, PoolConfig { cpu: 2, disk: 2, net: 4, geo: 2 });
    assert_eq!(config.upkeep, UpkeepConfig { every: Duration::from_secs(86_400), keep: 7 });
    assert_eq!(config.stage("ingest08_record"), StageOverrides::default());
    assert!(config.explain().iter().all(|row| row.origin == Origin::Default));
}

#[test]
fn a_machine_of_any_size_has_a_default() {
    for (cores, cpu) in [(0, 1), (8, 8), (5000, 1024)] {
        let around = Surroundings { cores, ..Surroundings::BARE };
        let config = Config::load(&Flags::default(), &around, &[]).unwrap();
        assert_eq!(config.pool.cpu, cpu);
        let row = config.explain().iter().find(|row| row.key == "pool.cpu").unwrap();
        assert_eq!((row.value.as_str(), &row.origin), (cpu.to_string().as_str(), &Origin::Default));
    }
}

#[test]
fn later_layers_win_and_are_remembered() {
    let file = "[http]\nlisten = \"127.0.0.1:1\"\n[log]\nlevel = \"warn\"\n";
    let from = |env: &[(&str, &str)], listen: Option<&str>| {
        let flags = Flags { listen: listen.map(str::to_owned), ..Flags::default() };
        let config = load(file, env, flags).unwrap();
        (config.http.listen.port(), origin(&config, "http.listen"))
    };
    let env = [("STRONGROOM_LISTEN", "127.0.0.1:2")];
    assert_eq!(from(&[], None), (1, Origin::File(PATH.into())));
    assert_eq!(from(&env, None), (2, Origin::Env("STRONGROOM_LISTEN".to_owned())));
    assert_eq!(from(&env, Some("localhost:3")), (3, Origin::Flag("--listen")));
    assert_eq!(from(&[("STRONGROOM_LISTEN", "")], None), (1, Origin::File(PATH.into())));
    let config = load(file, &[], Flags::default()).unwrap();
    assert_eq!(origin(&config, "log.level"), Origin::File(PATH.into()));
    assert_eq!(origin(&config, "log.format"), Origin::Default);
    assert_eq!(config.file.as_deref(), Some(Path::new(PATH)));
}

pub(super) const EVERY_KEY: &str = r#"
    data = "/srv/archive"
    [http]
    listen = "0.0.0.0:80"
    hosts = ["Archive.Example.org", "10.0.0.5", "[::1]"]
    public_url = "https://archive.example.org/"
    max_connections = 1
    header_timeout_s = 2
    body_limit_mb = 3
    upload_idle_s = 9
    answer_idle_s = 10
    max_connections_per_address = 11
    streams_per_user = 15
    streams_per_address = 16
    export_spool_mb = 17
    requests_per_minute = 12
    address_failures_per_hour = 13
    account_failures_per_hour = 14
    tls_certificate = "/etc/ssl/cert.pem"
    tls_key = "/etc/ssl/key.pem"
    trusted_proxies = ["10.0.0.1/32", "fd00::/8"]
    proxy_headers = "forwarded"
    open_to_network = true
    [health]
    port = 8085
    heartbeat_timeout_s = 4
    task_timeout_buffer = 2
    [log]
    format = "json"
    level = "warn, strongroom::http=debug"
    [work]
    room_floor_mb = 5
    stop_grace_s = 0
    [pool]
    cpu = 6
    disk = 7
    net = 8
    geo = 5
    [accounts]
    require_second_factor = true
    [research]
    lease_s = 600
    offer_s = 599
    clips = 7
    spare = 0
    present_s = 60
    tries = 3
    aired_first = true
    researchers = 2
    media_folders = ["/srv/podcasts"]
    media_limit_mb = 100
    media_timeout_s = 60
    own_networks = ["10.0.0.0/8"]
    feed_pace_ms = 0
    feed_pace_spread_ms = 1
    feed_limit_mb = 1
    feed_timeout_s = 2
    feed_robots = false
    [fixity]
    every_days = 60
    sweep_s = 900
    files_per_sweep = 100
    budget_mb_s = 20
    quiet_hours = "22:00-06:30"

    [upkeep]
    every_h = 9
    keep = 10
    [ingest]
    institution = "Test.EDU"
    institution_name = " The Test Archive "
    receiving = "s3://inbox/in"
    staging = "desk"
    sweep_s = 17
    still_s = 0
    keep_turned_away_days = 18
    receiving_max_gb = 24
    max_bag_gb = 19
    max_files = 20
    max_path_bytes = 64
    default_option = "Twice"
    profile = "profiles/ours.json"
    [alerts]
    away_s = 22
    room_percent = 23
    stalled_h = 24
    waiting_h = 28
    fixity_grace_days = 25
    [deletion]
    cooling_off_h = 29
    [mail]
    smtp = "mail.example.org:465"
    security = "tls"
    credentials = "keys/mail.txt"
    from = "room@example.org"
    timeout_s = 26
    [webhook]
    url = "https://example.org/alerts?for=us"
    allow_http = false
    secret = "keys/hook.txt"
    timeout_s = 27
    [assess]
    method = "B"
    coverage_floor_percent = 80
    area_max_ha = 5000
    callback_url = "http://127.0.0.1:9001/api"
    callback_allow_http = true
    callback_key = "keys/assess.txt"
    callback_timeout_s = 28
    callback_schema = "3"
    levy_tables = "levy.json"
    inputs = "/srv/inputs"
    [sqs]
    queue = "jobs"
    region = "eu-west-1"
    endpoint = "http://127.0.0.1:4566"
    allow_http = true
    wait_s = 5
    visibility_s = 60
    credentials = "keys/sqs.ini"
    [receiving]
    endpoint = "https://s3.near.org"
    region = "eu-west-1"
    path_style = true
    allow_http = false
    credentials = "keys/near.ini"
    [restore]
    area = "given-back"
    keep_days = 30
    rehearse_every_days = 3
    rehearse_max_gb = 2
    [replica.far]
    url = "s3://vault-1/copies/a/"
    endpoint = "http://127.0.0.1:9000/"
    region = "eu-west-3"
    path_style = false
    allow_http = true
    credentials = "keys/far.ini"
    class = "cold"
    place = "Lyon"
    minimum_retention_days = 30
    restore_priority = 7
    fixity_every_days = 45
    [replica.copy]
    url = "/mnt/copy"
    class = "hot"
    place = "the cellar"
    minimum_retention_days = 0
    restore_priority = 1
    fixity_every_days = 45
    [option.Twice]
    replicas = ["copy", "far"]
    minimum_retention_days = 21
    [stage.ingest08_record]
    workers = 11
    buffer = 12
    max_attempts = 13
    retry_s = 14
    lease_s = 15
    patience_s = 16
"#;

#[test]
fn every_key_can_be_written() {
    let config = load(EVERY_KEY, &[], Flags::default()).unwrap();
    assert_eq!(config.data, Path::new("/srv/archive"));
    assert_eq!(config.http.hosts, ["archive.example.org", "10.0.0.5", "[::1]"]);
    assert_eq!(config.health.port, Some(8085));
    assert_eq!(config.health.task_timeout_buffer, 2.0);
    let parts = vec![("strongroom::http".to_owned(), LevelFilter::DEBUG)];
    assert_eq!(config.log.level, LogFilter { everything: LevelFilter::WARN, parts });
    let stage = StageOverrides {
        workers: Some(11),
        buffer: Some(12),
        max_attempts: Some(13),
        retry: Some(Duration::from_secs(14)),
        lease: Some(Duration::from_secs(15)),
        patience: Some(Duration::from_secs(16)),
    };
    assert_eq!(config.stage("ingest08_record"), stage);
    let quiet = QuietHours { from_min: 22 * 60, until_min: 6 * 60 + 30 };
    assert_eq!((config.fixity.quiet_hours, config.fixity.budget_bytes_s), (Some(quiet), 20 << 20));
    assert_eq!(config.fixity_every("far").as_secs(), 45 * 86_400);
    assert_eq!(config.ingest.institution, "test.edu");
    assert_eq!(config.ingest.institution_name, "The Test Archive");
    assert_eq!(config.ingest.max_bag_bytes, 19 << 30);
    let restore = &config.restore;
    assert_eq!(config.restoration_folder(), Path::new("/srv/archive/given-back"));
    assert_eq!((restore.keep.as_secs(), restore.rehearse_max_bytes), (30 * 86_400, 2 << 30));
    let [far, copy] = &config.replicas[..] else { panic!("{:?}", config.replicas) };
    let Location::Bucket(bucket) = &far.url else { panic!("{far:?}") };
    assert_eq!((bucket.bucket.as_str(), bucket.prefix.as_str()), ("vault-1", "copies/a"));
    assert_eq!(bucket.endpoint.as_deref(), Some("http://127.0.0.1:9000"));
    assert!(bucket.allow_http && !bucket.path_style);
    assert_eq!((far.class, far.restore_priority), (ReplicaClass::Cold, 7));
    assert_eq!((copy.class, copy.place.as_str()), (ReplicaClass::Hot, "the cellar"));
    assert_eq!(config.option("Twice").unwrap().minimum_retention_days, 30);
    assert_eq!(config.mail.smtp, Some(("mail.example.org".into(), 465)));
    assert_eq!((config.alerts.room_percent, config.mail.is_on()), (23, true));
    assert_eq!((config.assess.method, config.pool.geo), ("B", 5));
    // A spool stands in the place of a mail server, never beside it.
    let rows: Vec<_> = config.explain().iter().filter(|row| row.key != "mail.spool").collect();
    assert!(rows.iter().all(|row| row.origin == Origin::File(PATH.into())));
    assert_eq!(rows.len(), EVERY_KEY.lines().filter(|line| line.contains('=')).count());
}

#[test]
fn the_health_port_is_the_described_one_where_its_variable_has_no_value() {
    let port = |env: &[(&str, &str)]| load("", env, Flags::default()).unwrap().health.port;
    assert_eq!(port(&[("HEALTH_PORT", "")]), Some(8085));
    assert_eq!(port(&[("HEALTH_PORT", "9000")]), Some(9000));
    assert_eq!(port(&[("HEARTBEAT_TIMEOUT", "")]), None, "others are as if they were not set");
    let both = load("[health]\nport = 9001", &[("HEALTH_PORT", "")], Flags::default()).unwrap();
    assert_eq!(both.health.port, Some(8085), "a variable goes before the file");
}

#[test]
fn the_described_variables_of_sqs_are_understood() {
    let sqs = |env: &[(&str, &str)]| load("", env, Flags::default()).map(|it| it.sqs);
    assert_eq!(sqs(&[]).unwrap().queue, None, "it is off by default");
    let named = sqs(&[("SQS_QUEUE_NAME", "")]).unwrap();
    assert_eq!(named.queue.as_deref(), Some("nrf_impact_assessment_queue"));
    let (wait, visibility) = (named.wait.as_secs(), named.visibility.as_secs());
    assert_eq!((named.region.as_str(), wait, visibility), ("eu-west-2", 20, 300));
    assert_eq!(named.pause.as_secs(), 5, "what fails for a moment is tried again as described");
    let all = sqs(&[
        ("SQS_QUEUE_NAME", "jobs"),
        ("REGION", "eu-west-1"),
        ("SQS_ENDPOINT", "https://sqs.example.org"),
        ("SQS_WAIT_TIME_SECONDS", "0"),
        ("SQS_VISIBILITY_TIMEOUT", "43200"),
    ])
    .unwrap();
    assert_eq!(all.endpoint.as_deref(), Some("https://sqs.example.org"));
    let (wait, visibility) = (all.wait.as_secs(), all.visibility.as_secs());
    assert_eq!((all.region.as_str(), wait, visibility), ("eu-west-1", 0, 43_200));
    for (name, value) in [("SQS_WAIT_TIME_SECONDS", "21"), ("SQS_VISIBILITY_TIMEOUT", "29")] {
        assert!(sqs(&[(name, value)]).is_err(), "{name}");
    }
    // Where no queue is asked, a variable that other programs have as well refuses nothing.
    assert!(sqs(&[("REGION", "the north, mostly")]).is_ok());
    assert!(sqs(&[("REGION", "the north, mostly"), ("SQS_QUEUE_NAME", "jobs")]).is_err());
    let open = [("SQS_ENDPOINT", "http://10.0.0.7:4566"), ("SQS_QUEUE_NAME", "jobs")];
    let told = sqs(&open).unwrap_err().to_string();
    assert!(told.contains("allow_http = true in section [sqs]"), "{told}");
}

#[test]
fn the_described_systems_variables_are_understood() {
    let env = [
        ("STRONGROOM_DATA", "/srv/a"),
        ("HEALTH_PORT", " 8085 "),
        ("HEARTBEAT_TIMEOUT", "60"),
        ("TASK_TIMEOUT_BUFFER", "2.25"),
        ("STRONGROOM_LOG_FORMAT", "json"),
        ("INGEST_PRE_FETCH_WORKERS", "4"),
        ("INGEST_RECORDER_BUFFER_SIZE", "40"),
        ("INGEST_RECORDER_MAX_ATTEMPTS", "5"),
    ];
    let config = load("[stage.ingest01_prefetch]\nworkers = 2", &env, Flags::default()).unwrap();
    assert_eq!(config.data, Path::new("/srv/a"));
    assert_eq!(config.health.port, Some(8085));
    assert_eq!(config.health.heartbeat_timeout, Duration::from_secs(60));
    assert_eq!(config.health.task_timeout_buffer, 2.25);
    assert_eq!(config.log.format, LogFormat::Json);
    assert_eq!(config.stage("ingest01_prefetch").workers, Some(4));
    assert_eq!(config.stage("ingest08_record").buffer, Some(40));
    assert_eq!(config.stage("ingest08_record").max_attempts, Some(5));
    let rows = config.explain().iter().map(|row| row.key.as_str());
    let changed: Vec<_> = rows.filter_map(|key| key.strip_prefix("stage.")).collect();
    let expected =
        ["ingest01_prefetch.workers", "ingest08_record.buffer", "ingest08_record.max_attempts"];
    assert_eq!(changed, expected);
}

#[test]
fn log_levels_of_both_systems() {
    for (env, expected) in [
        (&[("LOG_LEVEL", "CRITICAL")][..], LevelFilter::ERROR),
        (&[("LOG_LEVEL", "WARNING")], LevelFilter::WARN),
        (&[("LOG_LEVEL", "NOTICE")], LevelFilter::INFO),
        (&[("LOG_LEVEL", "DEBUG")], LevelFilter::DEBUG),
        (&[("LOG_LEVEL", "DEBUG"), ("STRONGROOM_LOG", "off")], LevelFilter::OFF),
    ] {
        let config = load("", env, Flags::default()).unwrap();
        assert_eq!(config.log.level.everything, expected, "{env:?}");
    }
}

#[test]
fn the_file_is_found_where_it_was_named_or_in_the_data_directory() {
    let (beside, named, other) =
        (Path::new("d/strongroom.toml"), Path::new("n.toml"), Path::new("e.toml"));
    let files = BTreeMap::from([
        (beside, "[pool]\nnet = 11"),
        (named, "[pool]\nnet = 12"),
        (other, "[pool]\nnet = 13"),
    ]);
    let net = |env: &[(&str, &str)], config: Option<&str>| {
        let flags = Flags { config: config.map(Into::into), ..Flags::default() };
        load_from(&files, env, flags).unwrap().pool.net
    };
    assert_eq!(net(&[], None), 4);
    assert_eq!(net(&[("STRONGROOM_DATA", "d")], None), 11);
    assert_eq!(net(&[("STRONGROOM_DATA", "d"), ("STRONGROOM_CONFIG", "e.toml")], None), 13);
    assert_eq!(net(&[("STRONGROOM_CONFIG", "e.toml")], Some("n.toml")), 12);
    let flags = Flags { data: Some("d".into()), ..Flags::default() };
    assert_eq!(load_from(&files, &[], flags).unwrap().pool.net, 11);
}

#[test]
fn a_file_that_was_named_must_be_there() {
    let flags = Flags { config: Some("gone.toml".into()), ..Flags::default() };
    let error = load_from(&BTreeMap::new(), &[], flags).unwrap_err();
    assert_eq!(error.to_string(), "cannot read the configuration file gone.toml");
    assert!(std::error::Error::source(&error).is_some());
}

#[test]
fn a_file_in_the_data_directory_cannot_move_it() {
    let path = Path::new("./strongroom-data/strongroom.toml");
    let files = BTreeMap::from([(path, "data = \"/elsewhere\"")]);
    let sentence = load_from(&files, &[], Flags::default()).unwrap_err().to_string();
    assert_eq!(
        sentence,
        "./strongroom-data/strongroom.toml line 1: data is \"/elsewhere\", but this file was found in \
         the data directory \"./strongroom-data\" and cannot name another; use --data, \
         STRONGROOM_DATA, or a file named with --config"
    );
}

#[cfg(unix)]
#[test]
fn a_folder_may_have_any_name_its_system_allows() {
    use std::os::unix::ffi::OsStringExt;
    let odd = OsString::from_vec(b"/srv/\xff".to_vec());
    let env = |name: &str| (name == "STRONGROOM_DATA").then(|| odd.clone());
    let around = Surroundings { env: &env, ..Surroundings::BARE };
    let config = Config::load(&Flags::default(), &around, &[]).unwrap();
    assert_eq!(config.data.as_os_str(), odd);
}

#[test]
fn values_are_explained_as_they_would_be_written() {
    let env = [("STRONGROOM_DATA", "/srv/\"a\""), ("STRONGROOM_LOG", "warn,a=debug")];
    let config = load("[http]\nhosts = [\"a.b\", \"c\"]", &env, Flags::default()).unwrap();
    let value =
        |key: &str| config.explain().iter().find(|row| row.key == key).unwrap().value.clone();
    assert_eq!(value("data"), r#""/srv/\"a\"""#);
    assert_eq!(value("http.hosts"), r#"["a.b", "c"]"#);
    assert_eq!(value("log.level"), r#""warn,a=debug""#);
    assert_eq!(value("health.port"), "not set");
    // Written back into a file, an explanation means the same.
    let text: String = config
        .explain()
        .iter()
        .filter(|row| row.value != "not set")
        .map(|row| format!("{} = {}\n", row.key, row.value))
        .collect();
    let again = load(&text, &[], Flags::default()).unwrap();
    assert_eq!(
        (&again.ingest, &again.replicas, &again.options),
        (&config.ingest, &config.replicas, &config.options)
    );
    assert_eq!((again.http, again.log, again.data), (config.http, config.log, config.data));
}

#[test]
fn the_real_file_is_read_from_the_real_disk() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("strongroom.toml");
    io::Write::write_all(&mut std::fs::File::create(&path).unwrap(), b"pool.net = 9").unwrap();
    let flags = Flags { config: Some(path.clone()), ..Flags::default() };
    let config = Config::of_this_machine(&flags, KNOWN).unwrap();
    assert_eq!((config.pool.net, config.file), (9, Some(path)));
}
