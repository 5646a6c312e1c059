//! Instructions of an iteration, counted in an emulator: facts about a kernel that its source names.

use record::PointId;

/// The table of an earlier form of `oscope count`: `operation,point,instructions` behind lines that name the kernel.
const TABLE: &str = include_str!("counts.csv");

/// The instructions of an iteration of a point, the kernel's and the program's; `None` where none were counted.
pub fn counted(point: &PointId) -> Option<f64> {
    rows(TABLE).find(|(id, _)| id == point).map(|(_, count)| count)
}

/// The points of a table and their counts.
pub fn rows(table: &str) -> impl Iterator<Item = (PointId, f64)> {
    table.lines().filter_map(|line| {
        let (name, count) = line.rsplit_once(',')?;
        let (operation, point) = name.split_once(',')?;
        Some((PointId::new(operation, point), count.parse().ok()?))
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_line_is_a_comment_a_heading_or_a_count() {
        let read = rows(TABLE).count();
        let comments = TABLE.lines().filter(|line| line.starts_with('#')).count();
        assert_eq!(read + comments + 1, TABLE.lines().count());
        assert!(rows(TABLE).all(|(_, count)| count > 0.0));
        assert!(TABLE.contains("Linux 6."), "the kernel is not named");
    }

    #[test]
    fn counts_are_found_by_point() {
        let floor = counted(&PointId::new("syscall.floor", "")).unwrap();
        let stat = counted(&PointId::new("syscall.stat", "")).unwrap();
        assert!(floor < stat, "{floor} {stat}");
        assert_eq!(counted(&PointId::new("syscall.floor", "cpu=same")), None);
    }
}
