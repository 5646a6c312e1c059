//! `oscope worker`: measures one point for a supervisor, and dies with it; or one after the other, each in a process of its
//! own.

use crate::Operations;
use crate::exit::Exit;
use crate::unanswered;
use record::FreshProcess;
use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use sys::descriptor::Descriptor;
use sys::out_of_memory::{self, Killed};
use sys::process;
use sys::supervision::{self, Waited};

/// Measures one point; where it is to stay, until the supervisor, which looks at it from outside, closes the pipe.
pub fn run(operations: Operations, stay: bool, several: Option<FreshProcess>) -> anyhow::Result<Exit> {
    // The supervisor, which has the table, is to outlive a worker that takes too much.
    out_of_memory::be_killed_first();
    if let Some(fresh) = several {
        return serve_several(operations, fresh);
    }
    let request = measure::worker::listen(&mut std::io::stdin().lock())?;
    if supervision::exit_when_stdin_closes() {
        measure::worker::serve(operations, &request, &mut std::io::stdout().lock())?;
        if stay {
            std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink())?;
        }
    }
    Ok(Exit::Success)
}

/// Serves request after request, each by a process of its own, until the supervisor closes the pipe. A process stays after
/// its answer until the next request.
fn serve_several(operations: Operations, fresh: FreshProcess) -> anyhow::Result<Exit> {
    loop {
        let request = measure::worker::listen(&mut std::io::stdin().lock())?;
        if request.is_empty() {
            return Ok(Exit::Success);
        }
        let before = Killed::now();
        match fresh {
            FreshProcess::Executed => {
                let mut child = Command::new(std::env::current_exe()?)
                    .args(["worker", "--stay"])
                    .stdin(Stdio::piped())
                    .stdout(Stdio::piped())
                    .process_group(0)
                    .spawn()?;
                if let Some(input) = &mut child.stdin {
                    input.write_all(request.as_bytes())?;
                }
                if let Some(mut output) = child.stdout.take() {
                    relay((child.id(), before), output.as_raw_fd(), |bytes| output.read(bytes))?;
                }
            }
            FreshProcess::Forked => {
                let (reader, writer) = sys::pipe::pipe()?;
                let (reader, writer) = (reader.into_descriptor(), writer.into_descriptor());
                let child = supervision::fork_until_killed(|| {
                    let answered = measure::worker::serve(operations, &request, &mut Output(&writer));
                    if answered.is_err() {
                        process::exit_now(1);
                    }
                })?;
                // Only the child has it now: the pipe ends with it.
                drop(writer);
                relay((child, before), reader.as_raw_fd(), |bytes| {
                    usize::try_from(reader.read(bytes)).map_err(|_| std::io::ErrorKind::Other.into())
                })?;
            }
        }
    }
}

/// The end of a pipe as a writer.
struct Output<'d>(&'d Descriptor);

impl Write for Output<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.write_all(bytes).map_err(std::io::Error::other)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Passes on what a child answers, or says how it ended without an answer; kills it, and what it has started, when there is
/// another request or the supervisor is gone.
fn relay(
    (child, before): (u32, Killed),
    output: i32,
    mut read: impl FnMut(&mut [u8]) -> std::io::Result<usize>,
) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    let mut bytes = vec![0; 64 << 10];
    let mut answered = false;
    let silent = loop {
        let watched = if answered { -1 } else { output };
        match supervision::wait_readable([0, watched], -1) {
            Waited::Ready([true, _]) => break false,
            Waited::Ready([false, true]) => {}
            Waited::Ready(_) | Waited::Interrupted | Waited::TimedOut => continue,
        }
        let length = read(&mut bytes)?;
        if length == 0 {
            break true;
        }
        let fresh = bytes.get(..length).unwrap_or_default();
        out.write_all(fresh)?;
        out.flush()?;
        answered = fresh.contains(&b'\n');
    };
    supervision::kill_group(child);
    let (_, ended) = process::wait_for(i32::try_from(child)?)?;
    if silent {
        let mut line = serde_json::to_vec(&unanswered::reply(Some(ended), "", before))?;
        line.push(b'\n');
        out.write_all(&line)?;
        out.flush()?;
    }
    Ok(())
}
