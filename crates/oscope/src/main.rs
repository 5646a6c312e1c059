//! The command.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    oscope::main_with(flawed::all_operations(), workloads::network::PEER_SERVICES)
}
