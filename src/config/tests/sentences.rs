//! What is refused, and in which words.

use super::*;

#[test]
#[expect(clippy::too_many_lines, reason = "a list of cases")]
fn bad_values_in_the_file_are_refused_in_a_sentence() {
    for (text, sentence) in [
        (
            "[http]\nmax_connections = 0",
            "etc/s.toml line 2: http.max_connections is 0, \
             but it must be a whole number from 1 to 65536",
        ),
        (
            "[pool]\ndisk = \"many\"",
            "etc/s.toml line 2: pool.disk is \"many\", \
             but it must be a whole number from 1 to 256",
        ),
        (
            "data = 7",
            "etc/s.toml line 1: data is 7, but it must be the path of a folder on this machine",
        ),
        (
            "data = \"\"",
            "etc/s.toml line 1: data is \"\", but it must be the path of a folder on this machine",
        ),
        (
            "[restore]\narea = \"s3://bucket/restored\"",
            "etc/s.toml line 2: restore.area is \"s3://bucket/restored\", but it must be the path of \
             a folder on this machine; a relative one is in the data directory",
        ),
        (
            "\n[http]\nlisten = \"example.org:80\"",
            "etc/s.toml line 3: http.listen is \"example.org:80\", but it must be an IP address \
             and a port, such as 127.0.0.1:8600 or [::1]:8600",
        ),
        (
            "http.open_to_network = \"yes\"",
            "etc/s.toml line 1: http.open_to_network is \"yes\", but it must be true or false",
        ),
        (
            "[http]\nhosts = [\n  \"a\",\n  \"http://b\",\n]",
            "etc/s.toml line 2: http.hosts is [ \"a\", \"http://b\", ], but it must be a list of \
             host names without scheme or port, such as [\"archive.example.org\"]",
        ),
        (
            "[health]\ntask_timeout_buffer = 0.5",
            "etc/s.toml line 2: health.task_timeout_buffer is 0.5, \
             but it must be a number of at least 1",
        ),
        (
            "[health]\ntask_timeout_buffer = inf",
            "etc/s.toml line 2: health.task_timeout_buffer is inf, \
             but it must be a number of at least 1",
        ),
        (
            "[log]\nformat = \"xml\"",
            "etc/s.toml line 2: log.format is \"xml\", but it must be \"human\" or \"json\"",
        ),
        (
            "[log]\nlevel = \"inof\"",
            "etc/s.toml line 2: log.level is \"inof\", but it must be off, error, warn, info, \
             debug or trace; a part may differ: \"info,strongroom::http=debug\"",
        ),
        (
            "[stage.assess]\nlease_s = 4",
            "etc/s.toml line 2: stage.assess.lease_s is 4, \
             but it must be a whole number of seconds from 5 to 86400",
        ),
        (
            "[work]\nroom_floor_mb = -1",
            "etc/s.toml line 2: work.room_floor_mb is -1, \
             but it must be a whole number of megabytes from 1 to 1000000000",
        ),
        (
            "[upkeep]\nevery_h = 1.5",
            "etc/s.toml line 2: upkeep.every_h is 1.5, \
             but it must be a whole number of hours from 1 to 8760",
        ),
    ] {
        assert_eq!(refusal(text, &[]), sentence);
    }
}

#[test]
fn stage_numbers_stay_within_their_bounds() {
    for (key, low, high) in [
        ("workers", 1, 64),
        ("buffer", 1, 1000),
        ("max_attempts", 1, 100),
        ("retry_s", 0, 86_400),
        ("lease_s", 5, 86_400),
        ("patience_s", 1, 604_800),
    ] {
        let with = |number: i64| {
            load(&format!("[stage.assess]\n{key} = {number}"), &[], Flags::default()).is_ok()
        };
        let fits = [low - 1, low, high, high + 1].map(with);
        assert_eq!(fits, [false, true, true, false], "{key}");
    }
}

#[test]
fn bad_names_in_the_file_get_a_suggestion() {
    for (text, sentence) in [
        (
            "[http]\n\nlisen = \"127.0.0.1:1\"",
            "etc/s.toml line 3: there is no key `lisen` here; did you mean `listen`?",
        ),
        (
            "[htpp]\nlisten = 1",
            "etc/s.toml line 1: there is no key `htpp` here; did you mean `http`?",
        ),
        (
            "stop_grace_s = 3",
            "etc/s.toml line 1: there is no key `stop_grace_s` here; \
             did you mean `work.stop_grace_s`?",
        ),
        (
            "[pool]\ncolour = 3",
            "etc/s.toml line 2: there is no key `colour` here; it must be one of cpu, disk, net, geo",
        ),
        (
            "[stage.assess]\nworker = 3",
            "etc/s.toml line 2: there is no key `worker` here; did you mean `workers`?",
        ),
        (
            "# a\n[stage.ingest8_record]\nworkers = 3",
            "etc/s.toml line 2: there is no stage `ingest8_record`; \
             did you mean `ingest08_record`?",
        ),
        (
            "[stage.polish]",
            "etc/s.toml line 1: there is no stage `polish`; \
             it must be one of ingest01_prefetch, ingest08_record, assess",
        ),
        ("http = 3", "etc/s.toml line 1: invalid type: integer `3`, expected a section of keys"),
    ] {
        assert_eq!(refusal(text, &[]), sentence);
    }
}

