//! Deposits, replicas and options: names, and what is refused beside something else.

use super::*;

#[test]
fn names_of_sections_are_plain_and_complete() {
    for (text, sentence) in [
        (
            "[replica.\"a b\"]\nurl = \"x\"",
            "etc/s.toml line 1: section [replica.\"a b\"] has a name it cannot have; \
             it must be 1 to 40 letters, digits, - or _",
        ),
        (
            "[option.\"\"]\nreplicas = [\"a\"]",
            "etc/s.toml line 1: section [option.\"\"] has a name it cannot have; \
             it must be 1 to 40 letters, digits, - or _",
        ),
        (
            "# one\n[replica.x]\nclass = \"cold\"",
            "etc/s.toml line 2: section [replica.x] has no url; it must be the path of a folder, \
             or a bucket such as \"s3://bucket/prefix\"",
        ),
        (
            "[option.Standard]",
            "etc/s.toml line 1: section [option.Standard] has no replicas; it must be a list of \
             names of replicas, at least one and each once, such as [\"a\", \"b\"]",
        ),
        (
            "[replica.x]\nurll = \"x\"",
            "etc/s.toml line 2: there is no key `urll` here; did you mean `url`?",
        ),
        (
            "[replicas.x]\nurl = \"x\"",
            "etc/s.toml line 1: there is no key `replicas` here; did you mean `replica`?",
        ),
        (
            "[option.Standard]\nreplica = [\"a\"]",
            "etc/s.toml line 2: there is no key `replica` here; did you mean `replicas`?",
        ),
        (
            "[option.glacier-oh]\nreplicas = [\"a\"]\n[option.Standard]\nreplicas = [\"a\"]",
            "etc/s.toml line 1: there is no option `glacier-oh`; did you mean `Glacier-OH`?",
        ),
        (
            "[replica]\nurl = \"x\"",
            "etc/s.toml line 2: invalid type: string \"x\", expected a section of keys",
        ),
    ] {
        assert_eq!(refusal(text, &[]), sentence);
    }
}

#[test]
fn an_option_names_replicas_that_are_there() {
    let list = "a list of names of replicas, at least one and each once, such as [\"a\", \"b\"]";
    for (names, sentence) in [
        ("[]", format!("option.Standard.replicas is [], but it must be {list}")),
        (
            "[\"a\", \"a\"]",
            format!("option.Standard.replicas is [\"a\", \"a\"], but it must be {list}"),
        ),
        ("\"a\"", format!("option.Standard.replicas is \"a\", but it must be {list}")),
        (
            "[\"a\", \"attic\"]",
            "option.Standard.replicas names `attic`, but there is no such replica; \
             it must be one of a, b"
                .to_owned(),
        ),
    ] {
        let text = format!("\n[option.Standard]\nreplicas = {names}");
        assert_eq!(refusal(&text, &[]), format!("etc/s.toml line 3: {sentence}"));
    }
    let text = "[replica.attic]\nurl = \"x\"\n[option.Standard]\nreplicas = [\"atic\"]";
    assert_eq!(
        refusal(text, &[]),
        "etc/s.toml line 4: option.Standard.replicas names `atic`, but there is no such replica; \
         did you mean `attic`?"
    );
}

#[test]
fn the_default_option_is_configured() {
    let only = "[option.Glacier-OH]\nreplicas = [\"a\"]\n";
    assert_eq!(
        refusal(only, &[]),
        "default: ingest.default_option is \"Standard\", but there is no such option; \
         it must be one of Glacier-OH"
    );
    let near = format!("{only}[ingest]\ndefault_option = \"Glacier-HO\"");
    assert_eq!(
        refusal(&near, &[]),
        "etc/s.toml line 4: ingest.default_option is \"Glacier-HO\", but there is no such option; \
         did you mean `Glacier-OH`?"
    );
}

#[test]
fn everything_has_a_place_of_its_own() {
    for (text, sentence) in [
        (
            "[replica.x]\nurl = \"v\"\n[replica.y]\nurl = \"./w/../v/\"",
            "line 4: replica.y.url is \"./w/../v/\", the same as replica.x.url",
        ),
        (
            "[replica.x]\nurl = \"v/x\"\n[replica.y]\nurl = \"v\"",
            "line 4: replica.y.url is \"v\", around replica.x.url",
        ),
        (
            "[replica.x]\nurl = \"s3://bucket/a\"\n[replica.y]\nurl = \"s3://bucket/a/\"",
            "line 4: replica.y.url is \"s3://bucket/a\", the same as replica.x.url",
        ),
        (
            "[replica.x]\nurl = \"s3://bucket\"\n[replica.y]\nurl = \"s3://bucket/a\"",
            "line 4: replica.y.url is \"s3://bucket/a\", inside replica.x.url",
        ),
        (
            "[replica.x]\nurl = \"staging/x\"",
            "line 2: replica.x.url is \"staging/x\", inside ingest.staging",
        ),
        (
            "[ingest]\nstaging = \"vault\"\n[replica.b]\nurl = \"/b\"\n[replica.a]\n\
             url = \"vault/a\"",
            "line 6: replica.a.url is \"vault/a\", inside ingest.staging",
        ),
        (
            "[ingest]\nstaging = \"vault/b\"",
            "line 2: ingest.staging is \"vault/b\", the same as replica.b.url",
        ),
        (
            "[ingest]\nreceiving = \".\"",
            "line 2: ingest.receiving is \".\", the same as the data directory",
        ),
        (
            "[ingest]\nreceiving = \"work/in\"",
            "line 2: ingest.receiving is \"work/in\", inside \"work\", which is the appliance's own",
        ),
    ] {
        let sentences = refusal(text, &[]);
        let expected = format!("etc/s.toml {sentence}; each must have a place of its own");
        assert!(sentences.lines().any(|line| line == expected), "{sentences}\n{expected}");
    }
    let flags = Flags { data: Some("/srv/a".into()), ..Flags::default() };
    let sentence = load("[replica.x]\nurl = \"/srv\"", &[], flags).unwrap_err().to_string();
    assert!(
        sentence.contains("replica.x.url is \"/srv\", around the data directory"),
        "{sentence}"
    );
}

