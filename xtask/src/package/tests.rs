//! A package of the program as tests build it: what is in it, whether Debian's own checks find fault, and whether it comes
//! and goes.
#![allow(clippy::unwrap_used)]

use super::*;

/// What a command that must succeed writes.
fn said(command: &mut Command) -> String {
    command::output(command).unwrap()
}

/// A declared program that starts others of the system, which come with it.
fn packaged(program: &str) -> Command {
    let mut command = programs::command(program);
    command.env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
    command
}

/// Packages of the program, which is stripped as a release is.
fn packed(folder: &Path) -> Made {
    let root = crate::root();
    let program = command::tested_program(&root).unwrap();
    let stripped = folder.join("oscope");
    said(programs::command("strip").arg("-o").args([&stripped, &program]));
    make(&root, &stripped, folder).unwrap()
}

#[test]
fn package_is_clean_and_is_installed_and_removed() {
    if !programs::installed(&["dpkg-deb", "dpkg", "tar", "gzip", "md5sum", "strip", "lintian"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let made = packed(folder.path());

    let listed = said(programs::command("dpkg-deb").arg("--contents").arg(&made.debian));
    let in_tarball = said(programs::command("tar").arg("--list").arg("--file").arg(&made.tarball));
    for file in [
        "bin/oscope",
        "share/man/man1/oscope.1.gz",
        "share/man/man1/oscope-run.1.gz",
        "share/bash-completion/completions/oscope",
        "share/zsh/vendor-completions/_oscope",
        "share/fish/vendor_completions.d/oscope.fish",
        "share/doc/oscope/docs/handbook/syscall.getppid.md",
        "share/doc/oscope/examples/ci.sh",
        "share/doc/oscope/sbom.cdx.json",
    ] {
        assert!(listed.contains(&format!("./usr/{file}\n")), "{file}\n{listed}");
        assert!(in_tarball.contains(&format!("-linux/{file}\n")), "{file}\n{in_tarball}");
    }
    assert!(!listed.contains("oscope-worker"), "hidden commands have no page");

    let mut lintian = packaged("lintian");
    // It leaves a file among the temporary ones.
    lintian.env("TMPDIR", folder.path());
    lintian.args(["--fail-on", "error,warning"]).arg(&made.debian);
    assert_eq!(said(&mut lintian), "");

    if !programs::can("root, to give files to root", crate::packages::is_root()) {
        return;
    }
    // Below a root of its own, with a database of packages of its own.
    let root = folder.path().join("root");
    std::fs::create_dir_all(root.join("var/lib/dpkg/updates")).unwrap();
    std::fs::write(root.join("var/lib/dpkg/status"), "").unwrap();
    let dpkg = |arguments: &[&str]| {
        let mut command = packaged("dpkg");
        command.arg("--root").arg(&root).args(["--force-not-root", "--force-depends", "--log=/dev/null"]);
        said(command.args(arguments))
    };
    dpkg(&["--install", made.debian.to_str().unwrap()]);
    let installed = root.join("usr/bin/oscope");
    let version = said(programs::command(&installed).arg("--version"));
    assert!(version.starts_with(concat!("oscope ", env!("CARGO_PKG_VERSION"))), "{version}");
    dpkg(&["--purge", "oscope"]);
    assert!(!installed.exists() && !root.join("usr/share/doc/oscope").exists());
}

#[test]
fn a_program_that_grew_too_large_is_refused() {
    assert_eq!(size_within(LARGEST_PROGRAM, LARGEST_PROGRAM).unwrap(), "9 MiB of at most 9 MiB");
    let grown = size_within(LARGEST_PROGRAM + 1, LARGEST_PROGRAM).unwrap_err().to_string();
    assert!(grown.contains("more than 9 MiB"), "{grown}");
}

#[test]
fn same_program_makes_the_same_bytes() {
    if !programs::installed(&["dpkg-deb", "tar", "gzip", "md5sum"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("oscope");
    std::fs::write(&program, "the same").unwrap();
    let [one, two] = ["one", "two"].map(|name| {
        let folder = folder.path().join(name);
        std::fs::create_dir(&folder).unwrap();
        let made = make(&crate::root(), &program, &folder).unwrap();
        [made.debian, made.tarball].map(|file| std::fs::read(file).unwrap())
    });
    assert!(one == two);
}
