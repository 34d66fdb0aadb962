//! The two-pass matcher as it was described, with its panics turned into bounds: what ours is
//! measured against.

/// Samples of the loudest stretch that anchors the comparison, and of the two passes.
const LOUD: usize = 2_756;
const FIRST: (usize, f64) = (50, 0.60);
const SECOND: (usize, f64) = (500, 0.90);

/// Samples of the target where the candidate begins.
pub(crate) fn offsets(target: &[f32], candidate: &[f32]) -> Vec<usize> {
    if candidate.len() < LOUD + 1 || target.len() < candidate.len() {
        return Vec::new();
    }
    let anchor = anchor(candidate);
    let (mut peaks, mut open): (Vec<usize>, Option<(usize, f64)>) = (Vec::new(), None);
    let first = &candidate[anchor..(anchor + FIRST.0).min(candidate.len())];
    let second = &candidate[anchor..(anchor + SECOND.0).min(candidate.len())];
    for at in 0..=target.len() - candidate.len() {
        if cosine(&target[at..at + first.len()], first) < FIRST.1 {
            continue;
        }
        let score = cosine(&target[at..at + second.len()], second);
        if score.is_nan() || score < SECOND.1 {
            continue;
        }
        open = match open {
            Some((peak, _)) if at > peak + candidate.len() => {
                peaks.push(peak);
                Some((at, score))
            }
            Some((_, best)) if score > best => Some((at, score)),
            None => Some((at, score)),
            kept => kept,
        };
    }
    peaks.extend(open.map(|(peak, _)| peak));
    peaks.into_iter().map(|peak| peak.saturating_sub(anchor)).collect()
}

fn anchor(candidate: &[f32]) -> usize {
    let energy = |from: usize| candidate[from..from + LOUD].iter().map(|it| it * it).sum::<f32>();
    let (mut best, mut most) = (0, f32::MIN);
    for from in (0..candidate.len() - LOUD).step_by(16) {
        let energy = energy(from);
        if energy > most {
            (best, most) = (from, energy);
        }
    }
    best
}

/// As described: the norms of both windows are computed for every position.
fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let (mut dot, mut left, mut right) = (0.0_f64, 0.0_f64, 0.0_f64);
    for (&a, &b) in a.iter().zip(b) {
        let (a, b) = (f64::from(a), f64::from(b));
        dot += a * b;
        left += a * a;
        right += b * b;
    }
    dot / (left.sqrt() * right.sqrt())
}
