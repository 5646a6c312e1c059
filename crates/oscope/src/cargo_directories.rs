//! The directories that `cargo run` puts in front of the search path of the dynamic linker. They hold no library of this program, but
//! every program that a worker starts would look for its libraries there first, and the record would be of another environment.

use std::env::{current_exe, join_paths, split_paths, var_os};
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// The search path of the dynamic linker (ld.so(8)).
const SEARCH_PATH: &str = "LD_LIBRARY_PATH";

/// Takes cargo's directories out of the search path, where cargo runs this program. It is called before there are other threads.
pub fn leave_out() {
    let (Some(_), Some(paths), Ok(program)) = (var_os("CARGO"), var_os(SEARCH_PATH), current_exe()) else {
        return;
    };
    if let Some(kept) = without_cargo(&paths, program.parent().unwrap_or(&program)) {
        let kept = Some(kept).filter(|kept| !kept.is_empty());
        // What cannot be changed stays, and the record has it.
        let _ = sys::settings::set_variable(SEARCH_PATH, kept.as_deref());
    }
}

/// The search path without the directories of a build and of a toolchain.
fn without_cargo(paths: &OsStr, build: &Path) -> Option<OsString> {
    let is_of_toolchain =
        |path: &Path| path.iter().any(|part| part == "rustlib") || path.join("rustlib").is_dir();
    join_paths(split_paths(paths).filter(|path| !path.starts_with(build) && !is_of_toolchain(path))).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_of_cargo_are_left_out_and_those_of_the_user_stay() {
        let toolchain = tempfile::tempdir().unwrap();
        std::fs::create_dir(toolchain.path().join("rustlib")).unwrap();
        let toolchain = toolchain.path().display();
        let set = format!(
            "/w/target/release/build/zstd-1/out:/w/target/release:/t/lib/rustlib/x86_64/lib:{toolchain}:/opt/own/lib"
        );
        let kept = |paths: &str| without_cargo(OsStr::new(paths), Path::new("/w/target/release"));
        assert_eq!(kept(&set), Some("/opt/own/lib".into()));
        assert_eq!(kept("/w/target/release/deps"), Some("".into()));
    }
}
