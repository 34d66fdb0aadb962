//! Curators, researchers of every kind, people who revoke, kills and time, in an order drawn from a
//! seed, beside a model of plain maps. `STRONGROOM_SEED=<seed>` replays one.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use storage::clock::Timestamp;
use storage::registry::{NewRecording, Recorded, RecordingKind, SearchOutcome, TroubleAbout};

use super::rig::{CONFIG, HOUR, MINUTE, Rig, recording, report};
use crate::config::ResearchConfig;
use crate::research::{LeaseNow, Receipt, Report, Work};

const STEPS: usize = 2000;
const EPISODES: u32 = 12;
const CLIPS: u32 = 30;

/// How somebody behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Manner {
    Good,
    /// Forgets what it has, and comes back as itself or as another.
    Crashes,
    /// Is away for hours and goes on as if nothing had been.
    Hangs,
    /// Speaks for others, about anything, and in nonsense.
    Lies,
    /// Says everything twice, also long after.
    Repeats,
    /// Its clock is an hour behind or ahead, so it gives up early or goes on too long.
    Drifts,
}

struct Person {
    name: String,
    manner: Manner,
    hand: Option<(String, u32, Vec<u32>)>,
    asleep_until: Timestamp,
    said: Vec<Report>,
}

/// A lease as a plain map has it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Lease {
    holder: String,
    episode: u32,
    clips: Vec<u32>,
    left: Vec<u32>,
    expires: Timestamp,
}

struct Sim {
    rig: Rig,
    random: fastrand::Rng,
    people: Vec<Person>,
    /// What was recorded first for each pair.
    recorded: BTreeMap<(u32, u32), Vec<i64>>,
    leases: BTreeMap<String, Lease>,
    past: Vec<String>,
    episodes: u32,
    clips: u32,
    /// How often each odd thing happened, so that a run that proves nothing is seen.
    seen: BTreeMap<&'static str, u32>,
}

impl Sim {
    fn new(seed: u64) -> Sim {
        let manners = [
            Manner::Good,
            Manner::Good,
            Manner::Crashes,
            Manner::Hangs,
            Manner::Lies,
            Manner::Repeats,
            Manner::Drifts,
        ];
        let person = |(number, manner): (usize, &Manner)| Person {
            name: format!("researcher {number}"),
            manner: *manner,
            hand: None,
            asleep_until: Timestamp(0),
            said: Vec::new(),
        };
        let mut sim = Sim {
            rig: Rig::new(ResearchConfig { clips: 5, ..CONFIG }),
            random: fastrand::Rng::with_seed(seed),
            people: manners.iter().enumerate().map(person).collect(),
            recorded: BTreeMap::new(),
            leases: BTreeMap::new(),
            past: vec!["r0-0-0".into()],
            episodes: 0,
            clips: 0,
            seen: BTreeMap::new(),
        };
        sim.curate();
        sim
    }

    fn step(&mut self) {
        match self.random.u8(0..100) {
            0..=3 => self.curate(),
            4 => {
                self.note("killed");
                self.rig.restart();
            }
            5..=6 => self.revoke(),
            7..=12 => drop(self.rig.bureau().keep().unwrap()),
            13..=24 => self.time_passes(),
            _ => {
                let who = self.random.usize(0..self.people.len());
                self.act(who);
            }
        }
        self.check();
    }

    fn note(&mut self, what: &'static str) {
        *self.seen.entry(what).or_default() += 1;
    }

    fn now(&self) -> Timestamp {
        self.rig.now()
    }

    fn curate(&mut self) {
        let (kind, count, most, word) = if self.random.bool() {
            (RecordingKind::Episode, &mut self.episodes, EPISODES, "e")
        } else {
            (RecordingKind::Clip, &mut self.clips, CLIPS, "c")
        };
        *count = (*count + self.random.u32(1..=3)).min(most);
        let priority = self.random.i32(0..3);
        let told = (1..=*count).map(|it| NewRecording {
            priority: if it % 3 == 0 { priority } else { 0 },
            ..recording(&format!("{word}{it}"))
        });
        self.rig.bureau().add(kind, &told.collect::<Vec<_>>()).unwrap();
    }

    fn time_passes(&mut self) {
        let span = match self.random.u8(0..10) {
            0 => HOUR * self.random.u32(1..=3),
            1..=3 => MINUTE * self.random.u32(1..=40),
            _ => Duration::from_secs(self.random.u64(1..=120)),
        };
        self.rig.clock.advance(span);
    }

    fn revoke(&mut self) {
        let names: Vec<String> = self.leases.keys().cloned().collect();
        let Some(name) = self.random.choice(&names).cloned() else { return };
        self.rig.bureau().revoke(&name).unwrap();
        self.leases.remove(&name);
        self.note("revoked");
    }

