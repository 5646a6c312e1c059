//! What a ring of earlier days says is usual for each channel.

use crate::commands::run::Outline;
use crate::history::{Conditions, Differs};
use crate::kept;
use record::{Header, PointId};
use std::collections::HashMap;
use std::path::Path;
use watch::Usual;

/// What is usual for the channels of a ring, if it goes back far enough; of this machine and of the same revision of the operation.
pub(super) fn usual(folder: &Path, outline: &Outline) -> HashMap<PointId, Usual> {
    let header = Header { boot: crate::commands::run::boot(), ..Header::default() };
    let own = Conditions::from_parts(&header, &outline.machine, None, Some(&outline.plan));
    let revisions: HashMap<&PointId, u32> =
        outline.plan.points.iter().map(|point| (&point.id, point.revision)).collect();
    let mut readings: HashMap<PointId, Vec<(i64, f64)>> = HashMap::new();
    // A ring that is not there yet has nothing to say.
    let _ = kept::minutes(folder, |run| {
        let differences = run.conditions().differences(own);
        if differences.iter().any(|differs| matches!(differs, Differs::Machine(_))) {
            return;
        }
        let Ok(at) = run.header.started.parse::<jiff::Timestamp>() else { return };
        for row in run.rows {
            if let Some(typical) = row.typical.filter(|_| revisions.get(&row.id) == Some(&row.revision)) {
                readings.entry(row.id).or_default().push((at.as_second(), typical));
            }
        }
    });
    let usual =
        readings.into_iter().filter_map(|(id, readings)| Some((id, Usual::from_readings(&readings)?)));
    usual.collect()
}
