//! The reference, kept in step with the keys.

use super::*;

/// Writes `reference.toml` anew when it is stale, and fails so that somebody looks at it.
#[test]
fn the_reference_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/config/reference.toml");
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    if kept != reference() {
        #[expect(clippy::disallowed_methods, reason = "a source file, written while developing")]
        std::fs::write(&path, reference()).unwrap();
        panic!("{} was stale and has been written anew", path.display());
    }
}

#[test]
fn the_reference_means_the_defaults() {
    let as_it_stands = load(&reference(), &[], Flags::default()).unwrap();
    assert_eq!(as_it_stands.explain(), plain().explain());

    // Every key that has a default switched on: a line that begins with # and no blank.
    let on = |line: &str| match line.strip_prefix('#') {
        Some(rest) if rest.starts_with(|c: char| c.is_ascii_lowercase()) => format!("{rest}\n"),
        _ => format!("{line}\n"),
    };
    let text: String = reference().lines().map(on).collect();
    let config = load(&text, &[], Flags::default()).unwrap();
    for (row, default) in config.explain().iter().zip(plain().explain()) {
        let named = ["replica.", "option.", "receiving."]
            .iter()
            .any(|section| row.key.starts_with(section));
        let written = default.default.is_some() && !named;
        assert_eq!(row.value, default.value, "{}", row.key);
        assert_eq!(row.origin != Origin::Default, written, "{}", row.key);
    }
    let expected =
        Config { file: Some(PATH.into()), explained: config.explained.clone(), ..plain() };
    assert_eq!(config, expected);
}

#[test]
fn the_sections_shown_are_those_of_a_fresh_appliance() {
    let text = reference();
    let (_, rest) = text.split_once("\n# [replica.a]").unwrap();
    let (shown, _) = rest.split_once("[stage.TOPIC]").unwrap();
    let on = |line: &str| {
        let line = line.strip_prefix("# ")?;
        let key = line.split_once(" = ").is_some_and(|(key, _)| !key.contains(' '));
        (key || line.starts_with('[')).then(|| format!("{line}\n"))
    };
    let sections: String = shown.lines().filter_map(on).collect();
    let config = load(&format!("[replica.a]\n{sections}"), &[], Flags::default()).unwrap();
    assert_eq!(config.replicas, plain().replicas);
    assert_eq!(config.options, plain().options);
    let row = config.explain().iter().find(|row| row.key == "replica.b.url").unwrap();
    assert!(matches!(row.origin, Origin::File(_)));
    assert!(text.contains("one disk is one place"));
    assert!(DESCRIBED_OPTIONS.iter().all(|option| text.contains(option.name)));
}