    fn act(&mut self, who: usize) {
        if self.people[who].asleep_until > self.now() {
            return;
        }
        if self.people[who].hand.is_none() {
            return self.ask(who);
        }
        match (self.people[who].manner, self.random.u8(0..8)) {
            (Manner::Crashes, 0) => {
                self.people[who].hand = None;
                if self.random.bool() {
                    self.people[who].name.push('\'');
                }
                self.note("crashed");
            }
            (Manner::Hangs, 0) => {
                let span = HOUR * self.random.u32(1..=4);
                self.people[who].asleep_until = self.now().after(span);
                self.note("hung");
            }
            (Manner::Drifts, 0) => {
                // An hour behind, it believes that it has time.
                self.people[who].asleep_until = self.now().after(HOUR + 2 * MINUTE);
                self.note("drifted");
            }
            (Manner::Drifts, 1) => {
                // An hour ahead, it believes that its time is over.
                let (lease, ..) = self.people[who].hand.take().unwrap();
                let name = self.people[who].name.clone();
                let theirs = self.is_live(&lease, &name);
                assert_eq!(self.rig.bureau().finish(&name, &lease).unwrap(), theirs);
                if theirs {
                    self.leases.remove(&lease);
                }
                self.note("gave up");
            }
            (Manner::Lies, 0..=3) => self.lie(who),
            (Manner::Repeats, 0..=3) => self.repeat(who),
            _ => self.work(who),
        }
    }

    fn is_live(&self, lease: &str, name: &str) -> bool {
        self.leases.get(lease).is_some_and(|it| it.holder == name && it.expires > self.now())
    }

    fn ask(&mut self, who: usize) {
        let name = self.people[who].name.clone();
        let Some(work) = self.rig.ask(&name) else { return };
        let now = self.now();
        let clips: Vec<u32> = work.clips.iter().map(|clip| clip.id).collect();
        let own = self.leases.iter().find(|(_, it)| it.holder == name && it.expires > now);
        if let Some((lease, it)) = own {
            assert_eq!((&work.lease, &clips), (lease, &it.left), "the same work again");
        } else {
            self.check_new(&work, &clips);
        }
        let lease = self.leases.entry(work.lease.clone()).or_insert_with(|| Lease {
            holder: name,
            episode: work.episode.id,
            clips: clips.clone(),
            left: clips.clone(),
            expires: now,
        });
        lease.expires = lease.expires.max(now.after(2 * HOUR));
        self.past.push(work.lease.clone());
        self.people[who].hand = Some((work.lease, work.episode.id, clips));
    }

    fn check_new(&self, work: &Work, clips: &[u32]) {
        assert!(!self.past.contains(&work.lease), "a lease's name is never given twice");
        for clip in clips {
            let pair = (work.episode.id, *clip);
            let out = self.leases.values().filter(|it| it.expires > self.now());
            for other in out {
                let held = other.episode == pair.0 && other.clips.contains(clip);
                assert!(!held, "{pair:?} is leased twice");
            }
        }
    }

    fn work(&mut self, who: usize) {
        let (lease, episode, mut left) = self.people[who].hand.take().unwrap();
        let Some(clip) = left.pop() else { return };
        let pair = (episode, clip);
        let offsets: Vec<i64> = (0..self.random.i64(0..3)).map(|it| it * 1000).collect();
        let mut told = report(&lease, pair, &offsets);
        told.is_final = left.is_empty() && self.random.bool();
        if self.random.u8(0..30) == 0 {
            let about = [TroubleAbout::Pair, TroubleAbout::Clip, TroubleAbout::Episode];
            told.result = SearchOutcome::Failed {
                about: about[self.random.usize(0..3)],
                code: "fetch".into(),
                why: "nobody answered".into(),
            };
            self.note("failed");
        }
        self.people[who].said.push(told.clone());
        let receipt = self.tell(who, &told);
        // Whoever hears that it is not theirs goes on with it all the same, or not.
        let goes_on = receipt.lease != LeaseNow::Ended
            && (receipt.lease != LeaseNow::NotTheirs || self.random.bool());
        self.people[who].hand =
            goes_on.then_some((lease, episode, left)).filter(|it| !it.2.is_empty());
    }

    fn lie(&mut self, who: usize) {
        let lease = self.past[self.random.usize(0..self.past.len())].clone();
        let pair = (self.random.u32(0..=EPISODES), self.random.u32(0..=CLIPS));
        let mut told = report(&lease, pair, &[]);
        told.is_final = self.random.bool();
        if self.random.u8(0..3) == 0 {
            told.episode = u32::MAX;
        }
        let known =
            (1..=self.episodes).contains(&told.episode) && (1..=self.clips).contains(&pair.1);
        if known {
            self.note("lied");
            self.tell(who, &told);
        } else {
            let name = self.people[who].name.clone();
            assert!(self.rig.bureau().record(&name, &told).unwrap_err().is_callers());
            self.note("refused");
        }
    }

    fn repeat(&mut self, who: usize) {
        let said = self.people[who].said.clone();
        let Some(told) = self.random.choice(&said) else { return self.work(who) };
        self.note("repeated");
        self.tell(who, told);
    }

