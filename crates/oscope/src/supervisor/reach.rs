//! Where the rest of a budget goes: to points that can become narrow in it.

/// As many of the points as their needs together leave room for, those that need least first; none where not even one has
/// room.
pub fn within_reach(mut open: Vec<usize>, left: f64, need: impl Fn(usize) -> f64) -> Vec<usize> {
    open.sort_by(|&a, &b| need(a).total_cmp(&need(b)));
    let mut sum = 0.0;
    let fits = |index: &&usize| {
        sum += need(**index);
        sum <= left
    };
    let count = open.iter().take_while(fits).count();
    open.truncate(count);
    open
}

#[cfg(test)]
mod tests {
    use super::within_reach;

    const NEEDS: [f64; 4] = [50.0, 10.0, 1_000.0, 30.0];

    fn reached(left: f64) -> Vec<usize> {
        within_reach(vec![0, 1, 2, 3], left, |index| NEEDS[index])
    }

    #[test]
    fn points_that_need_least_come_first() {
        assert_eq!(reached(95.0), [1, 3, 0]);
        assert_eq!(reached(40.0), [1, 3]);
        assert_eq!(reached(2_000.0).len(), 4);
    }

    #[test]
    fn a_point_without_room_is_left_out() {
        assert!(reached(5.0).is_empty() && reached(-1.0).is_empty());
    }
}
