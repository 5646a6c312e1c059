//! Operations on several CPUs, compared with the same on one: speed-up, and the shares that limit it.

use crate::answers::contrast::quotient_of;
use crate::rows::row::{Row, find};
use record::{PointId, Range};
use stats::scaling::{Scaling, Slowing, scaling};

/// An operation on several numbers of CPUs.
#[derive(Debug, Clone, PartialEq)]
pub struct ScalingCurve {
    /// What its points share: all but the number of CPUs.
    pub of: PointId,
    /// They, in the order of the plan.
    pub points: Vec<ScaledPoint>,
    /// The serial share and the coherence; `None` where no point has an interval.
    pub shares: Option<Scaling>,
}

/// An operation on a number of CPUs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScaledPoint {
    /// The CPUs.
    pub cpus: u32,
    /// The work of all in the time of one alone, with the interval of the next run.
    pub speed_up: Range,
    /// What was predicted of it, from the time of one.
    pub predicted: Option<f64>,
}

impl ScaledPoint {
    /// The speed-up for each CPU.
    pub fn efficiency(&self) -> f64 {
        self.speed_up.value / f64::from(self.cpus)
    }

    /// The time of an operation of each CPU as a multiple of that of one alone.
    fn slowing(&self) -> Slowing {
        let workers = f64::from(self.cpus);
        let [low, high] = [self.speed_up.high, self.speed_up.low].map(|speed_up| workers / speed_up);
        Slowing { workers, times: workers / self.speed_up.value, half: (high - low) / 2.0 }
    }
}

/// The curves of all rows that are compared with one of a single CPU.
pub(crate) fn curves(rows: &[Row]) -> Vec<ScalingCurve> {
    let mut curves: Vec<ScalingCurve> = Vec::new();
    for row in rows {
        let Some(point) = scaled(row, rows) else { continue };
        let of = row.point.id.without("cpus");
        match curves.iter_mut().find(|curve| curve.of == of) {
            Some(curve) => curve.points.push(point),
            None => curves.push(ScalingCurve { of, points: vec![point], shares: None }),
        }
    }
    for curve in &mut curves {
        let slowings: Vec<Slowing> = curve.points.iter().map(ScaledPoint::slowing).collect();
        curve.shares = scaling(&slowings);
    }
    curves
}

fn scaled(row: &Row, rows: &[Row]) -> Option<ScaledPoint> {
    let cpus = row.point.cpus.filter(|&cpus| cpus > 1)?;
    let alone = find(rows, row.point.alone.as_ref()?)?;
    let once = quotient_of(of_next_run(alone)?, of_next_run(row)?)?;
    let times = |factor: f64| factor * f64::from(cpus);
    // By parts measured in this run, or both times from facts.
    let by_parts = || Some(alone.typical()? / row.from_parts.as_ref()?.total.value);
    let by_facts = || Some(alone.from_facts.as_ref()?.total.value / row.from_facts.as_ref()?.total.value);
    Some(ScaledPoint {
        cpus,
        speed_up: Range { low: times(once.low), value: times(once.value), high: times(once.high) },
        predicted: by_parts().or_else(by_facts).map(times).filter(|predicted| predicted.is_finite()),
    })
}

/// A value with the interval in which the next run finds it: actors on several CPUs agree within a run, and may be in another
/// state in the next one.
fn of_next_run(row: &Row) -> Option<Range> {
    let (value, factor) = (row.typical()?, 1.0 + row.next_run_half_width()?);
    Some(Range { low: value / factor, value, high: value * factor })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::answers::fixtures::row;
    use quantity::Quantity;

    fn point(text: &str, cpus: u32, range: (f64, f64, f64)) -> Row {
        let mut row = row("scaling.x", &format!("{text} cpus={cpus}"), Quantity::Latency, range);
        row.point.alone = Some(PointId::new("scaling.x", "object=own cpus=1"));
        row.point.cpus = Some(cpus);
        row
    }

    #[test]
    fn speed_up_is_the_work_of_all_in_the_time_of_one() {
        let rows = [
            point("object=own", 1, (99.0, 100.0, 101.0)),
            point("object=own", 2, (100.0, 101.0, 102.0)),
            point("object=shared", 2, (180.0, 200.0, 220.0)),
            point("object=shared", 4, (380.0, 400.0, 420.0)),
        ];
        let [own, shared] = <[ScalingCurve; 2]>::try_from(curves(&rows)).unwrap();
        assert_eq!(own.of, PointId::new("scaling.x", "object=own"));
        assert!((own.points[0].speed_up.value - 200.0 / 101.0).abs() < 1e-12);
        assert!((own.points[0].efficiency() - 100.0 / 101.0).abs() < 1e-12);
        let [two, four] = <[ScaledPoint; 2]>::try_from(shared.points).unwrap();
        assert_eq!((two.speed_up.value, four.speed_up.value), (1.0, 1.0));
        // The interval is that of the next run, wider than that of this one.
        assert!(two.speed_up.low > 0.5 && two.speed_up.low < 2.0 * 99.0 / 220.0, "{two:?}");
        // Everything is done one after the other.
        let serial = shared.shares.unwrap().serial;
        assert!((serial.value - 1.0).abs() < 0.01 && serial.half < 0.6, "{serial:?}");
    }

    #[test]
    fn nothing_is_compared_without_the_point_of_one_cpu_or_its_number() {
        let two = point("object=own", 2, (100.0, 101.0, 102.0));
        assert!(curves(std::slice::from_ref(&two)).is_empty());
        let without_number = Row { estimate: None, ..point("object=own", 1, (1.0, 1.0, 1.0)) };
        assert!(curves(&[without_number, two]).is_empty());
    }
}
