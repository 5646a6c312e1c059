//! `cargo xtask kernels --planted`: patches of known size in known functions of a kernel, and which of them `oscope count` finds.

use super::build::Tree;
use super::kernel_count::count;
use crate::command::program;
use ::count::{ChangedPoint, KernelCount, difference};
use anyhow::{Context, Result};
use std::fmt::Write as _;
use std::path::Path;

/// What is counted: paths that run these functions, and paths that run none.
const SELECTION: [&str; 8] = [
    "syscall",
    "signal",
    "file.stat",
    "fault.anonymous.read",
    "fault.reuse",
    "mapping.mprotect",
    "network.round_trip.udp.self",
    "switch.process.yield",
];

const PAGE: &str = "docs/experiments/PLANTED_PATCHES.md";

/// The instruction that a patch adds to a function n times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Repeated {
    Nops,
    Loads,
    LockedAdds,
    Calls,
    IndirectCalls,
}

impl Repeated {
    fn name(self) -> &'static str {
        match self {
            Self::Nops => "nop",
            Self::Loads => "load",
            Self::LockedAdds => "locked add",
            Self::Calls => "call",
            Self::IndirectCalls => "indirect call",
        }
    }

    /// The instruction that is repeated.
    fn repeated(self) -> &'static str {
        match self {
            Self::Nops => "nop",
            Self::Loads => "movl (%rsp), %eax",
            Self::LockedAdds => "lock; addl $0, (%rsp)",
            Self::Calls => "call oscope_planted",
            Self::IndirectCalls => "call *%rax",
        }
    }

    /// Instructions that the function itself executes more when it is called.
    fn in_function(self, times: u32) -> f64 {
        f64::from(if self == Self::IndirectCalls { times + 1 } else { times })
    }

    /// Instructions that a call of the function executes more.
    fn in_path(self, times: u32) -> f64 {
        let returns = if matches!(self, Self::Calls | Self::IndirectCalls) { times } else { 0 };
        self.in_function(times) + f64::from(returns)
    }

    /// What stands in front of the function, and the statement in it.
    fn code(self, times: u32) -> [String; 2] {
        let callee = "asm(\".pushsection .text\\n.type oscope_planted, @function\\noscope_planted:\\n\\tret\\n\
            .size oscope_planted, . - oscope_planted\\n.popsection\");\n";
        let first = if self == Self::IndirectCalls { "leaq oscope_planted(%rip), %rax\\n\\t" } else { "" };
        let statement = format!(
            "\tasm volatile(\"{first}.rept {times}\\n\\t{}\\n\\t.endr\" : : : \"rax\", \"memory\", \"cc\");\n",
            self.repeated()
        );
        // A statement with clobbers takes no %% but %: registers are doubled.
        let statement = statement.replace('%', "%%");
        [if self.in_path(1) > self.in_function(1) { callee.to_owned() } else { String::new() }, statement]
    }
}

/// A patch.
struct Patch {
    file: &'static str,
    /// The function as the kernel's symbols call it.
    function: &'static str,
    /// How the line begins that defines it.
    definition: &'static str,
    kind: Repeated,
    times: u32,
}

const fn patch(
    file: &'static str,
    function: &'static str,
    definition: &'static str,
    kind: Repeated,
    times: u32,
) -> Patch {
    Patch { file, function, definition, kind, times }
}

use Repeated::{Calls, IndirectCalls, Loads, LockedAdds, Nops};

