//! Every condition once, on little sound; the bench does it at length.

use crate::sound::evaluation::{Plan, Tally, evaluate, material};
use crate::sound::mishap::Mishap;

/// What the room is for; the bench knows more.
const FEW: [Mishap; 6] = [
    Mishap::Clean,
    Mishap::Telephone,
    Mishap::SpeechOver,
    Mishap::HeadLost,
    Mishap::TailLost,
    Mishap::Faster,
];

#[test]
fn clips_are_found_under_every_condition_and_strangers_are_not() {
    let mut all = Tally::default();
    let plan =
        Plan { seed: 3, episode_s: 37.0, clip_s: 2.5, clips: 2, strangers: 1, mishaps: &FEW };
    all.add(evaluate(&material(&plan)));
    all.print("small");
    assert!(all.recall() >= 0.99, "recall {}", all.recall());
    assert!(all.precision() >= 0.999, "precision {}", all.precision());
}
