//! Random operations, restarts and clock jumps, step by step against a plain map.

mod plain;

use std::time::Duration;

use fastrand::Rng;
use storage::clock::{Clock, Timestamp};
use storage::work::item::{ItemId, Verdict};
use storage::work::queue::{Account, Charge, Lease, NewItem, Settlement};

use crate::room::{Room, new_item};
use plain::Plain;

const TOPICS: [&str; 3] = ["a", "b", "tidy"];
const STEPS: usize = 150;

/// The seed to begin with: given to replay a failure, random otherwise.
pub(crate) fn seed() -> u64 {
    let given = std::env::var("STRONGROOM_SEED").ok().and_then(|text| text.parse().ok());
    given.unwrap_or_else(|| fastrand::u64(..))
}

/// How often to repeat what is random; many more times in a soak.
pub(crate) fn rounds(usual: u64) -> u64 {
    let given = std::env::var("STRONGROOM_SOAK_ROUNDS").ok().and_then(|text| text.parse().ok());
    given.unwrap_or(usual)
}

#[test]
fn the_queue_does_what_a_plain_map_would() {
    let first = seed();
    for seed in (0..rounds(60)).map(|round| first.wrapping_add(round)) {
        println!("replay with STRONGROOM_SEED={seed} STRONGROOM_SOAK_ROUNDS=1");
        let mut run = Run::new(seed);
        for _ in 0..STEPS {
            let step = run.step();
            println!("{step}");
            run.compare();
        }
    }
}

struct Run {
    random: Rng,
    room: Room,
    plain: Plain,
    /// Every lease ever given out and not yet consumed, most of them stale after a while.
    leases: Vec<(Lease, u64)>,
}

impl Run {
    fn new(seed: u64) -> Run {
        let room = Room::new();
        Run { random: Rng::with_seed(seed), room, plain: Plain::default(), leases: Vec::new() }
    }

    fn compare(&self) {
        self.room.assert_sound();
        let items = self.room.queue().items(None, 10_000).unwrap();
        assert_eq!(items.iter().map(plain::Thing::of).collect::<Vec<_>>(), self.plain.things());
        assert_eq!(self.room.queue().topics().unwrap(), self.plain.topics(self.room.now()));
    }