/// Ten functions on ten paths, each with two patches: every kind, once, ten times and a hundred times.
const PATCHES: [Patch; 20] = [
    patch("kernel/sys.c", "__do_sys_getppid", "SYSCALL_DEFINE0(getppid)", Nops, 1),
    patch("kernel/sys.c", "__do_sys_getppid", "SYSCALL_DEFINE0(getppid)", Loads, 10),
    patch("fs/pipe.c", "pipe_write", "pipe_write(struct kiocb *iocb", Nops, 10),
    patch("fs/pipe.c", "pipe_write", "pipe_write(struct kiocb *iocb", LockedAdds, 1),
    patch("fs/stat.c", "vfs_getattr_nosec", "int vfs_getattr_nosec(", Loads, 1),
    patch("fs/stat.c", "vfs_getattr_nosec", "int vfs_getattr_nosec(", Calls, 10),
    patch("fs/open.c", "do_dentry_open", "static int do_dentry_open(", Nops, 100),
    patch("fs/open.c", "do_dentry_open", "static int do_dentry_open(", IndirectCalls, 1),
    patch("mm/memory.c", "handle_mm_fault", "vm_fault_t handle_mm_fault(", LockedAdds, 10),
    patch("mm/memory.c", "handle_mm_fault", "vm_fault_t handle_mm_fault(", Loads, 100),
    patch("mm/mprotect.c", "mprotect_fixup", "mprotect_fixup(", Calls, 1),
    patch("mm/mprotect.c", "mprotect_fixup", "mprotect_fixup(", Nops, 10),
    patch("kernel/signal.c", "do_sigaction", "int do_sigaction(", IndirectCalls, 10),
    patch("kernel/signal.c", "do_sigaction", "int do_sigaction(", LockedAdds, 1),
    patch("fs/eventfd.c", "eventfd_write", "static ssize_t eventfd_write(", Calls, 100),
    patch("fs/eventfd.c", "eventfd_write", "static ssize_t eventfd_write(", Loads, 1),
    patch("net/ipv4/udp.c", "udp_sendmsg", "int udp_sendmsg(", Nops, 1),
    patch("net/ipv4/udp.c", "udp_sendmsg", "int udp_sendmsg(", IndirectCalls, 100),
    patch("kernel/sched/core.c", "do_sched_yield", "static void do_sched_yield(", LockedAdds, 100),
    patch("kernel/sched/core.c", "do_sched_yield", "static void do_sched_yield(", Calls, 10),
];

/// Plants every patch alone, counts, judges, and writes the page.
///
/// # Errors
/// When the kernel cannot be built or counted.
pub fn run(root: &Path) -> Result<bool> {
    let oscope = program(root, &["--release"])?;
    let tree = Tree::new(&crate::command::target(root).join("lab"))?;
    let plain = count(&oscope, &tree.build("plain")?, &SELECTION)?;
    let mut judged = Vec::new();
    for patch in &PATCHES {
        let before = tree.read(patch.file)?;
        let after = planted(&before, patch)?;
        tree.write(patch.file, &after)?;
        let image = tree.build("planted");
        tree.write(patch.file, &before)?;
        let found = judge(patch, &plain, &count(&oscope, &image?, &SELECTION)?);
        crate::command::echo(&found.row());
        judged.push(found);
    }
    std::fs::write(root.join(PAGE), page(&plain, &judged))?;
    Ok(judged.iter().all(Judged::is_right))
}

/// A file with a patch: behind the brace that opens the function.
fn planted(text: &str, patch: &Patch) -> Result<String> {
    let [in_front, statement] = patch.kind.code(patch.times);
    let found = text.match_indices(patch.definition).filter(|(at, _)| {
        // A definition, and no declaration: its brace comes before the next semicolon.
        let rest = &text[*at..];
        matches!((rest.find("\n{\n"), rest.find(';')), (Some(brace), Some(end)) if brace < end)
    });
    let (at, _) = found.last().with_context(|| format!("{}: no {}", patch.file, patch.definition))?;
    let brace = at + text[at..].find("\n{\n").context("no brace")? + "\n{\n".len();
    // The return type may stand on a line of its own.
    let start = text[..at].rfind("\n\n").map_or(0, |blank| blank + 2);
    Ok([&text[..start], &in_front, &text[start..brace], &statement, &text[brace..]].concat())
}

/// What became of a patch.
struct Judged {
    patch: &'static Patch,
    /// Points whose path runs the function, by the kernel without the patch.
    on_path: usize,
    /// Of these, those that are shown as changed, and those of them whose change is a whole number of calls, in the function.
    shown: usize,
    right: usize,
    /// Of these on the path, those whose own floor hides the change.
    hidden: usize,
    /// Points shown as changed whose path does not run the function.
    wrong: Vec<String>,
}

fn judge(patch: &'static Patch, plain: &KernelCount, with: &KernelCount) -> Judged {
    let found = difference(plain, with);
    let runs = |id: &record::PointId| {
        plain.points.iter().any(|point| point.id == *id && point.functions.contains_key(patch.function))
    };
    let on_path = plain.points.iter().filter(|point| runs(&point.id)).count();
    let (shown, elsewhere): (Vec<_>, Vec<_>) = found.changed.iter().partition(|point| runs(&point.id));
    Judged {
        patch,
        on_path,
        shown: shown.len(),
        right: shown.iter().filter(|point| is_right(patch, point)).count(),
        hidden: on_path - shown.len(),
        wrong: elsewhere.iter().map(|point| point.id.to_string()).collect(),
    }
}

