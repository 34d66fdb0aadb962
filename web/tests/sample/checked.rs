//! How the checks of a small archive stand.

use web::*;

use super::badge;

const MOMENT: &str = "2026-11-16T07:20:41.123Z";

fn replica(name: &str, place: &str, every_days: u64, copies: &[u64]) -> CheckPanel {
    let bar = |(at, copy_count): (usize, &u64)| {
        let from_days = 7 * at as u64;
        AgeBar { from_days, until_days: from_days + 7, copy_count: *copy_count }
    };
    CheckPanel {
        name: name.into(),
        place: place.into(),
        state: badge("In time", Tone::Good),
        object_count: 412,
        copy_count: copies.iter().sum(),
        unsound_count: 0,
        stalest: Some(MOMENT.into()),
        stalest_days: 82,
        every_days,
        due_count: 0,
        next_due: Some(MOMENT.into()),
        outlook: format!("Every copy was read within the {every_days} days that are allowed."),
        bars: copies.iter().enumerate().map(bar).collect(),
    }
}

/// Everything was read in time.
pub(crate) fn sound() -> FixityPage {
    let weekly = [812, 9_120, 7_400, 8_020, 0, 12, 9_900, 7_204, 6_100, 9_004, 8_411, 40, 0];
    FixityPage {
        may_check: true,
        waiting: 3,
        forecast: "At most 120000 copies are taken up a day, so that all 132046 are read within 2 \
                   days: every copy is read in time."
            .into(),
        replicas: vec![
            replica("a", "main building", 90, &weekly),
            replica("north", "north building", 90, &weekly),
        ],
        ..FixityPage::default()
    }
}

/// Copies are damaged and some are lost, and one replica was not read for long.
pub(crate) fn lost(rows: u64) -> FixityPage {
    let line = |n: u64| UnsoundLine {
        file: Link::new(
            format!("/files/5f0e2a3c-0000-8000-8000-{n:012}"),
            format!("county.example.edu/parish-registers-1790/data/folio-{n:03}.tif"),
        ),
        version: 1 + n % 2,
        replica: if n.is_multiple_of(2) { "a".into() } else { "north".into() },
        state: match n {
            0 => badge("Lost", Tone::Bad),
            n if n.is_multiple_of(3) => badge("Missing", Tone::Warn),
            _ => badge("Damaged", Tone::Warn),
        },
        checked: MOMENT.into(),
    };
    let sound = sound();
    let mut late = replica("north", "north building", 30, &[4, 0, 0, 0, 90, 812, 61]);
    late.state = badge("Overdue", Tone::Warn);
    late.due_count = 873;
    late.unsound_count = 12;
    FixityPage {
        missing: vec![
            "Copies missing in replica south: 12 objects (48 copies), since 2026-11-16 07:20 UTC. \
             Strongroom copies them from the hot replicas that hold them."
                .into(),
        ],
        lost_count: 1,
        lost_advice:
            "Get the file from the depositor. Then choose Replace from a file on its page.".into(),
        unsound_count: rows + 4,
        unsound: (0..rows).map(line).collect(),
        unsound_unshown_count: 4,
        replicas: vec![sound.replicas[0].clone(), late],
        replicas_unshown_count: 1,
        ..sound
    }
}
