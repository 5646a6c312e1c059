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
    assert!(markdown.contains(
        "| path | before | after | change | by | functions |\n| --- | ---: | ---: | ---: | ---: | --- |"
    ));
    let selected = said(state.path(), &["count", before, after, "syscall.getppid"]);
    assert!(selected.contains("0 of 1 path changed") && !selected.contains("syscall.stat"), "{selected}");
    // Narrow terminals: no line is longer, and none is empty.
    let narrow = outcome(oscope(state.path()).args(["count", before, after]).env("COLUMNS", "40")).1;
    assert!(narrow.lines().all(|line| line.chars().count() <= 40 && !line.trim().is_empty()), "{narrow}");
}

/// A copy of counts with other words in it.
fn counts_with(state: &Path, name: &str, words: [&str; 2]) -> String {
    let path = state.join(name);
    let text = std::fs::read_to_string(COUNTS[0]).unwrap();
    assert!(text.contains(words[0]));
    std::fs::write(&path, text.replace(words[0], words[1])).unwrap();
    path.display().to_string()
}

#[test]
fn difference_is_written_as_json_and_rows_and_read_again() {
    let state = tempfile::tempdir().unwrap();
    let [before, after] = COUNTS;
    let path = state.path().join("both.json").display().to_string();
    said(state.path(), &["count", before, after, "--format", "json", "--output", &path]);
    let both: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    let changed = &both["difference"]["changed"][0];
    assert_eq!(
        (&changed["id"]["operation"], &changed["functions"][0]["name"]),
        (&"syscall.stat".into(), &"step_into".into())
    );
    let again = said(state.path(), &["count", &path]);
    assert!(again.contains("1 of 3 paths changed"), "{again}");
    let csv = said(state.path(), &["count", before, after, "--format", "csv"]);
    for row in [
        "operation,point,before,floor_before,after,floor_after,result",
        "syscall.stat,,2906,0,2908,0,changed",
        "syscall.getppid,method=raw,326,0,326,0,equal",
    ] {
        assert!(csv.lines().any(|line| line == row), "{row}: {csv}");
    }
    let compared = refused(state.path(), &["compare", before, after], 3);
    assert!(compared.contains("counts of kernels: 'oscope count"), "{compared}");
}

#[test]
fn kernels_of_one_release_are_distinguished_by_their_builds_and_emulators() {
    let state = tempfile::tempdir().unwrap();
    let other = counts_with(state.path(), "other.json", ["\"#1\"", "\"#2\""]);
    let text = said(state.path(), &["count", COUNTS[0], &other]);
    assert!(text.contains("Linux 6.12.115 (#1) → Linux 6.12.115 (#2)"), "{text}");
    let other = counts_with(state.path(), "other.json", ["QEMU 7.2.22", "QEMU 8.0.0"]);
    let text = said(state.path(), &["count", COUNTS[0], &other]);
    let text = text.replace('\n', " ");
    assert!(text.contains("counted by QEMU 7.2.22, EPYC-Milan / QEMU 8.0.0, EPYC-Milan"), "{text}");
}

#[test]
fn counts_that_are_not_comparable_are_refused() {
    let state = tempfile::tempdir().unwrap();
    for (words, says) in [
        (["x86_64", "aarch64"], "two architectures"),
        (["\"cpus\": 1", "\"cpus\": 2"], "--smp must be the same"),
        (["\"schema\": 1", "\"schema\": 2"], "schema 2"),
        (["\"kernels\"", "\"columns\""], "no counts, or cut"),
    ] {
        let other = counts_with(state.path(), "other.json", words);
        let error = refused(state.path(), &["count", COUNTS[0], &other], 2);
        assert!(error.contains(says), "{words:?}: {error}");
    }
}

#[test]
fn only_the_last_kernel_is_the_revision_of_a_bisection() {
    let state = tempfile::tempdir().unwrap();
    let [before, after] = COUNTS;
    let rule = ["--bisect", "--fail-if", "more"];
    for (words, code) in [
        (&[before, after][..], 1),
        (&[before, before], 0),
        (&[before, "no/such/bzImage"], 125),
        (&["no/such/bzImage", after], 128),
        (&["no/such.json", after], 128),
        (&[before, after, "no.such.point"], 128),
        (&["no/such/bzImage"], 128),
        (&[before, after, "--fail-iff", "more"], 128),
        (&[before, after, "--append", "audit=1"], 128),
    ] {
        let words = [&["count"], words, &rule].concat();
        let (ended, _, error) = outcome(oscope(state.path()).args(&words));
        assert_eq!(ended, code, "{words:?}: {error}");
    }
    refused(state.path(), &["count", before, after, "--bisect"], 128);
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
    std::fs::create_dir(state.path().join("tree")).unwrap();
    let [before, after] = COUNTS;
    for (words, says) in [
        (&["no/such/bzImage"][..], "no/such/bzImage"),
        (&["vmlinuz-6.1"], "vmlinuz-6.1: No such file"),
        (&["no-such.deb"], "no-such.deb: No such file"),
        (&[before, "--fail-if", "more"], "compares two kernels"),
        (&[before, after, "no.such.point"], "no.such.point"),
        (&[before, after, "syscall.fstat"], "was not counted"),
        (&["syscall.getppid", before], "kernels come before the selection"),
        (&[before, "tree"], "name it ./tree"),
        (&[before, after, "--append2", "audit=1"], "--append2"),
        (&[before, after, "--boots", "2"], "--boots is for a kernel that boots"),
        (&["/dev/zero"], "larger than any kernel"),
        (&[before, "--arch", "arm"], "aarch64 (arm64)"),
    ] {
        let words = [&["count"], words].concat();
        let (code, _, error) = outcome(oscope(state.path()).current_dir(state.path()).args(&words));
        assert!(code == 2 && error.contains(says), "{words:?}: {code}, {error}");
    }
    let kernel = image(state.path());
    for (rest, code) in [(&["--fail-if", "more"][..], 2), (&["--output", "no/such/folder"], 3)] {
        let words = [&["count", &kernel], rest].concat();
        // Without QEMU, so that what is refused is refused before a boot.
        let (ended, _, error) = outcome(oscope(state.path()).args(&words).env("PATH", state.path()));
        assert!(ended == code && !error.contains("qemu"), "{words:?}: {ended}, {error}");
    }
}

/// A file that looks like a bzImage.
fn image(folder: &Path) -> String {
    let kernel = folder.join("bzImage");
    let mut image = vec![0; 0x1000];
    image[0x202..0x206].copy_from_slice(b"HdrS");
    std::fs::write(&kernel, image).unwrap();
    kernel.display().to_string()
}

#[test]
fn error_without_qemu_names_its_package() {
    let state = tempfile::tempdir().unwrap();
    let kernel = image(state.path());
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
