//! The timed loops, disassembled, for both architectures: every turn has the instructions, loads and stores that it
//! should have, no spill, no call, and begins at a multiple of 64 bytes. Of the few that are compiled, the work of a turn is
//! there, with no spill and no call.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod loops;

use loops::{AARCH64, COMPILED_FOR_AARCH64, COMPILED_FOR_X86_64, Compiled, Loop, X86_64};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use sys::bandwidth::{Action, Method, declared};

/// Bytes of which the declared counts are asked.
const BLOCK: usize = 512;
/// Where loops and callees begin.
const LINE: u64 = 64;
/// Where the sequences lie.
const SEQUENCES: [&str; 2] = ["sys::arch::native::", "sys::arch::calls::"];
/// What has a loop and is not timed.
const OTHERS: [&str; 5] = ["kernel", "kernel_for", "described_kernel", "widest", "hypervisor"];

/// Compiles this library as a release does, whose settings for linking would leave no machine code in it.
const AS_RELEASED: [&str; 3] =
    ["profile.dev.opt-level=3", "profile.dev.overflow-checks=false", "profile.dev.debug-assertions=false"];

/// A target, its name in the standard library's folder, the program that disassembles it, and its loops.
struct Target {
    name: &'static str,
    objdump: &'static str,
    loops: &'static [Loop],
    compiled: &'static [Compiled],
}

const TARGETS: [Target; 2] = [
    Target {
        name: "x86_64-unknown-linux-gnu",
        objdump: "x86_64-linux-gnu-objdump",
        loops: X86_64,
        compiled: COMPILED_FOR_X86_64,
    },
    Target {
        name: "aarch64-unknown-linux-gnu",
        objdump: "aarch64-linux-gnu-objdump",
        loops: AARCH64,
        compiled: COMPILED_FOR_AARCH64,
    },
];

/// One instruction: where it is, its name, and its operands.
#[derive(Debug)]
struct Instruction {
    at: u64,
    name: String,
    operands: String,
}

/// A function, and at a multiple of how many bytes its section begins.
#[derive(Debug)]
struct Function {
    alignment: u64,
    code: Vec<Instruction>,
}

impl Instruction {
    fn parse(line: &str) -> Option<Self> {
        let (at, rest) = line.trim().split_once(':')?;
        let rest = rest.trim();
        // Relocations and remarks stand between instructions and behind them.
        let rest = rest.split(['#', '/']).next()?.trim();
        let (name, operands) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let is_instruction = !name.is_empty() && !name.starts_with("R_");
        Some(Self {
            at: u64::from_str_radix(at, 16).ok().filter(|_| is_instruction)?,
            name: name.to_owned(),
            operands: operands.trim().to_owned(),
        })
    }

    /// Where a jump or call goes; `None` for what is none, or goes where a register says.
    fn target(&self) -> Option<u64> {
        let is_jump =
            self.name.starts_with(['j', 'b']) || ["call", "cbz", "cbnz"].contains(&self.name.as_str());
        let (place, _) = self.operands.split_once(" <").filter(|_| is_jump)?;
        let place = place.rsplit([' ', ',']).next()?.trim_start_matches("0x");
        u64::from_str_radix(place, 16).ok()
    }

    fn is_call(&self) -> bool {
        ["call", "bl", "blr"].contains(&self.name.as_str())
    }

    /// Whether it reads or writes the stack.
    fn is_on_stack(&self) -> bool {
        let names = ["[rsp", "[sp", "[rbp", "[x29"];
        ["push", "pop"].contains(&self.name.as_str()) || names.iter().any(|name| self.operands.contains(name))
    }

    /// Loads, stores, and the bytes of both.
    fn moved(&self) -> [u64; 3] {
        if self.name.starts_with("prefetch") || self.name == "lea" || !self.operands.contains('[') {
            return [0; 3];
        }
        // AArch64: the name says which way, the registers how much.
        let registers = self.operands.split('[').next().unwrap_or_default();
        let registers = registers.split(',').map(str::trim).filter(|one| !one.is_empty());
        let bytes = |one: &str| match one.chars().next() {
            Some('q') => 16,
            Some('w') => 4,
            _ => 8,
        };
        if self.name.starts_with("ld") {
            return [1, 0, registers.map(bytes).sum()];
        }
        if self.name.starts_with("st") {
            return [0, 1, registers.map(bytes).sum()];
        }
        match self.name.as_str() {
            "inc" => return [1, 1, 2 * size(&self.operands)],
            "cmp" => return [1, 0, size(&self.operands)],
            _ => {}
        }
        // x86-64: the target stands first, and each operand in memory says its size.
        let (target, sources) = self.operands.split_once(',').unwrap_or(("", &self.operands));
        let (stored, loaded) = (size(target), size(sources));
        // An addition to memory loads it first.
        if self.name == "add" && stored > 0 {
            return [1, 1, 2 * stored];
        }
        [u64::from(loaded > 0), u64::from(stored > 0), stored + loaded]
    }
}