#[test]
fn neighbours_are_no_trouble() {
    for text in [
        "[replica.x]\nurl = \"v\"\n[replica.y]\nurl = \"v2\"",
        "[replica.x]\nurl = \"s3://bucket/a\"\n[replica.y]\nurl = \"s3://bucket/ab\"",
        "[replica.x]\nurl = \"s3://bucket\"\n[replica.y]\nurl = \"s3://bucket\"\n\
         endpoint = \"https://other.org\"",
        "[ingest]\nreceiving = \"../in\"\n[replica.x]\nurl = \"s3://receiving\"",
        "[replica.x]\nurl = \"workshop\"",
    ] {
        load(text, &[], Flags::default()).unwrap();
    }
}

#[test]
fn what_a_folder_cannot_use_is_refused() {
    let text = "[replica.x]\nurl = \"bucket/prefix\"\nendpoint = \"https://s3.org\"\n\
                region = \"eu\"";
    let after = "is set, but replica.x.url is a folder; write replica.x.url as \
                 s3://bucket/prefix, or leave this key out";
    assert_eq!(
        refusal(text, &[]),
        format!(
            "etc/s.toml line 3: replica.x.endpoint {after}\n\
             etc/s.toml line 4: replica.x.region {after}"
        )
    );
}

#[test]
fn a_receiving_bucket_is_held_to_the_same_rules_as_a_replica() {
    let bucket = "[ingest]\nreceiving = \"s3://inbox/drop\"\n";
    for (text, words) in [
        (
            "[receiving]\nregion = \"eu\"".to_owned(),
            "receiving.region is set, but ingest.receiving is",
        ),
        (format!("{bucket}[receiving]\nendpoint = \"http://10.0.0.1\""), "section [receiving]"),
        (format!("{bucket}[receiving]\nplace = \"here\""), "there is no key `place` here"),
        (
            format!("{bucket}[replica.x]\nurl = \"s3://inbox/drop/vault\""),
            "inside ingest.receiving",
        ),
        ("[ingest]\nreceiving = \"https://in/drop\"".to_owned(), "ingest.receiving is"),
    ] {
        let sentence = refusal(&text, &[]);
        assert!(sentence.contains(words), "{text}: {sentence}");
    }
    let reach = "[receiving]\nendpoint = \"https://s3.near.org\"\ncredentials = \"in.ini\"\n";
    let config = load(&format!("{bucket}{reach}"), &[], Flags::default()).unwrap();
    let Location::Bucket(found) = &config.ingest.receiving else { panic!("{config:?}") };
    assert_eq!((found.url().as_str(), found.path_style), ("s3://inbox/drop", true));
    assert_eq!(found.endpoint.as_deref(), Some("https://s3.near.org"));
    assert_eq!((config.receiving_folder(), config.receiving_shown()), (None, found.url()));
}

#[test]
fn an_endpoint_in_the_clear_must_be_allowed() {
    let text = "[replica.x]\nurl = \"s3://bucket\"\nendpoint = \"http://10.0.0.1:9000\"\n";
    assert_eq!(
        refusal(text, &[]),
        "etc/s.toml line 3: replica.x.endpoint is \"http://10.0.0.1:9000\", where everyone on the \
         way can read along; it must begin with https://, or, where nobody is on the way, set \
         allow_http = true in section [replica.x]"
    );
    load(&format!("{text}allow_http = true"), &[], Flags::default()).unwrap();
}

#[test]
fn everything_wrong_with_replicas_is_said_at_once() {
    let text = "[ingest]\nsweep_s = 0\n[replica.x]\nclass = \"warm\"\n[replica.\"é\"]\n\
                [option.Standard]\nreplicas = []";
    let sentences = refusal(text, &[]);
    assert_eq!(sentences.lines().count(), 5, "{sentences}");
}

#[test]
fn messages_go_one_way_and_calls_are_encrypted() {
    for (text, sentence) in [
        (
            "[mail]\nsmtp = \"mail.example.org:587\"\nspool = \"mail\"",
            "etc/s.toml line 3: mail.smtp and mail.spool are both set, but a message goes one way; \
             leave one of them out",
        ),
        (
            "[webhook]\nurl = \"http://example.org/a\"",
            "etc/s.toml line 2: webhook.url is \"http://example.org/a\", where everyone on the way \
             can read along; it must begin with https://, or, where nobody is on the way, set \
             allow_http = true in section [webhook]",
        ),
        (
            "[mail]\nfrom = \"Room <a@b.org>\"",
            "etc/s.toml line 2: mail.from is \"Room <a@b.org>\", but it must be an e-mail address \
             without a name, such as \"strongroom@example.org\"",
        ),
    ] {
        let refused = load(text, &[], Flags::default()).unwrap_err();
        assert_eq!(refused.to_string(), sentence);
    }
    let config =
        load("[webhook]\nurl = \"http://a.b/c\"\nallow_http = true", &[], Flags::default())
            .unwrap();
    assert_eq!(config.webhook.url.as_deref(), Some("http://a.b/c"));
    assert!(!config.mail.is_on());
}