    fn topic(&mut self) -> &'static str {
        TOPICS[self.random.usize(..3)]
    }

    fn any_item(&mut self) -> ItemId {
        ItemId(self.random.u64(1..=self.plain.next_item + 1))
    }

    fn seconds(&mut self) -> u64 {
        self.random.u64(0..90)
    }

    fn step(&mut self) -> String {
        let (random, now) = (self.random.u8(..100), self.room.now());
        match random {
            0..22 => self.push(),
            22..40 => self.claim(),
            40..48 => self.beat(),
            48..72 => self.settle(),
            72..76 => self.requeue(),
            76..81 => self.cancel(),
            81..84 => {
                let (topic, paused) = (self.topic(), self.random.bool());
                self.room.queue().pause(topic, paused).unwrap();
                self.plain.pause(topic, paused);
                format!("pause {topic} {paused}")
            }
            84..85 => {
                let (topic, cleanup) = (self.topic(), Some("tidy").filter(|_| self.random.bool()));
                let emptied = self.room.queue().empty(topic, "emptied", cleanup).unwrap();
                assert_eq!(emptied, self.plain.empty(topic, cleanup, now));
                format!("empty {topic} into {cleanup:?}: {emptied}")
            }
            85..88 => {
                let reaped = self.room.queue().reap().unwrap();
                assert_eq!(reaped, self.plain.reap(now));
                format!("reap: {reaped}")
            }
            88..90 => {
                let limit = self.random.usize(1..4);
                let expired = self.room.queue().expire(limit).unwrap();
                assert_eq!(expired, self.plain.expire(limit, now));
                format!("expire {limit}: {expired}")
            }
            90..92 => self.forget(),
            92..94 => {
                // Several deaths in a row make suspects of what is under way.
                let deaths = self.random.usize(1..5);
                let topic = self.topic();
                for _ in 1..deaths {
                    self.claim_of(topic, 2);
                    self.room.restart();
                    self.plain.restart(now);
                }
                self.room.restart();
                self.plain.restart(now);
                format!("{deaths} restarts, {topic} under way")
            }
            94..98 => {
                let seconds = self.seconds() * if self.random.u8(..8) == 0 { 20 } else { 1 };
                self.room.advance(seconds);
                format!("advance {seconds}")
            }
            _ => {
                let to = now.0.saturating_add(self.random.u64(0..7_200_000)) - 3_600_000;
                self.room.clock.jump_to(Timestamp(to));
                format!("jump from {now} to {}", Timestamp(to))
            }
        }
    }

    fn push(&mut self) -> String {
        let later = |random: &mut Rng, one_in| {
            (random.u8(..one_in) == 0).then(|| self.room.later(random.u64(0..120)))
        };
        let item = NewItem {
            priority: self.random.i32(-1..=1),
            due: later(&mut self.random, 4),
            expires: later(&mut self.random, 4),
            unique: (self.random.u8(..3) == 0).then(|| format!("name {}", self.random.u8(..4))),
            ..new_item(TOPICS[self.random.usize(..3)])
        };
        let text = format!("push {item:?}");
        let expected = self.plain.push(&item, self.room.now());
        assert_eq!(self.room.queue().push(item).unwrap(), expected);
        format!("{text}: {expected:?}")
    }

    fn claim(&mut self) -> String {
        let (topic, most) = (self.topic(), self.random.usize(1..4));
        self.claim_of(topic, most)
    }

    fn claim_of(&mut self, topic: &str, most: usize) -> String {
        let hold = Duration::from_secs(self.seconds());
        let claims = self.room.queue().claim(topic, most, hold).unwrap();
        let got: Vec<_> = claims.iter().map(|claim| claim.item.id).collect();
        let expected =
            self.plain.claim(topic, most, (self.room.now(), self.room.clock.steady()), hold);
        assert_eq!(got, expected.iter().map(|it| it.0).collect::<Vec<_>>());
        let numbers = expected.into_iter().map(|it| it.1);
        self.leases.extend(claims.into_iter().map(|claim| claim.lease).zip(numbers));
        format!("claim {most} of {topic}: {got:?}")
    }

    fn beat(&mut self) -> String {
        let hold = Duration::from_secs(self.seconds());
        let Some((lease, number)) = self.random.choice(&self.leases) else { return "-".into() };
        let got = self.room.queue().beat(lease, hold).ok().map(|pulse| pulse.cancelled);
        assert_eq!(got, self.plain.beat(lease.item(), *number, self.room.now().after(hold)));
        format!("beat {}: {got:?}", lease.item())
    }

    fn settle(&mut self) -> String {
        if self.leases.is_empty() {
            return "-".into();
        }
        let (lease, number) = self.leases.swap_remove(self.random.usize(..self.leases.len()));
        let (id, how) = (lease.item(), self.settlement());
        let done = self.room.queue().settle(lease, &how, Account::default()).is_ok();
        assert_eq!(done, self.plain.settle(id, number, &how, self.room.now()));
        format!("settle {id} by {how:?}: {done}")
    }

    fn settlement(&mut self) -> Settlement {
        let verdict = [Verdict::Open, Verdict::Cancelled, Verdict::Failed(Default::default())];
        match self.random.u8(..10) {
            9 => Settlement::SendBack { to: self.topic().into() },
            0..2 => Settlement::Advance { to: self.topic().into() },
            2..4 => Settlement::Finish,
            4..6 => {
                let at = Timestamp(self.room.now().0 + self.random.u64(0..60_000) - 20_000);
                let charge = [Charge::Attempt, Charge::Free, Charge::Panic];
                Settlement::Retry { at, charge: charge[self.random.usize(..3)] }
            }
            6 => Settlement::Park { because: Default::default() },
            7 if self.random.bool() => Settlement::Cancel,
            7 => Settlement::Fail { because: Default::default() },
            _ => {
                let verdict = verdict[self.random.usize(..3)].clone();
                Settlement::Divert { to: "tidy".into(), verdict }
            }
        }
    }

    fn requeue(&mut self) -> String {
        let (id, topic) = (self.any_item(), self.topic());
        let done = self.room.queue().requeue(id, topic, "again").is_ok();
        assert_eq!(done, self.plain.requeue(id, topic, self.room.now()));
        format!("requeue {id} at {topic}: {done}")
    }

    fn cancel(&mut self) -> String {
        let (id, cleanup) = (self.any_item(), Some("tidy").filter(|_| self.random.bool()));
        let done = self.room.queue().cancel(id, "no", cleanup).is_ok();
        assert_eq!(done, self.plain.cancel(id, cleanup, self.room.now()));
        format!("cancel {id} through {cleanup:?}: {done}")
    }

    fn forget(&mut self) -> String {
        let ended = self.plain.take_ended();
        for (id, revision) in &ended {
            let turns =
                self.room.queue().history(*id, 1000).unwrap().iter().map(|it| it.0).collect();
            self.room.queue().forget(&[(*id, *revision, turns)]).unwrap();
        }
        format!("forget {ended:?}")
    }
}
