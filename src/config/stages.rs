//! The keys of `[stage.<topic>]`, the same six for every stage.

use std::collections::BTreeMap;

use toml::Spanned;

use super::load::KnownStage;
use super::meant::StageOverrides;
use super::nearest::nearest;
use super::pick::{Key, Pick};
use super::raw::RawStage;
use super::refusal::{Hint, Refusal};
use super::rule::{seconds, whole};

/// How the keys of every stage begin.
pub(super) const SECTION: &str = "stage.";

/// A variable of a stage that the described system calls by another name.
const ALIASES: [(&str, &str); 1] =
    [("INGEST_STAGING_UPLOADER_MAX_ATTEMPTS", "STAGING_UPLOADER_MAX_ATTEMPTS")];

pub(super) fn read(
    pick: &mut Pick<'_>,
    raw: BTreeMap<Spanned<String>, RawStage>,
    known: &[KnownStage],
) -> BTreeMap<&'static str, StageOverrides> {
    let mut written = BTreeMap::new();
    for (topic, section) in raw {
        if known.iter().any(|stage| stage.topic == topic.get_ref()) {
            written.insert(topic.into_inner(), section);
        } else {
            refuse(pick, topic, known);
        }
    }
    known
        .iter()
        .map(|stage| {
            let section = written.remove(stage.topic).unwrap_or_default();
            (stage.topic, overrides(pick, section, *stage))
        })
        .collect()
}

fn overrides(pick: &mut Pick<'_>, raw: RawStage, stage: KnownStage) -> StageOverrides {
    let name = |key: &str| format!("{SECTION}{}.{key}", stage.topic);
    let variable = |suffix: &str| stage.env.map(|prefix| format!("{prefix}_{suffix}"));
    let [workers, buffer, attempts] = ["WORKERS", "BUFFER_SIZE", "MAX_ATTEMPTS"].map(variable);
    let [workers, buffer, attempts] = [&workers, &buffer, &attempts].map(with_alias);
    let attempts_help = "Attempts before it is parked. Once set, it also limits the attempts of an \
        item that waits for a replica, which otherwise waits without limit.";
    StageOverrides {
        workers: pick.maybe(
            raw.workers,
            &Key::unset(&name("workers"), whole(1, 64), "3", "Items worked on at once.")
                .env(&workers),
        ),
        buffer: pick.maybe(
            raw.buffer,
            &Key::unset(&name("buffer"), whole(1, 1000), "20", "Most items held at once.")
                .env(&buffer),
        ),
        max_attempts: pick.maybe(
            raw.max_attempts,
            &Key::unset(&name("max_attempts"), whole(1, 100), "3", attempts_help).env(&attempts),
        ),
        retry: pick.maybe(
            raw.retry_s,
            &Key::unset(&name("retry_s"), seconds(0, 86_400), "60", "Pause before a new attempt."),
        ),
        lease: pick.maybe(
            raw.lease_s,
            &Key::unset(
                &name("lease_s"),
                seconds(5, 86_400),
                "300",
                "How long a silent attempt keeps its item.",
            ),
        ),
        patience: pick.maybe(
            raw.patience_s,
            &Key::unset(
                &name("patience_s"),
                seconds(1, 604_800),
                "3600",
                "How long one attempt is expected to take at most.",
            ),
        ),
    }
}

/// The names of a variable, its own first.
fn with_alias(variable: &Option<String>) -> Vec<&str> {
    let Some(own) = variable.as_deref() else { return Vec::new() };
    let alias = ALIASES.iter().find(|(name, _)| *name == own).map(|(_, alias)| *alias);
    std::iter::once(own).chain(alias).collect()
}

fn refuse(pick: &mut Pick<'_>, topic: Spanned<String>, known: &[KnownStage]) {
    let topics = || known.iter().map(|stage| stage.topic);
    let hint = match nearest(topic.get_ref(), topics()) {
        Some(near) => Hint::Near(near.to_owned()),
        None => Hint::OneOf(topics().map(str::to_owned).collect()),
    };
    let Some(place) = pick.place_in_file(&topic.span()) else { return };
    pick.refusals.push(Refusal::UnknownStage { place, topic: topic.into_inner(), hint });
}
