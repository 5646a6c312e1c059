//! Runs other tools and reads their figures.

use super::comparison::Comparison;
use super::reading::figure;
use super::server::{Server, free_port};
use crate::command::run;
use anyhow::{Context, Result, bail, ensure};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// Most seconds that one run of a tool may take.
const BUDGET_S: &str = "30";

/// Words before a tool: the kernel ends it when whoever started it is gone.
const ENDS_WITH_US: &str = "setpriv --pdeathsig KILL";

/// The CPUs of the two actors: those that oscope chooses.
pub struct Cpus {
    pub own: String,
    pub peer: String,
}

/// Runs other tools: on two CPUs, with a folder that holds the plain C programs and is removed when this is dropped.
pub struct ToolRunner {
    pub cpus: Cpus,
    folder: TempDir,
}

impl ToolRunner {
    /// Compiles the plain C programs.
    pub fn new(root: &Path) -> Result<Self> {
        let [.., peer, own] = sys::cpu::allowed()?[..] else {
            bail!("a comparison on two CPUs needs two");
        };
        let cpus = Cpus { own: own.to_string(), peer: peer.to_string() };
        let runner = Self { cpus, folder: tempfile::tempdir()? };
        // The loops over arrays are translated as those of STREAM usually are, and not into calls of memcpy.
        let arrays = ["-O3", "-march=native", "-fno-tree-loop-distribute-patterns"];
        let programs = [
            ("plain", &["-O2"][..]),
            ("parallel", &arrays),
            ("messages", &["-O2"]),
            ("wakes", &["-O2"]),
            ("requests", &["-O2", "-Wl,--no-as-needed", "-lm"]),
        ];
        for (name, options) in programs {
            let mut compiler = Command::new("cc");
            compiler.args(options).args(["-pthread", "-o"]).arg(runner.path(name));
            run(compiler.arg(root.join(format!("xtask/src/agree/{name}.c"))))
                .with_context(|| format!("the plain C program {name}.c cannot be compiled"))?;
        }
        Ok(runner)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The words of a command, with the CPUs, the plain program, a file and the port filled in.
    fn fill(&self, command: &str, port: u16) -> Vec<String> {
        let Cpus { own, peer } = &self.cpus;
        let filled = [
            ("{own}", own.clone()),
            ("{peer}", peer.clone()),
            ("{both}", format!("{own},{peer}")),
            ("{plain}", self.path("plain").display().to_string()),
            ("{parallel}", self.path("parallel").display().to_string()),
            ("{messages}", self.path("messages").display().to_string()),
            ("{wakes}", self.path("wakes").display().to_string()),
            ("{requests}", self.path("requests").display().to_string()),
            ("{file}", self.path("file").display().to_string()),
            ("{port}", port.to_string()),
        ];
        let fill =
            |word: &str| filled.iter().fold(word.to_owned(), |word, (name, value)| word.replace(name, value));
        command.split_whitespace().map(fill).collect()
    }

    /// Runs a command, beside its server if it has one; gives what it printed.
    pub fn output(&self, command: &str, server: &str) -> Result<String> {
        let port = free_port()?;
        let words = |command: &str| self.fill(&format!("{ENDS_WITH_US} {command}"), port);
        let _server = match server {
            "" => None,
            server => Some(Server::start(&words(server))?),
        };
        let mut timed = Command::new("timeout");
        timed.arg(BUDGET_S).args(words(command));
        let output = timed.stdin(Stdio::null()).output()?;
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&text);
        ensure!(
            output.status.success(),
            "it ended with {}: {}",
            output.status,
            text.lines().next_back().unwrap_or_default()
        );
        Ok(text.into_owned())
    }

    /// Runs the tool of a comparison; gives its figure in oscope's unit, for one iteration.
    pub fn figure(&self, one: &Comparison) -> Result<f64> {
        let text = self.output(&format!("{} {}", one.tool.command, one.command), one.server)?;
        let found = figure(one.tool.reads, &text).with_context(|| {
            format!("no figure in its output: {}", text.lines().next_back().unwrap_or_default())
        })?;
        Ok(found / one.tool.holds)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn commands_are_filled_in() {
        let cpus = Cpus { own: "3".to_owned(), peer: "2".to_owned() };
        let runner = ToolRunner { cpus, folder: tempfile::tempdir().unwrap() };
        let [plain, file] = ["plain", "file"].map(|name| runner.path(name).display().to_string());
        let words = runner.fill("-c {both} {plain} {own} --f={file}  {peer} {port}", 9);
        assert_eq!(words, ["-c", "3,2", &plain, "3", &format!("--f={file}"), "2", "9"]);
    }
}