/// Bytes of an operand in memory; 0 for a register.
fn size(operand: &str) -> u64 {
    let sizes = [("ZMMWORD", 64), ("YMMWORD", 32), ("XMMWORD", 16), ("QWORD", 8), ("DWORD", 4), ("BYTE", 1)];
    let known = sizes.iter().find(|(word, _)| operand.contains(&format!("{word} PTR")));
    known.map_or(0, |(_, bytes)| *bytes)
}

impl Function {
    /// The turns of loops: each from the head to the jump that goes back there.
    fn turns(&self) -> impl Iterator<Item = &[Instruction]> {
        self.code.iter().enumerate().filter(|(_, one)| !one.is_call()).filter_map(|(last, one)| {
            let head = one.target().filter(|to| *to < one.at)?;
            let first = self.code.iter().position(|one| one.at == head)?;
            self.code.get(first..=last)
        })
    }
}

/// The library as machine code; `None` where the target's standard library is not installed.
fn library(target: &str) -> Option<PathBuf> {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let asked =
        programs::command(home(&rustc)).args(["--print", "target-libdir", "--target", target]).output();
    let folder = String::from_utf8(asked.unwrap().stdout).unwrap();
    let has_core = std::fs::read_dir(folder.trim()).is_ok_and(|files| {
        let mut names = files.filter_map(|file| file.ok()?.file_name().into_string().ok());
        names.any(|name| name.starts_with("libcore-"))
    });
    if !has_core {
        let reason = format!("rustup target add {target}");
        assert!(std::env::var_os("OSCOPE_CI").is_none(), "{reason}");
        eprintln!("left out: {reason}");
        return None;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("loops");
    let mut cargo = programs::command(home(env!("CARGO")));
    cargo.args(["build", "--quiet", "--locked", "--lib", "--package", "oscope-sys", "--target", target]);
    cargo.args(AS_RELEASED.iter().flat_map(|setting| ["--config", setting]));
    cargo.arg("--target-dir").arg(&folder).current_dir(env!("CARGO_MANIFEST_DIR"));
    // Clippy, where it is the compiler, optimises less.
    cargo.env_remove("RUSTC_WORKSPACE_WRAPPER");
    // A linker is needed for the build programs of dependencies.
    cargo.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    assert!(cargo.status().unwrap().success(), "{cargo:?}");
    Some(folder.join(target).join("debug/libsys.rlib"))
}

/// A program of the toolchain, which lies beside this test's cargo.
fn home(program: &str) -> PathBuf {
    let cargo = Path::new(env!("CARGO"));
    cargo.with_file_name(Path::new(program).file_name().unwrap())
}

/// The functions of the architecture by their last names.
fn functions(target: &Target, library: &Path) -> BTreeMap<String, Function> {
    let mut command = programs::command(target.objdump);
    command.args(["-h", "-d", "-C", "--no-show-raw-insn"]);
    if target.loops == X86_64 {
        command.args(["-M", "intel"]);
    }
    let output = command.arg(library).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8_lossy(&output.stdout);
    let (mut alignments, mut functions) = (BTreeMap::new(), BTreeMap::new());
    let (mut section, mut name) = ("", None);
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let [_, known, .., alignment] = words.as_slice()
            && let Some(power) = alignment.strip_prefix("2**")
        {
            alignments.insert(*known, 1_u64 << power.parse::<u32>().unwrap());
        } else if let Some(next) = line.strip_prefix("Disassembly of section ") {
            section = next.trim_end_matches(':');
        } else if let Some((_, head)) = line.split_once('<').filter(|_| line.ends_with(">:")) {
            let path = head.trim_end_matches(">:");
            let hash = path.rsplit_once("::h").filter(|(_, hash)| hash.len() == 16);
            let path = hash.map_or(path, |(path, _)| path);
            let is_named = target.compiled.iter().any(|one| one.path == path);
            let last = path.rsplit("::").next().unwrap_or(path).to_owned();
            let is_sequence = SEQUENCES.iter().any(|module| path.starts_with(module));
            name = (is_sequence || is_named).then_some(last);
        } else if let (Some(name), Some(instruction)) = (&name, Instruction::parse(line)) {
            let alignment = alignments.get(section).copied().unwrap_or(1);
            let code = Vec::new();
            let function = functions.entry(name.clone()).or_insert(Function { alignment, code });
            function.code.push(instruction);
        }
    }
    functions
}

