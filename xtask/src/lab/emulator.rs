//! Boots a machine in QEMU and takes what it sends over its console.

use super::machines::Machine;
use super::remote;
use crate::command::run;
use anyhow::{Context, Result, ensure};
use std::fs::File;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Seconds after which a machine is ended.
const LIMIT: &str = "300";

/// Between two looks whether a machine has ended.
const LOOK: Duration = Duration::from_millis(100);

/// Lines of the console that are shown when a machine sends nothing.
const SHOWN: usize = 12;

/// A clock that advances one nanosecond per instruction: the emulator's words, and the kernel's, which need not calibrate it.
const COUNTED: (&str, &str) = ("-icount shift=0,sleep=off", "tsc=reliable tsc_early_khz=1000000");

/// What boots: all that depends on the architecture and not on the machine.
pub struct Parts {
    /// The kernel's image.
    pub kernel: PathBuf,
    /// The static busybox.
    pub busybox: PathBuf,
    /// The static oscope.
    pub oscope: PathBuf,
}

/// Boots a machine, and puts what it sends into a folder. While it runs, something is done again and again to the process whose child the
/// emulator is.
///
/// # Errors
/// When its files cannot be made, or it sends nothing in time.
pub fn boot(
    machine: &Machine,
    parts: &Parts,
    folder: &Path,
    results: &Path,
    disturb: impl Fn(u32),
) -> Result<()> {
    let initial = folder.join("initial");
    pack(machine, parts, folder, &initial)?;
    // The emulator ends with this process, however that ends, and after the limit.
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "TERM", "timeout", LIMIT, "nice"]);
    command.args(words(machine));
    if machine.serves_files {
        command.args(remote::words(folder)?);
    }
    command.arg("-kernel").arg(&parts.kernel);
    command.arg("-initrd").arg(initial.with_extension("gz"));
    let (console, errors) = (results.with_extension("console"), results.with_extension("errors"));
    command.stdin(Stdio::null()).stdout(File::create(&console)?).stderr(File::create(&errors)?);
    let mut running = command.spawn()?;
    while running.try_wait()?.is_none() {
        disturb(running.id());
        std::thread::sleep(LOOK);
    }
    let [console, errors] = [console, errors].map(std::fs::read);
    let (console, errors) = (console?, errors?);
    let (console, errors) = (String::from_utf8_lossy(&console), String::from_utf8_lossy(&errors));
    let sent = sent(&console).with_context(|| {
        let lines: Vec<&str> = console.lines().collect();
        let last = lines.len().saturating_sub(SHOWN);
        // What the emulator lacks of a processor it says once for every CPU.
        let errors = errors.lines().filter(|line| !line.contains("TCG doesn't support"));
        let last = lines.get(last..).unwrap_or_default().iter().copied();
        let said: Vec<&str> = last.chain(errors).collect();
        format!("it sent nothing within {LIMIT} s; last it said: {}", said.join("; "))
    })?;
    unpack(&sent, results)
}

/// The emulator and its words for a machine.
fn words(machine: &Machine) -> Vec<String> {
    let (program, console, more) = match machine.kernel.architecture {
        "arm64" => ("qemu-system-aarch64", "ttyAMA0", "-machine virt"),
        _ => ("qemu-system-x86_64", "ttyS0", ""),
    };
    let Machine { processor, smp, memory, kernel_line, emulator, .. } = machine;
    let (clock, of_clock) = if machine.has_time_of_host { ("", "") } else { COUNTED };
    let words = format!(
        "{program} -accel tcg -cpu {processor} -smp {smp} -m {memory} -nic none -nographic -no-reboot {more} \
         {clock} {emulator}"
    );
    let line = format!("console={console} quiet panic=-1 no_timer_check {of_clock} {kernel_line}");
    words.split_whitespace().chain(["-append", &line]).map(str::to_owned).collect()
}

/// Makes the initial file system.
fn pack(machine: &Machine, parts: &Parts, folder: &Path, tree: &Path) -> Result<()> {
    if tree.exists() {
        std::fs::remove_dir_all(tree)?;
    }
    for name in ["bin", "boot", "dev", "proc", "sys", "tmp", "out"] {
        std::fs::create_dir_all(tree.join(name))?;
    }
    std::fs::copy(&parts.busybox, tree.join("bin/busybox"))?;
    std::fs::copy(&parts.oscope, tree.join("bin/oscope"))?;
    let boot = parts.kernel.parent().context("the kernel has no folder")?;
    let config = super::debian::find(boot, "config-")?;
    let name = config.file_name().context("the configuration has no name")?;
    std::fs::copy(&config, tree.join("boot").join(name))?;
    let functions = if machine.serves_files {
        remote::add(&machine.kernel, folder, tree)?;
        remote::FUNCTIONS
    } else {
        ""
    };
    std::fs::write(tree.join("setup"), format!("{functions}{}\n", machine.setup))?;
    let init = tree.join("init");
    std::fs::write(&init, include_str!("init.sh").replace("SELECTION", machine.run))?;
    std::fs::set_permissions(&init, std::fs::Permissions::from_mode(0o755))?;
    let line = "find . | busybox cpio -o -H newc 2>/dev/null | gzip -1 > ../initial.gz";
    run(Command::new("sh").args(["-c", line]).current_dir(tree))
}

/// What stands between the marks of the console.
fn sent(console: &str) -> Option<String> {
    let (_, after) = console.split_once("lab-begin")?;
    let (sent, _) = after.split_once("lab-end")?;
    Some(sent.split_whitespace().collect())
}

fn unpack(sent: &str, results: &Path) -> Result<()> {
    if results.exists() {
        std::fs::remove_dir_all(results)?;
    }
    std::fs::create_dir_all(results)?;
    let text = results.join("sent");
    std::fs::write(&text, sent)?;
    let line = "base64 --decode sent | tar --extract --gzip";
    run(Command::new("sh").args(["-c", line]).current_dir(results)).context("what it sent is damaged")?;
    std::fs::remove_file(&text)?;
    ensure!(results.join("exit").exists(), "what it sent lacks the exit code");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::machines::MACHINES;

    #[test]
    fn what_stands_between_the_marks_is_sent() {
        assert_eq!(sent("x\r\nlab-begin\r\nab\r\nc=\r\nlab-end\r\n").as_deref(), Some("abc="));
        assert_eq!(sent("lab-begin\r\nab"), None, "it was ended meanwhile");
    }

    #[test]
    fn no_emulated_machine_has_a_network_or_a_window() {
        for machine in MACHINES {
            let words = words(machine).join(" ");
            assert!(words.contains("-nic none -nographic"), "{words}");
        }
    }
}