    /// Sends a report, and compares what becomes of it with the model.
    fn tell(&mut self, who: usize, told: &Report) -> Receipt {
        let name = self.people[who].name.clone();
        let pair = (told.episode, told.clip);
        let now = self.now();
        let theirs = self.is_live(&told.lease, &name);
        let lease = self
            .leases
            .get_mut(&told.lease)
            .filter(|it| theirs && it.episode == told.episode && it.clips.contains(&told.clip));
        let expected = match lease {
            None => LeaseNow::NotTheirs,
            Some(it) => {
                it.left.retain(|clip| *clip != told.clip);
                if told.is_final || it.left.is_empty() {
                    self.leases.remove(&told.lease);
                    LeaseNow::Ended
                } else {
                    it.expires = it.expires.max(now.after(2 * HOUR));
                    LeaseNow::Extended { until: it.expires }
                }
            }
        };
        let receipt = self.rig.bureau().record(&name, told).unwrap();
        assert_eq!(receipt.lease, expected, "{name}: {told:?}");
        if let SearchOutcome::Searched { occurrences } = &told.result {
            let offsets = occurrences.iter().map(|it| it.offset_ns).collect();
            let is_new = !self.recorded.contains_key(&pair);
            self.recorded.entry(pair).or_insert(offsets);
            assert_eq!(receipt.recorded == Recorded::New, is_new);
        }
        if expected == LeaseNow::NotTheirs {
            self.note("not theirs");
        }
        receipt
    }

    /// No pair is out twice, and what is out is what the model has.
    fn check(&self) {
        let now = self.now();
        let mut out = BTreeSet::new();
        let mut held = BTreeMap::new();
        for it in self.rig.bureau().assignments.list(usize::MAX).unwrap() {
            if it.is_over(now) {
                continue;
            }
            for clip in &it.clips {
                assert!(out.insert((it.episode, *clip)), "{:?} is out twice", (it.episode, clip));
            }
            if let Some(taken) = it.taken {
                let lease = Lease {
                    holder: taken.by,
                    episode: it.episode,
                    clips: it.clips,
                    left: it.left,
                    expires: it.expires,
                };
                held.insert(it.id, lease);
            }
        }
        let live = self.leases.iter().filter(|(_, it)| it.expires > now);
        assert_eq!(held, live.map(|(id, it)| (id.clone(), it.clone())).collect());
    }

    /// What was recorded is there, and nothing else.
    fn check_results(&self) {
        let mut there = BTreeMap::new();
        for episode in 1..=self.episodes {
            for searched in self.rig.bureau().registry.searched(episode).unwrap() {
                there.extend(searched.clips.iter().map(|clip| ((episode, clip), Vec::new())));
            }
            for pair in self.rig.bureau().of_episode(episode).unwrap().unwrap().found {
                let offsets = pair.occurrences.iter().map(|it| it.offset_ns).collect();
                there.insert((pair.episode, pair.clip), offsets);
            }
        }
        assert_eq!(there, self.recorded);
        self.rig.assert_sound();
    }

    /// Only good ones are left: everything finishes.
    fn finish(&mut self) {
        for person in &mut self.people {
            person.manner = Manner::Good;
            person.asleep_until = Timestamp(0);
        }
        let all = (self.episodes * self.clips) as usize;
        for round in 0..400 {
            if self.recorded.len() == all {
                break;
            }
            for who in 0..self.people.len() {
                for _ in 0..12 {
                    self.act(who);
                }
            }
            // What has failed too often waits for somebody to ask.
            if round % 40 == 39 {
                for (kind, count) in
                    [(RecordingKind::Episode, self.episodes), (RecordingKind::Clip, self.clips)]
                {
                    for id in 1..=count {
                        self.rig.bureau().retry(kind, id).unwrap();
                    }
                }
            }
            self.rig.clock.advance(10 * MINUTE);
            self.check();
        }
        assert_eq!(self.recorded.len(), all, "everything finishes");
        for person in 0..self.people.len() {
            self.people[person].hand = None;
            self.rig.clock.advance(3 * HOUR);
            self.ask(person);
            assert_eq!(self.people[person].hand, None, "nothing is left to do");
        }
    }
}

fn run(seed: u64, steps: usize) {
    println!("replay with STRONGROOM_SEED={seed}");
    let mut sim = Sim::new(seed);
    for step in 0..steps {
        sim.step();
        if step % 250 == 0 {
            sim.check_results();
        }
    }
    println!("{} pairs after {steps} steps; {:?}", sim.recorded.len(), sim.seen);
    sim.finish();
    sim.check_results();
    for what in
        ["killed", "crashed", "hung", "lied", "refused", "repeated", "not theirs", "revoked"]
    {
        assert!(sim.seen.contains_key(what), "{what} never happened: this run proves little");
    }
}

#[test]
fn no_pair_is_lost_or_out_twice_and_everything_finishes() {
    match std::env::var("STRONGROOM_SEED") {
        Ok(seed) => run(seed.parse().unwrap(), STEPS),
        Err(_) => run(11, STEPS),
    }
}
