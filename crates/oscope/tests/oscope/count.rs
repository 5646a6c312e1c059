//! `oscope count` as a user sees it: words and files on any machine, boots where there are QEMU and a kernel.

use crate::{oscope, outcome, refused, said};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Counts of two kernels: one path is 2 instructions longer, one is equal, one is noisy.
const COUNTS: [&str; 2] = [
    concat!(env!("CARGO_MANIFEST_DIR"), "/tests/counts/before.json"),
    concat!(env!("CARGO_MANIFEST_DIR"), "/tests/counts/after.json"),
];

#[test]
fn difference_of_two_kernels_names_the_path_and_the_function_and_sets_the_exit_code() {
    let state = tempfile::tempdir().unwrap();
    let [before, after] = COUNTS;
    let text = said(state.path(), &["count", before, after]);
    for part in ["1 of 3 paths changed; 1 equal", "syscall.stat", "step_into +2", "Instructions are no time"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    let markdown = said(state.path(), &["count", before, after, "--format", "markdown"]);
    assert!(markdown.contains("| syscall.stat | 2906 | 2908 | +2 | +0.07 % | step_into +2 |"), "{markdown}");
    let error = refused(state.path(), &["count", before, after, "--fail-if", "more"], 1);
    assert!(error.contains("syscall.stat +2 (+0.07 %), step_into +2"), "{error}");
    said(state.path(), &["count", before, after, "--fail-if", "more:0.5%", "--fail-if", "lost"]);
    said(state.path(), &["count", before, before, "--fail-if", "changed"]);
}

#[test]
fn one_kernel_is_shown_with_its_floors_and_as_rows() {
    let state = tempfile::tempdir().unwrap();
    let text = said(state.path(), &["count", COUNTS[0], "--functions", "1"]);
    assert!(
        text.contains("3 points counted, 2 with a noise floor of 0") && text.contains("step_into"),
        "{text}"
    );
    let csv = said(state.path(), &["count", COUNTS[0], "--format", "csv"]);
    assert!(
        csv.contains("\noperation,point,instructions,user,") && csv.contains("\nsyscall.stat,,2906,"),
        "{csv}"
    );
}

#[test]
fn wrong_words_are_refused_with_what_helps() {
    let state = tempfile::tempdir().unwrap();
    let none = refused(state.path(), &["count"], 2);
    assert!(none.contains("name a kernel"), "{none}");
    let missing = refused(state.path(), &["count", "no/such/bzImage"], 2);
    assert!(missing.contains("no/such/bzImage"), "{missing}");
    let rule = refused(state.path(), &["count", COUNTS[0], "--fail-if", "more"], 2);
    assert!(rule.contains("compares two kernels"), "{rule}");
    // A revision that does not build is skipped by a bisection.
    refused(state.path(), &["count", COUNTS[0], "no/such/bzImage", "--bisect"], 125);
}

#[test]
fn error_without_qemu_names_its_package() {
    let state = tempfile::tempdir().unwrap();
    let kernel = state.path().join("bzImage");
    let mut image = vec![0; 0x300];
    image[0x202..0x206].copy_from_slice(b"HdrS");
    std::fs::write(&kernel, image).unwrap();
    let (code, _, error) = outcome(oscope(state.path()).arg("count").arg(&kernel).env("PATH", state.path()));
    assert_eq!(code, 2);
    assert!(
        error.contains("qemu-system-x86_64 is not installed") && error.contains("apt-get install"),
        "{error}"
    );
}

/// The image of a kernel: `OSCOPE_KERNEL`, or one in /boot.
fn kernel() -> Option<PathBuf> {
    let named = std::env::var_os("OSCOPE_KERNEL").map(PathBuf::from);
    named.or_else(|| {
        let entries = std::fs::read_dir(Path::new("/boot")).ok()?;
        let mut paths = entries.filter_map(Result::ok).map(|entry| entry.path());
        paths.find(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("vmlinuz-")))
    })
}

/// Boots a kernel twice with each of three sets of options: by one that it ignores nothing differs, by auditing the right path and
/// function do.
#[test]
fn planted_work_is_found_in_its_function_and_nothing_else() {
    let found = kernel();
    if !programs::installed(&["qemu-system-x86_64"])
        || !programs::has("the image of a kernel in /boot or named by OSCOPE_KERNEL", found.is_some())
    {
        return;
    }
    let kernel = found.unwrap();
    let state = tempfile::tempdir().unwrap();
    let base = state.path().join("base.json");
    let count = |paths: &[&Path], options: &[&str]| {
        let mut command = oscope(state.path());
        command.arg("count").args(paths).args(["syscall.getppid method=raw", "--boots", "2", "--quiet"]);
        // A machine that other tests share.
        outcome(command.args(options).timeout(Duration::from_secs(600)))
    };
    let (code, text, error) =
        count(&[&kernel], &["--format", "json", "--output", &base.display().to_string()]);
    assert_eq!(code, 0, "{text} {error}");
    let (code, text, error) =
        count(&[&base, &kernel], &["--append2", "oscope_ignored=1", "--fail-if", "changed"]);
    assert_eq!(code, 0, "{text} {error}");
    assert!(text.contains("0 of 1 path changed; 1 equal to the instruction"), "{text}");
    let (code, text, error) = count(&[&base, &kernel], &["--append2", "audit=1", "--fail-if", "more"]);
    assert_eq!(code, 1, "{text} {error}");
    assert!(text.contains("__audit_syscall_entry"), "{text}");
}
