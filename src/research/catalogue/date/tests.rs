use proptest::prelude::*;

use super::*;

/// What is taken for a text, exactly or by a guess.
fn taken(text: &str) -> Option<String> {
    exact(text).or_else(|| guess(text)).map(|it| it.to_string())
}

#[test]
fn the_spellings_that_are_agreed_on_are_read_without_a_guess() {
    for text in [
        "Sun, 28 Feb 2021 08:00:00 GMT",
        "28 Feb 2021 08:00:00 +0000",
        "Sun, 28 Feb 2021 03:00:00 EST",
        "Sun, 28 Feb 2021 08:00 GMT",
        "2021-02-28T08:00:00Z",
        " 2021-02-28T09:00:00+01:00 ",
    ] {
        assert_eq!(exact(text), Timestamp::parse("2021-02-28T08:00:00Z"), "{text}");
    }
    assert_eq!(exact("2021-02-28"), Timestamp::parse("2021-02-28T00:00:00Z"));
}

#[test]
fn sloppy_dates_are_taken_for_what_they_most_likely_mean() {
    let eight = [
        "Mon, 28 Feb 2021 08:00:00 GMT",
        "Sunday, 28 February 2021 08:00:00 GMT",
        "Sunday, 28-Feb-21 08:00:00 GMT",
        "Sun Feb 28 08:00:00 2021",
        "Sun Feb 28 08:00:00 UTC 2021",
        "sun, 28 feb 2021 08:00:00 gmt",
        "Sun,28 Feb 2021 08:00:00",
        "Sun, 28 Feb 21 08:00",
        "Sun, 28 Feb 2021 8:00:00 AM",
        "Sunday, 28 February 2021 09:00:00 CET",
        "Sun, 28 Feb 2021 09:00:00 GMT+1",
        "Sun, 28 Feb 2021 09:00:00 +1:00",
        "Sun, 28 Feb 2021 03:00:00 \u{2212}0500",
        "Sun, 28 Feb 2021 03:00:00 EST (New York)",
        "Sun, 28 Feb 2021 08:00:00 Nowhere/Land",
        "February 28, 2021 8:00 a.m.",
        "Feb 28th, 2021 at 8am",
        "2021-02-28 08:00:00",
        "2021-02-28 08:00:00 UTC",
        "2021-02-28T08:00:00",
        "2021-02-28T09:00:00+0100",
        "2021-02-28T08:00Z",
        "2021/02/28 08:00",
        "20210228T080000Z",
        "20210228080000",
        "1614499200",
        "1614499200000",
        "02/28/2021 08:00",
        "28/02/2021 08:00",
        "28.02.2021 08:00",
        "28. Februar 2021, 08:00 Uhr",
        "dim., 28 févr. 2021 8h00",
        "28 de febrero de 2021 08:00",
        "zondag 28 februari 2021 08:00",
    ];
    for text in eight {
        assert_eq!(taken(text).as_deref(), Some("2021-02-28T08:00:00.000Z"), "{text}");
    }
    for (text, day) in [
        ("28.2.21", "2021-02-28"),
        ("February 28, 2021", "2021-02-28"),
        ("20210228", "2021-02-28"),
        ("2021年2月28日", "2021-02-28"),
        ("Sun, 28 Feb 2021 24:00:00 GMT", "2021-03-01"),
        ("Sun, 28 Feb 2021 25:61:00 GMT", "2021-02-28"),
        ("mar. 2 févr. 2021", "2021-02-02"),
        ("mardi 2 mars 2021", "2021-03-02"),
        ("14 juillet 2021", "2021-07-14"),
        ("3/2/2021", "2021-03-02"),
        ("3.2.2021", "2021-02-03"),
        ("6 August 98", "1998-08-06"),
        ("February 2021", "2021-02-01"),
        ("2021-02", "2021-02-01"),
        ("2021", "2021-01-01"),
    ] {
        assert_eq!(taken(text), Some(format!("{day}T00:00:00.000Z")), "{text}");
    }
    let precise = "2021-02-28 08:00:00.25";
    assert_eq!(taken(precise).as_deref(), Some("2021-02-28T08:00:00.250Z"));
}

#[test]
fn what_is_no_date_is_not_taken_for_one() {
    for text in [
        "",
        "yesterday",
        "n/a",
        "12:30",
        "0000-00-00 00:00:00",
        "Wed, 31 Nov 2021 08:00:00 GMT",
        "Sun, 28 Feb 1921 08:00:00 GMT",
        "season 3 episode 12 of 2021",
        "1-2-3",
        "99999999999999999999",
        "99999999",
    ] {
        assert_eq!(taken(text), None, "{text}");
    }
    assert_eq!(guess(&"28 Feb 2021 ".repeat(20)), None, "too long to be a date");
}

proptest! {
    #[test]
    fn nothing_panics(text in "[0-9:./+ \\-a-zé年月日()]{0,60}", any in ".{0,60}") {
        for text in [text, any] {
            prop_assert_eq!(guess(&text), guess(&text));
        }
    }
}
