//! The command.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    oscope::main_with(operations::ALL, workloads::network::PEER_SERVICES)
}
