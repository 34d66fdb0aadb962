//! Many sites at once, on the pool of the caller.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::assess::{
    AssessError, Assessment, Measured, Method, Options, Progress, Rates, assess, measure, no_pulse,
    settled,
};
use super::reference::Reference;
use super::site::Site;

/// Called after each site, from any thread, with how many of how many are done.
pub type BatchPulse<'p> = &'p (dyn Fn(Progress) -> ControlFlow<()> + Sync);

/// Assesses sites, in their order. Sites out of scope are told too; the older service leaves them
/// out of its table.
pub fn assess_batch(
    reference: &Reference,
    sites: &[Site],
    method: &Method,
    options: &Options,
    pool: &rayon::ThreadPool,
    pulse: BatchPulse<'_>,
) -> Result<Vec<Assessment>, AssessError> {
    let done = AtomicUsize::new(0);
    let beat = || {
        let tiles_done = done.fetch_add(1, Ordering::Relaxed) + 1;
        match pulse(Progress { tiles_done, tiles_in_all: sites.len() }) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(AssessError::Cancelled),
        }
    };
    pool.install(|| match options.strict_parity {
        false => sites
            .par_iter()
            .map(|site| {
                let assessment = assess(reference, site, method, options, &no_pulse)?;
                beat().map(|()| assessment)
            })
            .collect(),
        true => {
            let measured: Result<Vec<Measured>, AssessError> = sites
                .par_iter()
                .map(|site| {
                    let measured = measure(reference, site, method, options, &no_pulse)?;
                    beat().map(|()| measured)
                })
                .collect();
            let measured = measured?;
            let rates = neighbourly_rates(reference, &measured);
            let each = sites.iter().zip(measured).zip(rates);
            Ok(each
                .map(|((site, measured), rates)| {
                    settled(reference, site, method, options, measured, rates)
                })
                .collect())
        }
    })
}

/// As the older service does it: a site without rates takes the mean of those of the sites that
/// share its works.
fn neighbourly_rates(reference: &Reference, measured: &[Measured]) -> Vec<Option<Rates>> {
    let own: Vec<Option<Rates>> =
        measured.iter().map(|it| Rates::of_joined_name(reference, it)).collect();
    let mut groups: BTreeMap<i64, Vec<Option<&Rates>>> = BTreeMap::new();
    for (measured, rates) in measured.iter().zip(&own) {
        groups.entry(measured.works).or_default().push(rates.as_ref());
    }
    let mean = |group: &Vec<Option<&Rates>>| {
        let count = group.iter().flatten().count();
        // Sites without rates stand in the sum as zeros, as they do there: its last digit tells.
        let of = |value: fn(&Rates) -> f64| {
            let values: Vec<f64> = group.iter().map(|it| it.map_or(0.0, value)).collect();
            pairwise_sum(&values) / count as f64
        };
        (count > 0).then(|| Rates {
            occupancy: of(|it| it.occupancy),
            litres_per_person: of(|it| it.litres_per_person),
            from: "the mean of sites with the same works".to_owned(),
        })
    };
    let means: BTreeMap<i64, Option<Rates>> =
        groups.iter().map(|(works, group)| (*works, mean(group))).collect();
    let filled = own
        .iter()
        .zip(measured)
        .map(|(rates, it)| rates.clone().or_else(|| means.get(&it.works).cloned().flatten()));
    filled.collect()
}

/// The sum in the order in which numpy adds: eight sums side by side, halves above 128 numbers.
fn pairwise_sum(values: &[f64]) -> f64 {
    match values.len() {
        0..8 => values.iter().sum(),
        8..=128 => {
            let (rows, rest) = values.as_chunks::<8>();
            let mut sums = [0.0; 8];
            for row in rows {
                for (sum, value) in sums.iter_mut().zip(row) {
                    *sum += value;
                }
            }
            let [a, b, c, d, e, f, g, h] = sums;
            let all = ((a + b) + (c + d)) + ((e + f) + (g + h));
            rest.iter().fold(all, |sum, value| sum + value)
        }
        count => {
            let half = count / 2;
            let (first, second) = values.split_at(half - half % 8);
            pairwise_sum(first) + pairwise_sum(second)
        }
    }
}