/// Whether the instructions grew by a whole number of calls of the patched function, and those of the function did.
fn is_right(patch: &Patch, point: &ChangedPoint) -> bool {
    let calls = |change: ::count::Change, each: f64| {
        let calls = change.by() / each;
        (calls.round() >= 1.0 && (calls - calls.round()).abs() * each <= change.floor.max(0.01))
            .then_some(calls.round())
    };
    let own = point.functions.iter().find(|(name, _)| name == patch.function);
    let of_path = calls(point.instructions, patch.kind.in_path(patch.times));
    let of_function = own.and_then(|(_, change)| calls(*change, patch.kind.in_function(patch.times)));
    of_path.is_some() && of_path == of_function
}

impl Judged {
    /// Found on its paths, where it should be, and nowhere else.
    fn is_right(&self) -> bool {
        self.right > 0 && self.right == self.shown && self.wrong.is_empty()
    }

    fn row(&self) -> String {
        let Patch { file, function, kind, times, .. } = self.patch;
        let wrong = if self.wrong.is_empty() { "0".to_owned() } else { self.wrong.join(", ") };
        format!(
            "| `{function}` ({file}) | {times} × {} | {} | {} | {} | {} | {wrong} |",
            kind.name(),
            self.on_path,
            self.shown,
            self.right,
            self.hidden
        )
    }
}

fn page(plain: &KernelCount, judged: &[Judged]) -> String {
    let mut page = format!(
        "# Planted patches\n\nWritten by `cargo xtask kernels --planted`: Debian's source of Linux {}, in a small configuration, with one patch \
         at a time. {} of {} were found in the right paths and functions, and nowhere else. {} points were counted; {} have a noise \
         floor of 0. {}, {} boots.\n\n",
        plain.release,
        judged.iter().filter(|one| one.is_right()).count(),
        judged.len(),
        plain.points.len(),
        plain
            .points
            .iter()
            .filter(|point| point.figures.get("instructions").is_some_and(|one| one.floor == 0.0))
            .count(),
        plain.emulator,
        plain.seeds.len(),
    );
    page.push_str(
        "*Paths* run the function, by the kernel without the patch. *Exact* are those whose instructions, and those of the function, grew by \
         a whole number of calls times the size of the patch. *Hidden* are those whose own noise floor is larger.\n\n\
         | function | patch | paths | shown | exact | hidden | elsewhere |\n| --- | --- | ---: | ---: | ---: | ---: | --- |\n",
    );
    for one in judged {
        let _ = writeln!(page, "{}", one.row());
    }
    page
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const FILE: &str = "int other(void)\n{\n\treturn 0;\n}\n\nint udp_sendmsg(int a);\n\nint udp_sendmsg(int a,\n\tint b)\n{\n\tint c;\n\treturn c;\n}\n";

    #[test]
    fn patch_stands_behind_the_brace_of_its_function() {
        let patch = PATCHES
            .iter()
            .find(|patch| patch.function == "udp_sendmsg" && patch.kind == IndirectCalls)
            .unwrap();
        let text = planted(FILE, patch).unwrap();
        let at = |what: &str| text.find(what).unwrap_or_else(|| panic!("{what}: {text}"));
        assert!(
            at("return 0") < at("asm(\".pushsection")
                && at("asm(\".pushsection") < at("int udp_sendmsg(int a,\n")
        );
        assert!(
            at("int b)\n{\n\tasm volatile(\"leaq oscope_planted(%%rip), %%rax\\n\\t.rept 100") < at("int c")
        );
        assert!(planted("int none(void)\n{\n}\n", patch).is_err());
    }

    #[test]
    fn every_kind_and_every_size_is_planted_in_ten_functions() {
        let mut functions: Vec<_> = PATCHES.iter().map(|patch| patch.function).collect();
        functions.dedup();
        assert_eq!(functions.len(), 10);
        for kind in [Nops, Loads, LockedAdds, Calls, IndirectCalls] {
            let mut times: Vec<_> =
                PATCHES.iter().filter(|patch| patch.kind == kind).map(|patch| patch.times).collect();
            times.sort_unstable();
            times.dedup();
            assert_eq!(times, [1, 10, 100], "{kind:?}");
        }
        assert_eq!([IndirectCalls.in_path(10), Calls.in_path(10), Nops.in_path(10)], [21.0, 20.0, 10.0]);
    }
}
