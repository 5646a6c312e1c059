//! The timed loops over memory, disassembled: what they are declared to load, to store and to execute is what the
//! machine code has.
#![cfg(target_arch = "x86_64")]
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use sys::bandwidth::{Action, Method, declared};

/// Bytes of which the declared counts are asked.
const BLOCK: usize = 512;

/// Loops in assembly by name, with the action and the method that use them where the processor can.
const LOOPS: [(&str, Action, Method); 14] = [
    ("read_loop", Action::Read, Method::Loop),
    ("read_unrolled", Action::Read, Method::Unrolled),
    ("read_128", Action::Read, Method::Vector128),
    ("read_256", Action::Read, Method::Vector256),
    ("read_512", Action::Read, Method::Vector512),
    ("write_loop", Action::Write, Method::Loop),
    ("write_unrolled", Action::Write, Method::Unrolled),
    ("write_128", Action::Write, Method::Vector128),
    ("write_256", Action::Write, Method::Vector256),
    ("write_512", Action::Write, Method::Vector512),
    ("copy_loop", Action::Copy, Method::Loop),
    ("copy_128", Action::Copy, Method::Vector128),
    ("copy_256", Action::Copy, Method::Vector256),
    ("copy_512", Action::Copy, Method::Vector512),
];

/// One instruction: where it is, its name, and its operands.
struct Instruction {
    at: u64,
    name: String,
    operands: String,
}

/// This program's machine code.
fn disassembled() -> String {
    let mut command = programs::command("objdump");
    command.args(["-d", "--no-show-raw-insn", "-M", "intel"]);
    let output = command.arg(std::env::current_exe().unwrap()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn parse(line: &str) -> Option<Instruction> {
    let (at, rest) = line.trim().split_once(':')?;
    let (name, operands) = rest.trim().split_once(' ').unwrap_or((rest.trim(), ""));
    Some(Instruction {
        at: u64::from_str_radix(at, 16).ok()?,
        name: name.to_owned(),
        operands: operands.trim().to_owned(),
    })
}

/// The instructions of the function of this name. Mangled names have the length before each part: `9bandwidth8read_512`,
/// `9bandwidth6stores9write_128`.
fn function(text: &str, name: &str) -> Vec<Instruction> {
    let mangled = format!("{}{name}", name.len());
    let is_head = |line: &&str| {
        let after = line.split_once("9bandwidth").map(|(_, after)| after);
        // Some lie in a module of their own.
        let own = after.map(|after| after.strip_prefix("6stores").unwrap_or(after));
        let after = own.and_then(|own| own.strip_prefix(&mangled));
        // Another name may begin with this one.
        line.ends_with(">:") && after.is_some_and(|after| !after.starts_with('_'))
    };
    let lines = text.lines().skip_while(|line| !is_head(line)).skip(1);
    lines
        .take_while(|line| !line.is_empty())
        .filter_map(parse)
        .collect()
}

/// The turn: from the first jump's loop head to the jump that goes back there.
fn turn(all: &[Instruction]) -> &[Instruction] {
    let (last, head) = all
        .iter()
        .enumerate()
        .find_map(|(index, instruction)| {
            let to = instruction.operands.split_whitespace().next()?;
            let to = u64::from_str_radix(to.trim_start_matches("0x"), 16).ok()?;
            (instruction.name == "jne" && to < instruction.at).then_some((index, to))
        })
        .unwrap();
    let first = all.iter().position(|instruction| instruction.at == head).unwrap();
    &all[first..=last]
}

/// Bytes of an operand in memory by the word before it; `None` for a register.
fn bytes(operand: &str) -> Option<u64> {
    operand
        .contains('[')
        .then(|| match operand.split_whitespace().next().unwrap() {
            "QWORD" => 8,
            "XMMWORD" => 16,
            "YMMWORD" => 32,
            "ZMMWORD" => 64,
            other => panic!("an operand of unknown size: {other}"),
        })
}

/// Loads, bytes loaded, stores, bytes stored.
fn moved(turn: &[Instruction]) -> [u64; 4] {
    let mut sums = [0; 4];
    for instruction in turn.iter().filter(|one| !one.name.starts_with("prefetch")) {
        let mut operands = instruction.operands.split(',');
        let target = operands.next().and_then(bytes);
        for (of, at) in [(operands.filter_map(bytes).next_back(), 0), (target, 2)] {
            if let Some(bytes) = of {
                sums[at] += 1;
                sums[at + 1] += bytes;
            }
        }
    }
    sums
}

#[test]
fn loops_load_store_and_execute_what_they_declare() {
    if !programs::installed(&["objdump"]) {
        return;
    }
    let text = disassembled();
    let mut seen = 0;
    for (name, action, method) in LOOPS {
        let Some(declared) = declared(action, method, BLOCK) else {
            continue;
        };
        let all = function(&text, name);
        assert!(!all.is_empty(), "{name} is not in the program");
        let turn = turn(&all);
        let [loads, loaded, stores, stored] = moved(turn);
        let bytes = loaded.max(stored);
        assert!(
            bytes > 0 && (loaded == 0 || stored == 0 || loaded == stored),
            "{name}"
        );
        let turns = BLOCK as u64 / bytes;
        assert_eq!(
            (turns * loads, turns * stores),
            (declared.loads, declared.stores),
            "{name}"
        );
        let own = declared.instructions - turns * turn.len() as u64;
        assert!((8..=11).contains(&own), "{name}: {own} instructions of a pass");
        seen += 1;
    }
    assert!(seen >= 8, "{seen}");
}