#[test]
fn broken_toml_is_refused_with_line_and_column() {
    for (text, start) in [
        ("[http]\nlisten = 127.0.0.1", "etc/s.toml line 2 column "),
        ("[http\n", "etc/s.toml line 1 column 6: this is not TOML: "),
        (
            "data = \"a\"\ndata = \"b\"",
            "etc/s.toml line 2 column 1: this is not TOML: duplicate key",
        ),
        ("data = \"ä\" x", "etc/s.toml line 1 column "),
    ] {
        let sentence = refusal(text, &[]);
        assert!(sentence.starts_with(start) && !sentence.contains('\n'), "{sentence}");
    }
}

#[test]
fn bad_variables_and_flags_are_refused_by_name() {
    for (env, sentence) in [
        (
            ("HEALTH_PORT", "80a"),
            "environment variable HEALTH_PORT: health.port is \"80a\", \
             but it must be a whole number from 1 to 65535",
        ),
        (
            ("TASK_TIMEOUT_BUFFER", "nan"),
            "environment variable TASK_TIMEOUT_BUFFER: health.task_timeout_buffer is \"nan\", \
             but it must be a number of at least 1",
        ),
        (
            ("INGEST_RECORDER_WORKERS", "65"),
            "environment variable INGEST_RECORDER_WORKERS: stage.ingest08_record.workers is \
             \"65\", but it must be a whole number from 1 to 64",
        ),
        (
            ("HEALTH_PORT", "8600"),
            "environment variable HEALTH_PORT: health.port is 8600, the port of http.listen, \
             which answers /health already; it must be another port, or be left out",
        ),
    ] {
        assert_eq!(refusal("", &[env]), sentence);
    }
    let flags = Flags { listen: Some("8600".to_owned()), ..Flags::default() };
    assert_eq!(
        load("", &[], flags).unwrap_err().to_string(),
        "flag --listen: http.listen is \"8600\", but it must be an IP address and a port, \
         such as 127.0.0.1:8600 or [::1]:8600"
    );
}

#[test]
fn everything_wrong_is_said_at_once() {
    let text = "[http]\nmax_connections = 0\n[pool]\nnet = 0\n[stage.nothing]";
    let sentences = refusal(text, &[("HEARTBEAT_TIMEOUT", "soon")]);
    assert_eq!(sentences.lines().count(), 4, "{sentences}");
}

#[test]
fn a_flag_rescues_a_start_from_a_bad_line() {
    let flags = Flags { listen: Some("127.0.0.1:1".to_owned()), ..Flags::default() };
    let config = load("[http]\nlisten = \"nonsense\"", &[], flags).unwrap();
    assert_eq!(config.http.listen.port(), 1);
}

#[test]
fn the_network_is_refused_until_it_is_allowed() {
    for listen in ["0.0.0.0:80", "[::]:80", "192.168.0.7:80", "[::ffff:10.0.0.1]:80"] {
        let env = [("STRONGROOM_LISTEN", listen)];
        let sentence = refusal("", &env);
        let start = format!(
            "environment variable STRONGROOM_LISTEN: http.listen is {listen}, which other \
             machines can reach, but nothing encrypts what goes there and back"
        );
        assert!(sentence.starts_with(&start), "{sentence}");
        assert!(sentence.contains("open_to_network = true"), "{sentence}");
        load("[http]\nopen_to_network = true", &env, Flags::default()).unwrap();
        let tls = "[http]\ntls_certificate = \"a.pem\"\ntls_key = \"b.pem\"";
        load(tls, &env, Flags::default()).unwrap();
    }
    for listen in ["127.0.0.9:80", "[::1]:80", "[::ffff:127.0.0.1]:80", "localhost:80"] {
        load("", &[("STRONGROOM_LISTEN", listen)], Flags::default()).unwrap();
    }
}

#[test]
fn a_certificate_and_its_key_come_together() {
    let sentence = refusal("http.tls_certificate = \"a.pem\"", &[]);
    assert_eq!(
        sentence,
        "etc/s.toml line 1: http.tls_certificate is set, but http.tls_key is not; it takes both, or \
         neither"
    );
    assert!(refusal("", &[("STRONGROOM_TLS_KEY", "b.pem")]).contains("tls_certificate is not"));
}

#[test]
fn proxies_are_addresses_and_networks() {
    let config = load("http.trusted_proxies = [\"10.0.0.7\", \"fd00::/8\"]", &[], Flags::default());
    assert_eq!(config.unwrap().http.trusted_proxies.len(), 2);
    for bad in ["[\"proxy.example\"]", "[\"10.0.0.0/40\"]", "\"10.0.0.7\"", "[7]"] {
        let sentence = refusal(&format!("http.trusted_proxies = {bad}"), &[]);
        assert!(sentence.contains("a list of IP addresses and networks"), "{sentence}");
    }
}
