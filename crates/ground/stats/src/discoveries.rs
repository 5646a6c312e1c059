//! Which of many hypotheses to reject, so that few of those rejected are true.

/// Marks the p-values that may be called discoveries while the expected share of false ones among them is at most `rate`.
/// Values that are no number are never marked.
///
/// Benjamini and Hochberg, "Controlling the false discovery rate", 1995; it holds for independent tests and for those
/// that depend positively on each other, as costs on one machine do (Benjamini and Yekutieli, 2001).
pub fn discoveries(p_values: &[f64], rate: f64) -> Vec<bool> {
    let limit = largest_discovery(p_values, rate);
    p_values.iter().map(|p| *p <= limit).collect()
}

/// The largest p-value that is a discovery; negative where there is none.
fn largest_discovery(p_values: &[f64], rate: f64) -> f64 {
    let mut sorted: Vec<f64> = p_values.iter().copied().filter(|p| p.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let tests = sorted.len() as f64;
    let ranked = sorted.iter().enumerate().rev();
    let mut small = ranked.filter(|(rank, p)| **p <= rate * (*rank as f64 + 1.0) / tests);
    small.next().map_or(-1.0, |(_, p)| *p)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_the_paper_has_four_discoveries() {
        // Fifteen comparisons of treatments, Benjamini and Hochberg's section 4.1.
        let p_values = [
            0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719,
            0.6528, 0.7590, 1.0,
        ];
        let found = discoveries(&p_values, 0.05);
        assert_eq!(found.iter().filter(|found| **found).count(), 4);
        assert!(found.iter().take(4).all(|found| *found));
    }

    #[test]
    fn of_noise_alone_hardly_anything_is_found() {
        let mut random = fastrand::Rng::with_seed(3);
        let runs = 1000;
        let wrong = (0..runs).filter(|_| {
            let p_values: Vec<f64> = (0..50).map(|_| random.f64()).collect();
            discoveries(&p_values, 0.05).contains(&true)
        });
        let wrong = wrong.count();
        assert!((20..=80).contains(&wrong), "{wrong} of {runs}");
    }

    #[test]
    fn nothing_is_found_in_nothing() {
        assert_eq!(discoveries(&[], 0.05), []);
        assert_eq!(discoveries(&[f64::NAN, 1e-9], 0.05), [false, true]);
    }
}
