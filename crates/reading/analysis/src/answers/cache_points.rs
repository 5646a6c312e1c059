//! Which points tell of a cache: what was found of its level, and loads from working sets that it holds.

use record::{Machine, PointId};

/// Working sets at least this many times as large as the cache before, and at most this part of the cache, are served by it: nearer
/// to either end another level serves some of their loads.
const CLEAR_OF_ENDS: f64 = 2.0;

/// The operations that have such points.
pub const CACHE_OPERATIONS: [&str; 2] = [LOADS, LEVELS];

const LOADS: &str = "memory.latency";
const LEVELS: &str = "memory.levels";

/// The reported size of a cache that holds data, by its name.
fn size_of(machine: &Machine, cache: &str) -> Option<f64> {
    machine.number(&format!("cache.{cache}.size")).filter(|_| !cache.ends_with('i'))
}

/// Whether a cache of the machine that holds data has this name: `l1d`, `L3`.
pub fn is_data_cache(machine: &Machine, name: &str) -> bool {
    size_of(machine, &name.to_lowercase()).is_some()
}

/// Whether a point tells of this cache of the machine.
pub fn tells_of_cache(id: &PointId, machine: &Machine, cache: &str) -> bool {
    let cache = cache.to_lowercase();
    let size = |name: &str| size_of(machine, name);
    let Some(reported) = size(&cache) else { return false };
    match id.operation.as_str() {
        LEVELS => {
            let level = id.parameter("level");
            level.is_some_and(|level| cache.trim_start_matches('l').trim_end_matches('d') == level)
        }
        LOADS if id.parameter("page_size") == Some("4KiB") => {
            let smaller =
                ["l1d", "l2", "l3", "l4"].into_iter().filter_map(size).filter(|one| *one < reported);
            let before = smaller.fold(0.0, f64::max);
            let bytes = id.parameter("bytes").and_then(|text| quantity::parse_bytes(text).ok());
            bytes.is_some_and(|bytes| {
                let bytes = bytes.bytes() as f64;
                bytes >= CLEAR_OF_ENDS * before && CLEAR_OF_ENDS * bytes <= reported
            })
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::fixtures::machine;

    #[test]
    fn levels_and_loads_between_two_caches_tell_of_the_outer_one() {
        let kib = |size: f64| size * 1024.0;
        let sizes = [
            ("cache.l1d.size", kib(32.0)),
            ("cache.l1i.size", kib(32.0)),
            ("cache.l2.size", kib(512.0)),
            ("cache.l3.size", kib(32_768.0)),
        ];
        let machine = machine(&[], &sizes);
        let loads = |bytes: &str| ("memory.latency", format!("page_size=4KiB bytes={bytes}"));
        let level = |level: u8| ("memory.levels", format!("level={level} property=capacity"));
        for (cache, (operation, point), tells) in [
            ("L3", loads("1MiB"), true),
            ("l3", loads("16MiB"), true),
            ("L3", loads("24MiB"), false),
            ("L3", loads("512KiB"), false),
            ("L3", ("memory.latency", "page_size=2MiB bytes=4MiB".to_owned()), false),
            ("L1d", loads("16KiB"), true),
            ("L1i", loads("16KiB"), false),
            ("L2", loads("128KiB"), true),
            ("L4", loads("64MiB"), false),
            ("L3", level(3), true),
            ("L3", level(2), false),
            ("L1d", level(1), true),
            ("L3", ("memory.stride", "page_size=4KiB bytes=4MiB".to_owned()), false),
        ] {
            let id = PointId::new(operation, &point);
            assert_eq!(tells_of_cache(&id, &machine, cache), tells, "{cache} {id}");
        }
    }
}
