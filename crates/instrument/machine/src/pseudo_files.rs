//! Pseudo-files of the live machine: instructions and binary tables, as text.

use crate::dmi;
use crate::kernel::SHOWN_CONFIGURATION;
use crate::tree::{Absent, Found, Reason};
use crate::{checksum, loader};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

/// The auxiliary vector's entry for the page size, from `linux/auxvec.h`.
const AT_PAGESZ: u64 = 6;

/// An auxiliary vector has some 20 entries of 16 bytes.
const MOST_AUXILIARY_BYTES: u64 = 4096;

/// The table of the firmware is tens of kilobytes; the largest servers' are some hundreds.
const MOST_FIRMWARE_BYTES: u64 = 1 << 20;

/// The C library is 2 MB.
const MOST_LIBRARY_BYTES: u64 = 8 << 20;

/// A program maps some dozen files.
const MOST_MAPS_BYTES: u64 = 1 << 18;

/// A list of libraries is short.
const MOST_PRELOAD_BYTES: u64 = 1 << 14;

/// A configuration is some 300 kB.
const MOST_CONFIG_BYTES: u64 = 1 << 20;

/// Beginnings of the version text in C libraries.
const VERSION_TEXTS: [&str; 2] = ["GNU C Library", "musl libc"];

/// The C library that a program without a mapped one holds.
const STATIC_LIBRARY: &str = if cfg!(target_env = "musl") { "musl libc" } else { "GNU C Library" };

/// The longest version text.
const LONGEST_VERSION_TEXT: usize = 160;

/// A pseudo-file by its name below `oscope/`.
pub(crate) fn read(name: &str) -> Found<String> {
    match name {
        "architecture" => Ok(format!("{}\n", std::env::consts::ARCH)),
        "cpuid" => cpuid(),
        "page_size" => page_size(),
        "compiler" => compiler(),
        "memory_modules" => memory_modules(),
        "c_library" => c_library(),
        "variables" => Ok(variables()),
        "preload" => preload(),
        "kernel_config" => kernel_config(),
        _ => Err(Absent::missing(&format!("oscope/{name}"))),
    }
}

