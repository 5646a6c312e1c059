//! Where programs are that start workers.

use record::Skip;
use std::path::PathBuf;

/// Directories of programs that are not on the `PATH` of an ordinary user: Debian's runc is there.
const SYSTEM_DIRECTORIES: [&str; 3] = ["/usr/local/sbin", "/usr/sbin", "/sbin"];

/// Where a program is: on the `PATH`, or among those of the system. Debian 12 has emulators under the second name.
pub fn located(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    [program.to_owned(), format!("{program}-static")].iter().find_map(|name| {
        std::env::split_paths(&path)
            .chain(SYSTEM_DIRECTORIES.map(PathBuf::from))
            .map(|directory| directory.join(name))
            .find(|file| file.is_file())
    })
}

/// Where a program of this Debian package is.
pub fn needs(program: &str, package: &str) -> Result<PathBuf, Skip> {
    located(program).ok_or_else(|| Skip {
        reason: format!("{program} is not installed"),
        remedy: format!("install it (Debian: package {package})"),
    })
}