/// Everything that the machine code of a loop should have.
fn check(one: &Loop, function: &Function) {
    let Loop { name, instructions, moved, calls, on_stack } = *one;
    let turn = function.turns().next().unwrap_or_else(|| panic!("{name} has no loop"));
    assert_eq!(turn.len(), instructions, "{name}: instructions of a turn");
    assert_eq!((function.alignment % LINE, turn[0].at % LINE), (0, 0), "{name}: alignment");
    let sum = turn
        .iter()
        .map(Instruction::moved)
        .fold([0; 3], |sum, one| std::array::from_fn(|at| sum[at] + one[at]));
    assert_eq!(sum, moved, "{name}: loads, stores, and their bytes");
    assert_eq!(turn.iter().filter(|one| one.is_call()).count(), calls, "{name}: calls");
    assert_eq!(turn.iter().any(Instruction::is_on_stack), on_stack, "{name}: uses of the stack");
    let enters = turn.iter().filter(|one| ["syscall", "svc"].contains(&one.name.as_str())).count();
    assert_eq!(enters, usize::from(name == "calls_of_kernel"), "{name}: system calls");
    // gVisor replaces this pair by a call, and no other form of it.
    let pairs = turn.windows(2).filter(|pair| pair[1].name == "syscall");
    for pair in pairs {
        assert!(pair[0].name == "mov" && pair[0].operands.starts_with("eax,0x"), "{name}: {pair:?}");
    }
    // Callees, which lie in the same function.
    let all = function.code.iter().filter(|one| one.is_call());
    assert_eq!(all.clone().count(), if calls > 0 { 8 } else { 0 }, "{name}: calls in all");
    for place in all.filter_map(Instruction::target) {
        assert_eq!(place % LINE, 0, "{name}: a callee at {place:#x}");
    }
}

/// That a turn of a compiled loop does its work and neither calls nor uses the stack.
fn check_compiled(one: &Compiled, function: &Function) {
    let Compiled { path, work, operands } = *one;
    let is_work = |one: &&Instruction| one.name == work && one.operands.contains(operands);
    let mut turns = function.turns().filter(|turn| turn.iter().any(|one| is_work(&one)));
    let turn = turns.next().unwrap_or_else(|| panic!("{path} has no loop with {work}: {function:?}"));
    assert!(!turn.iter().any(|one| one.is_call() || one.is_on_stack()), "{path}: {turn:?}");
}

#[test]
fn every_loop_has_its_instructions_and_nothing_else() {
    for target in &TARGETS {
        if !programs::installed(&[target.objdump]) {
            continue;
        }
        let Some(library) = library(target.name) else {
            continue;
        };
        let functions = functions(target, &library);
        for one in target.loops {
            let function = functions.get(one.name);
            check(one, function.unwrap_or_else(|| panic!("{}: no {}", target.name, one.name)));
        }
        for one in target.compiled {
            let function = functions.get(one.name());
            check_compiled(one, function.unwrap_or_else(|| panic!("{}: no {}", target.name, one.path)));
        }
        let known = |name: &str| {
            OTHERS.contains(&name)
                || target.loops.iter().any(|one| one.name == name)
                || target.compiled.iter().any(|one| one.name() == name)
        };
        let unknown: Vec<&String> = functions
            .iter()
            .filter(|(name, function)| function.turns().next().is_some() && !known(name))
            .map(|(name, _)| name)
            .collect();
        assert!(unknown.is_empty(), "{}: loops that no table names: {unknown:?}", target.name);
        let empty = functions.get("empty").unwrap();
        assert_eq!((empty.code.len(), empty.alignment % LINE), (2, 0), "the empty procedure");
    }
}

/// What oscope says of its loops over memory is what the tables here say of them.
#[test]
fn loops_load_store_and_execute_what_they_declare() {
    let loops = if cfg!(target_arch = "x86_64") { X86_64 } else { AARCH64 };
    let mut seen = 0;
    for (action, verb) in [
        (Action::Read, "read"),
        (Action::Write, "write"),
        (Action::Copy, "copy"),
        (Action::Scale, "scale"),
        (Action::Add, "add"),
        (Action::Triad, "triad"),
        (Action::Update, "update"),
    ] {
        for (method, kind) in [
            (Method::Loop, "loop"),
            (Method::Unrolled, "unrolled"),
            (Method::Vector128, "128"),
            (Method::Vector256, "256"),
            (Method::Vector512, "512"),
        ] {
            let Some(declared) = declared(action, method, BLOCK) else {
                continue;
            };
            let name = format!("{verb}_{kind}");
            let one = loops.iter().find(|one| one.name == name).unwrap();
            let [loads, stores, bytes] = one.moved;
            // Sources and targets have as many bytes as each other.
            let bytes = bytes / if action == Action::Update { 2 } else { action.parts() as u64 };
            let turns = BLOCK as u64 / bytes;
            assert_eq!((turns * loads, turns * stores), (declared.loads, declared.stores), "{name}");
            let own = declared.instructions - turns * one.instructions as u64;
            assert!((8..=11).contains(&own), "{name}: {own} instructions of a pass");
            seen += 1;
        }
    }
    assert!(seen >= 8, "{seen}");
}
