//! The two sums that offsets and scores have always been made with.

/// Where a sample falls on the time line, truncated to whole nanoseconds.
#[must_use]
pub fn nanoseconds(index: u64, rate: u32) -> i64 {
    let rate = u128::from(rate.max(1));
    i64::try_from(u128::from(index) * 1_000_000_000 / rate).unwrap_or(i64::MAX)
}

/// How alike two windows of equal length are, whatever their loudness. Silence is like nothing: it
/// gives NaN, which fails every threshold. Of windows of unequal length the common part counts.
#[must_use]
pub fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let (mut dot, mut left, mut right) = (0.0_f64, 0.0_f64, 0.0_f64);
    for (&a, &b) in a.iter().zip(b) {
        let (a, b) = (f64::from(a), f64::from(b));
        dot += a * b;
        left += a * a;
        right += b * b;
    }
    dot / (left.sqrt() * right.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_truncated_as_it_always_was() {
        for (index, ns) in [
            (0, 0),
            (1, 45_351),
            (21, 952_380),
            (11_025, 500_000_000),
            (30_000, 1_360_544_217),
            (79_380_000, 3_600_000_000_000),
        ] {
            assert_eq!(nanoseconds(index, 22_050), ns, "sample {index}");
        }
        assert_eq!(nanoseconds(u64::MAX, 1), i64::MAX);
        assert_eq!(nanoseconds(5, 0), 5_000_000_000, "a rate of nothing is taken for one");
    }

    #[test]
    fn cosine_is_as_it_always_was() {
        let a = [2.0, 0.0, 1.0, 1.0, 0.0, 2.0, 1.0, 1.0];
        let b = [2.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0];
        assert_eq!(cosine(&a, &b), 0.821_583_836_257_749_1);
        assert!(cosine(&[0.0; 8], &b).is_nan());
        assert!(cosine(&[], &[]).is_nan());
    }
}