/// The first bytes of a regular file. Pipes and devices are not opened: that could block for ever.
pub(crate) fn bytes(place: &Path, most: u64) -> std::io::Result<Vec<u8>> {
    if !fs::metadata(place)?.is_file() {
        return Err(std::io::Error::other("not a regular file"));
    }
    let mut bytes = Vec::new();
    File::open(place)?.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn file(path: &str, most: u64) -> Found<Vec<u8>> {
    bytes(Path::new(path), most).map_err(|error| Absent::from_error(path, &error))
}

/// The leaves that a description uses, one a line: leaf, eax, ebx, ecx, edx in hexadecimal. None of them
/// holds a serial number; the number of the current CPU (leaf 1, ebx) is left out.
#[cfg(target_arch = "x86_64")]
fn cpuid() -> Found<String> {
    use std::arch::x86_64::__cpuid;
    use std::fmt::Write;

    /// Highest leaf; signature; frequencies; hypervisor's name; power and time.
    const LEAVES: [u32; 6] = [0, 1, 0x15, 0x16, 0x4000_0000, 0x8000_0007];
    let highest_basic = __cpuid(0).eax;
    let highest_extended = __cpuid(0x8000_0000).eax;
    let under_hypervisor = __cpuid(1).ecx >> 31 == 1;
    let mut text = String::new();
    for leaf in LEAVES {
        let there = match leaf {
            0x4000_0000 => under_hypervisor,
            0x8000_0000.. => leaf <= highest_extended,
            _ => leaf <= highest_basic,
        };
        if !there {
            continue;
        }
        let answer = __cpuid(leaf);
        let ebx = if leaf == 1 { 0 } else { answer.ebx };
        // Writing to a string cannot fail.
        let _ =
            writeln!(text, "{leaf:08x} {:08x} {ebx:08x} {:08x} {:08x}", answer.eax, answer.ecx, answer.edx);
    }
    Ok(text)
}

#[cfg(not(target_arch = "x86_64"))]
fn cpuid() -> Found<String> {
    Err(Absent::silent("CPUID", "this architecture has no such instruction"))
}

/// The compiler of this program, as it called itself when it was built.
fn compiler() -> Found<String> {
    let compiler = option_env!("OSCOPE_COMPILER");
    compiler.map(|text| format!("{text}\n")).ok_or_else(|| Absent::silent("the build", "named no compiler"))
}

/// The page size in bytes, which the kernel hands to every program.
fn page_size() -> Found<String> {
    let path = "/proc/self/auxv";
    let vector = file(path, MOST_AUXILIARY_BYTES)?;
    page_size_of(&vector)
        .map(|bytes| format!("{bytes}\n"))
        .ok_or_else(|| Absent::silent(path, "has no entry AT_PAGESZ"))
}

/// Entries are a type and a value, each as wide as a pointer.
fn page_size_of(vector: &[u8]) -> Option<u64> {
    const WIDTH: usize = size_of::<usize>();
    vector.chunks_exact(2 * WIDTH).find_map(|entry| {
        let (kind, value) = entry.split_at_checked(WIDTH)?;
        (word(kind)? == AT_PAGESZ).then(|| word(value))?
    })
}

fn word(bytes: &[u8]) -> Option<u64> {
    Some(usize::from_ne_bytes(bytes.try_into().ok()?) as u64)
}

fn memory_modules() -> Found<String> {
    let table = file("/sys/firmware/dmi/tables/DMI", MOST_FIRMWARE_BYTES)?;
    Ok(dmi::memory_modules(&table))
}

/// The variables of the environment that the dynamic linker and the C library read, sorted, one a line.
fn variables() -> String {
    let set = std::env::vars_os().map(|(name, value)| {
        [name, value].map(|text: OsString| text.to_string_lossy().replace(char::is_control, " "))
    });
    let mut lines: Vec<String> = set
        .filter(|[name, _]| loader::is_read(name))
        .map(|[name, value]| format!("{name}={value}\n"))
        .collect();
    lines.sort();
    lines.concat()
}

/// The libraries that the dynamic linker loads into every program; nothing where there is no such file.
fn preload() -> Found<String> {
    match file("/etc/ld.so.preload", MOST_PRELOAD_BYTES) {
        Err(Absent { reason: Reason::Missing, .. }) => Ok(String::new()),
        found => Ok(String::from_utf8_lossy(&found?).into_owned()),
    }
}

/// The sum of the configuration that the kernel was built with, as the kernel shows it or as the distribution keeps it.
fn kernel_config() -> Found<String> {
    let release = file("/proc/sys/kernel/osrelease", MOST_CONFIG_BYTES).unwrap_or_default();
    let kept = format!("/boot/config-{}", String::from_utf8_lossy(&release).trim());
    with_checksum(SHOWN_CONFIGURATION).or_else(|_: Absent| with_checksum(&kept))
}

fn with_checksum(path: &str) -> Found<String> {
    Ok(format!("{path} {}\n", checksum::checksum(&file(path, MOST_CONFIG_BYTES)?)))
}

/// The version of the C library that this process maps.
fn c_library() -> Found<String> {
    const MAPS: &str = "/proc/self/maps";
    let maps = file(MAPS, MOST_MAPS_BYTES)?;
    let maps = String::from_utf8_lossy(&maps);
    let path = maps
        .lines()
        .filter_map(|line| line.split_once('/').map(|(_, rest)| format!("/{rest}")))
        .find(|path| is_c_library(path));
    let Some(path) = path else {
        return Ok(format!("{STATIC_LIBRARY}, linked statically\n"));
    };
    let library = file(&path, MOST_LIBRARY_BYTES)?;
    version_text(&library).ok_or_else(|| Absent::silent(&path, "has no version text"))
}

fn is_c_library(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    name.starts_with("libc.so") || name.starts_with("libc-") || name.starts_with("ld-musl-")
}

fn version_text(library: &[u8]) -> Option<String> {
    VERSION_TEXTS.iter().find_map(|words| {
        let words = words.as_bytes();
        let start = library.windows(words.len()).position(|part| part == words)?;
        let text = library.get(start..)?.iter().take(LONGEST_VERSION_TEXT);
        let text: Vec<u8> = text.copied().take_while(|byte| (b' '..=b'~').contains(byte)).collect();
        String::from_utf8(text).ok().map(|text| format!("{text}\n"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_size_is_read_from_the_auxiliary_vector() {
        let entries: [usize; 6] = [33, 1, 6, 16_384, 0, 0];
        let vector: Vec<u8> = entries.iter().flat_map(|word| word.to_ne_bytes()).collect();
        assert_eq!(page_size_of(&vector), Some(16_384));
        assert_eq!(page_size_of(vector.get(..20).unwrap()), None);
        assert_eq!(page_size_of(&[]), None);
    }

    #[test]
    fn version_of_the_c_library_is_found() {
        let library = b"\0\x7fELF..\0GNU C Library (Debian GLIBC 2.36-9) stable release version 2.36.\nmore";
        assert_eq!(
            version_text(library).unwrap(),
            "GNU C Library (Debian GLIBC 2.36-9) stable release version 2.36.\n"
        );
        assert_eq!(version_text(b"nothing"), None);
        assert!(is_c_library("/usr/lib/libc.so.6"));
        assert!(is_c_library("/lib/libc-2.31.so"));
        assert!(!is_c_library("/usr/lib/libcurl.so.4"));
    }

    #[test]
    fn unknown_pseudo_file_is_missing() {
        assert!(read("nothing").is_err());
        assert_eq!(read("architecture").unwrap().trim(), std::env::consts::ARCH);
    }
}
