//! Mends what an examination found, and tells of each thing what became of it.

use std::collections::BTreeSet;

use ocfl::{Became, Flaw, Mending, Replica, Truth, VaultError};

use super::holders::Holders;
use super::telling::Telling;
use crate::app::{App, file_date};
use crate::fault::Fault;
use crate::work::Job;

/// What came of it, over all replicas.
#[derive(Default)]
pub(super) struct Mended {
    pub(super) read_files: u64,
    /// Replaced from a sound copy.
    repaired: u64,
    /// Copied to a replica that did not hold the object yet.
    filled: u64,
    /// What did not belong and lies aside now.
    set_aside: u64,
    /// No replica has it in order.
    lost: u64,
    /// Intact in no replica that is there.
    unsettled: u64,
    /// The replicas that are away and may have these.
    pub(super) awaited: BTreeSet<String>,
    /// The path of one that is lost.
    pub(super) lost_example: Option<String>,
    /// Trouble with one thing that is worth another try.
    pub(super) left: Option<VaultError>,
}

impl Mended {
    pub(super) fn add(&mut self, other: Mended) {
        self.repaired += other.repaired;
        self.filled += other.filled;
        self.set_aside += other.set_aside;
        self.lost += other.lost;
        self.unsettled += other.unsettled;
        self.awaited.extend(other.awaited);
        self.left = self.left.take().or(other.left);
        self.lost_example = self.lost_example.take().or(other.lost_example);
    }

    pub(super) fn sentence(&self, away: &[String]) -> String {
        let mut parts = vec![format!("files read: {}", self.read_files)];
        for (count, what) in [
            (self.repaired, "damaged and repaired"),
            (self.filled, "copied to a replica that did not hold them"),
            (self.set_aside, "not belonging there and set aside"),
            (self.lost, "lost copies, of which no hot replica has a sound one"),
            (self.unsettled, "damaged or missing, and sound in no replica that is there"),
        ] {
            if count > 0 {
                parts.push(format!("{what}: {count}"));
            }
        }
        if parts.len() == 1 {
            parts.push("all are sound".to_owned());
        }
        if !away.is_empty() {
            parts.push(format!("not there, and looked at when back: {}", away.join(", ")));
        }
        parts.join("; ")
    }
}

/// Mends the flaws of one replica from the others. What was found is told before anything is
/// touched, so that a crash hides nothing.
pub(super) fn mend(
    job: &Job<'_, App>,
    telling: &Telling<'_, '_>,
    (truth, holders): (&Truth<'_>, &Holders<'_>),
    flaws: &[Flaw],
) -> Result<Mended, Fault> {
    // What was never there is no damage, but missing, and counted as that until it is there.
    let is_filled = !telling.present.is_holder;
    if !is_filled {
        telling.unsound(flaws)?;
        telling.sound_again(flaws)?;
    }
    let target = telling.present.replica;
    let mut sources: Vec<&Replica> = holders.replicas();
    sources.retain(|it| it.name() != target.name());
    let moment: String = file_date(telling.at)
        .chars()
        .filter(|it| it.is_ascii_alphanumeric() || *it == '-')
        .collect();
    let mending = Mending { truth, flaws, sources: &sources, moment: &moment };
    let mut mended = Mended::default();
    let (mut repaired, mut lost) = (Vec::new(), Vec::new());
    target.mend(
        mending,
        |bytes| {
            job.advance(bytes);
            job.checkpoint()
        },
        |flaw, became| {
            match became {
                Became::Mended { from, .. } => {
                    if is_filled {
                        mended.filled += 1;
                        return Ok(());
                    }
                    mended.repaired += 1;
                    repaired.push(flaw.path.clone());
                    telling.repaired(flaw, from.as_deref())?;
                }
                Became::SetAside { .. } => mended.set_aside += 1,
                Became::Removed => {}
                Became::Lost => {
                    let may_have = holders.may_have(job.app, telling.object, flaw)?;
                    if may_have.is_empty() {
                        mended.lost += 1;
                        lost.push(flaw.path.clone());
                    } else {
                        mended.unsettled += 1;
                        mended.awaited.extend(may_have);
                    }
                }
                Became::Left(error) => mended.left = Some(error),
            }
            Ok::<(), Fault>(())
        },
    )?;
    // Else the replica was not looked at: the next attempt goes on.
    let is_settled = mended.left.is_none() && mended.awaited.is_empty();
    if is_settled {
        telling.all_held(&lost)?;
    } else if is_filled {
        return Ok(mended);
    }
    telling.ended(&repaired, &lost, is_settled)?;
    mended.lost_example = lost.into_iter().next();
    Ok(mended)
}
