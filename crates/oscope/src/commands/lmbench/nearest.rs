//! The declared point that is nearest to one that lmbench would take: lmbench measures any size, oscope those of its cards.

use crate::Operations;
use crate::exit::usage;
use crate::operation_list::operation;
use crate::select::Selected;
use record::Profile;

/// The point of this name, or the one whose sizes and counts are nearest by their ratio; every other parameter is as asked.
///
/// # Errors
/// When the operation has none.
pub fn nearest(operations: Operations, wanted: &str) -> anyhow::Result<Selected> {
    let (id, parameters) = wanted.split_once(' ').unwrap_or((wanted, ""));
    let found = operation(operations, id).and_then(|operation| {
        let points = operation.points_of(Profile::Thorough);
        let near = points.into_iter().filter_map(|point| Some((distance(parameters, &point.text())?, point)));
        near.min_by(|(one, _), (other, _)| one.total_cmp(other)).map(|(_, point)| (operation, point))
    });
    found.ok_or_else(|| usage(format!("no point is like '{wanted}'")))
}

/// How far the parameters of two points are from each other, as the sum of logarithms; `None` where a word differs.
fn distance(wanted: &str, there: &str) -> Option<f64> {
    let (wanted, there): (Vec<&str>, Vec<&str>) = (words(wanted), words(there));
    if wanted.len() != there.len() {
        return None;
    }
    wanted.iter().zip(&there).map(|(wanted, there)| distance_of_words(wanted, there)).sum()
}

fn words(parameters: &str) -> Vec<&str> {
    parameters.split(' ').filter(|word| !word.is_empty()).collect()
}

fn distance_of_words(wanted: &str, there: &str) -> Option<f64> {
    let ((name, wanted), (other, there)) = (wanted.split_once('=')?, there.split_once('=')?);
    if (name, wanted) == (other, there) {
        return Some(0.0);
    }
    let distance = (number(wanted)? / number(there)?).ln().abs();
    (name == other && distance.is_finite()).then_some(distance)
}

/// A size in bytes, a time in seconds, or a count; none is zero here but the size of an empty file or buffer.
fn number(text: &str) -> Option<f64> {
    let bytes = quantity::parse_bytes(text).ok().map(|bytes| super::answer::exactly(bytes.bytes()));
    let seconds = || quantity::parse_duration(text).ok().map(|time| time.as_secs_f64());
    // Below the smallest size that any point has, nothing is nearer to 1 KiB than to nothing.
    bytes.or_else(seconds).map(|number| number.max(f64::MIN_POSITIVE))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn found(wanted: &str) -> String {
        let (operation, point) = nearest(flawed::all_operations(), wanted).unwrap();
        operation.point_id(&point).to_string()
    }

    #[test]
    fn a_declared_point_is_itself() {
        for name in [
            "syscall.stat",
            "ipc.pipe.round_trip cpu=same",
            "switch.process.ring processes=96 bytes=16KiB",
            "file.create file_size=0B",
        ] {
            assert_eq!(found(name), name);
        }
    }

    #[test]
    fn sizes_go_to_the_nearest_by_their_ratio_and_words_to_themselves() {
        let copy = |bytes| format!("memory.bandwidth.copy method=library bytes={bytes} cpus=1");
        assert_eq!(found(&copy("64MiB")), copy("128MiB"));
        assert_eq!(found(&copy("1KiB")), copy("16KiB"));
        assert_eq!(
            found("switch.process.ring processes=20 bytes=0B"),
            "switch.process.ring processes=24 bytes=0B"
        );
        let wrong = nearest(flawed::all_operations(), "ipc.pipe.round_trip cpu=third").unwrap_err();
        assert!(wrong.to_string().contains("cpu=third"), "{wrong}");
    }
}
