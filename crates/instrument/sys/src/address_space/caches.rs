//! The last-level cache of a CPU, as the kernel reports it.

use std::fs;
use std::path::Path;

/// A CPU has no more caches.
const MOST_CACHES: usize = 16;

/// Bytes of the largest data cache of the calling CPU; `None` where the kernel reports none.
pub fn last_level_cache() -> Option<usize> {
    let cpu = crate::cpu::current().unwrap_or(0);
    last_below(Path::new(&format!("/sys/devices/system/cpu/cpu{cpu}/cache")))
}

fn last_below(folder: &Path) -> Option<usize> {
    let read =
        |index: usize, file: &str| fs::read_to_string(folder.join(format!("index{index}/{file}"))).ok();
    let caches = (0..MOST_CACHES).map_while(|index| Some((read(index, "type")?, read(index, "size")?)));
    let of_data = caches.filter(|(kind, _)| kind.trim() != "Instruction");
    of_data.filter_map(|(_, size)| bytes(size.trim())).max()
}

/// `480K`, as the kernel writes sizes of caches.
fn bytes(text: &str) -> Option<usize> {
    let kibibytes: usize = text.strip_suffix('K')?.parse().ok()?;
    kibibytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_cache_that_holds_data_counts() {
        let folder = std::env::temp_dir().join(format!("oscope-caches-{}", std::process::id()));
        let caches = [("Data\n", "48K\n"), ("Unified\n", "2048K\n"), ("Instruction\n", "4096K\n")];
        for (index, (kind, size)) in caches.into_iter().enumerate() {
            let cache = folder.join(format!("index{index}"));
            fs::create_dir_all(&cache).unwrap();
            fs::write(cache.join("type"), kind).unwrap();
            fs::write(cache.join("size"), size).unwrap();
        }
        let found = last_below(&folder);
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!((found, last_below(&folder)), (Some(2 << 20), None));
        assert_eq!(bytes("strange"), None);
    }
}
