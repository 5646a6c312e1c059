//! The exposition in Prometheus' text format.

use crate::scene::{Machine, watched};
use watch::exposition;

#[test]
fn histograms_are_cumulative_and_every_sample_has_a_type() {
    let (watch, _) = watched(&mut Machine::new(9), 600.0);
    let text = exposition(&watch, &[("kernel", "6.1 \"x\"".to_owned())]);
    assert!(text.contains("kernel=\"6.1 \\\"x\\\"\"") && text.ends_with('\n'));
    let types: Vec<&str> =
        text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next()).collect();
    let mut last = 0.0;
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (name, value) = (line.split(['{', ' ']).next().unwrap(), line.rsplit(' ').next().unwrap());
        assert!(types.iter().any(|known| name.starts_with(known)), "{line}");
        let value: f64 = value.parse().unwrap();
        if name.ends_with("_bucket") {
            assert!(value >= last || line.contains("le=\"0.000000001\""), "{line}");
            last = value;
        }
    }
}
