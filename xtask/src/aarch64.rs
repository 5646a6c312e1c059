//! Tests of libraries that touch the architecture, on AArch64: compiled for it, run by an emulator of its programs.

use crate::command::{cargo, run};
use crate::packages;
use crate::static_program::has_standard_library;
use crate::step::{Setting, Status, StepResult};
use anyhow::Result;
use programs::{Package, package};
use std::process::Command;

/// The name of the step.
pub const NAME: &str = "tests of the libraries on AArch64";

/// What compiles, links and runs.
const TOOLS: &[Package] = &[
    package("qemu-user", "qemu-aarch64", NAME),
    package("gcc-aarch64-linux-gnu", "aarch64-linux-gnu-gcc", NAME),
    // It has no program of its own, and is missing where the compiler is.
    package("libc6-dev-arm64-cross", "aarch64-linux-gnu-gcc", NAME),
];

const TARGET: &str = "aarch64-unknown-linux-gnu";

/// The libraries with conditions on the target: `cargo xtask house` finds them nowhere else.
const LIBRARIES: [&str; 2] = ["oscope-sys", "oscope-machine"];

/// Tests of what the emulator of programs does not have, or does in its own way: it answers system calls itself.
const NOT_EMULATED: [&str; 20] = [
    // clone3, execveat, memory shared by vfork, which it makes a fork of.
    "processes::exec::tests::",
    "processes::process::create::tests::",
    "processes::thread::raw::tests::every_thread_ran_before_it_was_joined",
    // Processes are its own, with its threads and its times.
    "processes::descendants::tests::time_that_a_process_uses_is_counted",
    // Where pages lie and whether they are there; MADV_POPULATE, MAP_FIXED_NOREPLACE.
    "address_space::pages::tests::populated_pages_are_resident",
    "address_space::pages::tests::an_address_taken_by_another_mapping_is_not_unmapped",
    // Flags of preadv2, the root of file names, queues of messages.
    "files::direct::tests::dontcache_reads_give_the_bytes_or_an_error",
    "files::path::tests::status_is_that_of_the_file",
    "ipc::message_queue::tests::a_posix_queue_carries_bytes_in_order_where_there_are_queues",
    // Options of sockets that are structures or texts, and queues of errors.
    "network::inet::tests::connections_that_find_no_room_are_counted",
    "network::inet::tests::options_are_what_they_were_set_to",
    "network::inet::tests::options_of_a_listener_hold_for_its_connections",
    "network::packet::tests::on_all_interfaces_what_goes_out_is_seen_too",
    "network::packet::tests::only_the_segments_of_the_port_are_seen_and_each_once",
    "network::tcp_info::tests::bytes_and_segments_are_counted",
    "network::zero_copy::tests::sent_pages_arrive_and_are_released",
    // Counters and single steps of a processor.
    "processes::perf::tests::",
    "entry::trace::tests::",
    "entry::stops::tests::",
    // BPF.
    "entry::tracepoint::tests::",
];

/// Runs the tests, or says why not. A CI machine gets that architecture's standard library from rustup; where rustup cannot
/// bring it, no setting would, and the tests are left out without failing.
pub fn test(setting: &Setting) -> Result<StepResult> {
    if setting.ci && !has_standard_library(TARGET) {
        // What it could not do shows below.
        let _ = run(Command::new("rustup").args(["target", "add", TARGET]));
    }
    if !has_standard_library(TARGET) {
        let remark = format!("no standard library for {TARGET}; `rustup target add {TARGET}` brings it");
        return Ok(StepResult::new(Status::LeftOut, remark));
    }
    if let Err(why) = packages::install_missing(TOOLS) {
        return Ok(StepResult::left_out(setting, format!("{why:#}")));
    }
    let mut command = cargo(&setting.root, &["test", "--no-fail-fast", "--target", TARGET]);
    command
        // The other file of tests disassembles both architectures wherever it runs.
        .args(["--lib", "--test", "machine"])
        .args(LIBRARIES.iter().flat_map(|library| ["--package", library]))
        .env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER", "aarch64-linux-gnu-gcc")
        .env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER", "qemu-aarch64 -L /usr/aarch64-linux-gnu")
        .arg("--")
        .args(NOT_EMULATED.iter().flat_map(|name| ["--skip", name]));
    Ok(StepResult::of_tests(&mut command))
}
