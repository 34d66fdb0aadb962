//! Restorations on a busy morning.

use web::*;

use super::badge;

const MOMENT: &str = "2026-11-16T07:20:41.123Z";

pub(crate) fn wish(kind: &str, version: Option<u64>) -> Option<RestoreWish> {
    let about = "parish-registers-1790".into();
    Some(RestoreWish { kind: kind.into(), number: 88, version, about })
}

pub(crate) fn restorations() -> RestorationsPage {
    let way = |item, what: &str, state, note: &str| UnderWayRow {
        item,
        what: what.into(),
        state,
        note: note.into(),
        asked: MOMENT.into(),
        user: "ann@county.example.edu".into(),
    };
    let ready = |item, label: &str, state, is_there| ReadyRow {
        item,
        what: Link::new("/objects/county.example.edu/letters", label),
        version: 2,
        path: "/srv/strongroom/restoration/county.example.edu/letters.tar".into(),
        size_bytes: 96_412_884_113,
        restored: MOMENT.into(),
        user: "ann@county.example.edu".into(),
        state,
        expires: "2026-11-30T07:20:41.123Z".into(),
        is_there,
    };
    RestorationsPage {
        under_way: vec![
            way(4301, "county.example.edu/maps", badge("Restore Object", Tone::Busy), "started"),
            way(
                4299,
                "county.example.edu/films",
                badge("Needs a person", Tone::Warn),
                "no copy of data/reel-3.mov is what was preserved",
            ),
        ],
        ready: vec![
            ready(4290, "county.example.edu/letters", badge("Ready", Tone::Good), true),
            ready(4188, "county.example.edu/minutes", badge("Goes soon", Tone::Warn), true),
            ready(4100, "county.example.edu/photos", badge("Not there", Tone::Calm), false),
        ],
        area: "/srv/strongroom/restoration".into(),
        stay: "14 days".into(),
        rehearsals: vec!["60 of the last 60 rehearsals brought a valid bag.".into()],
    }
}
