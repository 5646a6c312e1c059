//! The program's own pages, which the kernel may reclaim under memory pressure.

use crate::arch;

/// Brings in what is mapped of files here, the program and its libraries, so that none of it comes from a device in the
/// next moments; gives how many bytes that is. Before Linux 5.14 there is no such call: then it is none.
pub fn prefault() -> usize {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    files(&maps).filter(|&(start, length)| populate(start, length)).map(|(_, length)| length).sum()
}

/// Start and length of every private mapping of a file that may be read and has a name: files that are measured have
/// none.
fn files(maps: &str) -> impl Iterator<Item = (usize, usize)> {
    maps.lines().filter_map(|line| {
        let mut words = line.split_ascii_whitespace();
        let (start, end) = words.next()?.split_once('-')?;
        let rights = words.next()?;
        // Offset, device, inode, path.
        let is_file = words.nth(3)?.starts_with('/');
        let [start, end] = [start, end].map(|text| usize::from_str_radix(text, 16).ok());
        let (start, end) = (start?, end?);
        let is_ours = rights.starts_with('r') && rights.ends_with('p') && !line.ends_with("(deleted)");
        (is_ours && is_file).then_some((start, end.checked_sub(start)?))
    })
}

fn populate(start: usize, length: usize) -> bool {
    let arguments = [start, length, libc::MADV_POPULATE_READ as usize];
    // SAFETY: pages are read as if the program had; nothing of a mapping is changed, and one that is gone is refused.
    unsafe { arch::syscall::<{ libc::SYS_madvise }, _>(arguments) == 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAPS: &str = "55d0a000-55d0c000 r--p 00000000 fe:00 1234 /usr/bin/with spaces\n\
                        55d0c000-55d0d000 ---p 00002000 fe:00 1234 /usr/bin/with spaces\n\
                        55e00000-55e10000 rw-p 00000000 00:00 0 [heap]\n\
                        7f000000-7f001000 rw-p 00000000 00:00 0\n\
                        7f100000-7f180000 r-xp 00001000 fe:00 99 /lib/libc.so.6\n\
                        7f200000-7f210000 r--s 00000000 fe:00 100 /tmp/shared\n\
                        7f300000-7f310000 r--p 00000000 fe:00 101 /tmp/measured (deleted)\n\
                        nonsense\n";

    #[test]
    fn mappings_of_files_that_may_be_read_are_found() {
        let found: Vec<_> = files(MAPS).collect();
        assert_eq!(found, [(0x55d0_a000, 0x2000), (0x7f10_0000, 0x8_0000)]);
    }

    #[test]
    fn the_program_is_prefaulted_or_the_kernel_is_too_old() {
        let prefaulted = prefault();
        let address = prefault as fn() -> usize as usize;
        let refused = !populate(address & !4095, 4096);
        assert_eq!(prefaulted == 0, refused, "{prefaulted} bytes");
    }
}
