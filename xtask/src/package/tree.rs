//! The files of a package, below `usr`.

use super::built::Built;
use crate::command::run;
use anyhow::{Context, Result};
use clap::CommandFactory;
use clap_complete::Shell;
use oscope::Arguments;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

/// Where documents are.
pub const DOCUMENTS: &str = "usr/share/doc/oscope";

/// Documents of the root and folders of documents, which keep their places to each other, since they refer to each other.
const COPIED: [&str; 6] =
    ["README.md", "METHODOLOGY.md", "LIMITS.md", "CONTRIBUTING.md", "docs", "contrib/examples"];

/// Where each shell looks for completions.
const COMPLETIONS: [(Shell, &str); 3] = [
    (Shell::Bash, "usr/share/bash-completion/completions/oscope"),
    (Shell::Zsh, "usr/share/zsh/vendor-completions/_oscope"),
    (Shell::Fish, "usr/share/fish/vendor_completions.d/oscope.fish"),
];

/// Puts all files of a package below a folder.
pub(super) fn stage(root: &Path, built: &Built, staging: &Path) -> Result<()> {
    put(&staging.join("usr/bin/oscope"), &built.program, 0o755)?;
    for (shell, path) in COMPLETIONS {
        let mut text = Vec::new();
        clap_complete::generate(shell, &mut Arguments::command(), "oscope", &mut text);
        put(&staging.join(path), &text, 0o644)?;
    }
    manual(staging)?;
    for name in COPIED {
        let place = name.trim_start_matches("contrib/");
        copy(&root.join(name), &staging.join(DOCUMENTS).join(place))?;
    }
    let changes = staging.join(DOCUMENTS).join("CHANGELOG.md");
    copy(&root.join("CHANGELOG.md"), &changes)
}

/// A manual page of the program and of each of its commands, compressed.
fn manual(staging: &Path) -> Result<()> {
    let mut all = Arguments::command().disable_help_subcommand(true);
    all.build();
    let commands = all.get_subcommands().filter(|command| !command.is_hide_set());
    for command in std::iter::once(&all).chain(commands) {
        let name = command.get_display_name().unwrap_or("oscope").to_owned();
        let mut text = Vec::new();
        clap_mangen::Man::new(command.clone()).render(&mut text)?;
        let page = staging.join(format!("usr/share/man/man1/{name}.1"));
        put(&page, &text, 0o644)?;
        compress(&page)?;
    }
    Ok(())
}

/// Compresses a file in its place, without the time.
pub fn compress(file: &Path) -> Result<()> {
    run(Command::new("gzip").args(["-9", "-n", "-f"]).arg(file))
}

/// Writes a file with these permissions, and the folders that it needs.
pub fn put(path: &Path, bytes: &[u8], mode: u32) -> Result<()> {
    let folder = path.parent().unwrap_or(path);
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(path, bytes))
        .and_then(|()| std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)))
        .with_context(|| format!("cannot write {}", path.display()))
}

/// Copies a file, or a folder with all that is in it.
fn copy(from: &Path, to: &Path) -> Result<()> {
    if !from.is_dir() {
        let bytes = std::fs::read(from).with_context(|| format!("cannot read {}", from.display()))?;
        let mode = if from.extension().is_some_and(|ending| ending == "sh") { 0o755 } else { 0o644 };
        return put(to, &bytes, mode);
    }
    for entry in std::fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))? {
        let entry = entry?;
        copy(&entry.path(), &to.join(entry.file_name()))?;
    }
    Ok(())
}
