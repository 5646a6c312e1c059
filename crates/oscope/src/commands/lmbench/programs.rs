//! The programs of lmbench: those that points answer, and those that none does, with the reason.

use super::answer::{Answer, Program};
use super::line::Words;
use super::nearest::nearest;
use super::{memory, network, system};
use crate::exit::usage;

/// All that are answered.
pub const PROGRAMS: [&[Program]; 3] = [system::PROGRAMS, memory::PROGRAMS, network::PROGRAMS];

/// Programs that no point answers, and why.
const UNANSWERED: &[(&str, &str)] = &[
    ("bw_mmap_rd open2close", "`mapping.file` is the time of mmap, reads in the first tenth, and munmap"),
    ("cache", "`oscope run memory.levels` finds capacities and latencies, with intervals"),
    ("disk", "raw zones and seeks of a hard disk; `oscope run file.read.direct` reads a file at random"),
    ("lat_cmd", "any command; hyperfine times those"),
    ("lat_dram_page", "pages of DRAM chips: no point"),
    (
        "lat_http",
        "a list of files on standard input; `oscope run network.http.request` asks for one file of three sizes",
    ),
    ("lat_pmake", "the time of n jobs: no point"),
    ("lat_rand", "random numbers of the C library: no point"),
    ("lat_rpc", "SunRPC, which nothing on current systems uses"),
    ("lmdd", "`oscope run file.read.rate file.write.rate` read and write a file in blocks of 2 MiB"),
    ("seek", "seeks of a hard disk: no point"),
];

/// What a line asks for.
///
/// # Errors
/// When its program is none of lmbench's, is not answered, or would refuse the line.
pub fn answers(line: &[String]) -> anyhow::Result<Vec<Answer>> {
    let (first, words) =
        line.split_first().ok_or_else(|| usage("a program of lmbench is missing".to_owned()))?;
    let name = first.rsplit('/').next().unwrap_or(first);
    let Some(program) = PROGRAMS.iter().copied().flatten().find(|program| program.name == name) else {
        let unanswered = UNANSWERED.iter().find(|(program, _)| *program == name);
        return Err(usage(unanswered.map_or_else(
            || format!("lmbench has no program '{name}'; docs/PEERS.md lists those that are answered"),
            |(_, why)| format!("{name} is not answered: {why}"),
        )));
    };
    (program.answers)(&Words::parse(name, program.options, words)?)
}

/// A line of lmbench and what answers it.
pub struct Coverage {
    /// The line, or the program.
    pub line: String,
    /// The points, or why there are none.
    pub points: Result<Vec<String>, &'static str>,
    /// What they do differently, said once for each program.
    pub remark: &'static str,
}

/// Every program, by examples, with the points that are measured for them.
///
/// # Errors
/// When an example is wrong, or no point is near.
pub fn coverage() -> anyhow::Result<Vec<Coverage>> {
    let mut covered = Vec::new();
    let measured = |wanted: String| {
        let (operation, point) = nearest(flawed::all_operations(), &wanted)?;
        Ok(operation.point_id(&point).to_string())
    };
    for program in PROGRAMS.iter().copied().flatten() {
        for (at, example) in program.examples.iter().enumerate() {
            let line = [program.name, example].join(" ").trim().to_owned();
            let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
            let wanted = answers(&words)?.into_iter().flat_map(|answer| answer.points);
            let points: Vec<String> = wanted.map(measured).collect::<anyhow::Result<_>>()?;
            let remark = if at == 0 { program.remark } else { "" };
            covered.push(Coverage { line, points: Ok(points), remark });
        }
    }
    let none = UNANSWERED.iter().map(|&(program, why)| Coverage {
        line: program.to_owned(),
        points: Err(why),
        remark: "",
    });
    covered.extend(none);
    Ok(covered)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::panic, clippy::unwrap_used)]
    use super::super::answer::Value;
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    /// What a line prints where every point comes to this.
    fn printed(line: &str, typical: f64) -> String {
        let value = |point: &String| Value {
            typical,
            batches: 40,
            parameters: point.split_once(' ').map(|(_, rest)| rest.to_owned()).unwrap_or_default(),
        };
        let text = |answer: Answer| (answer.text)(&answer.points.iter().map(value).collect::<Vec<Value>>());
        answers(&words(line)).unwrap().into_iter().map(text).collect()
    }

    #[test]
    fn every_example_is_answered_by_points_that_there_are() {
        let covered = coverage().unwrap();
        assert!(covered.iter().filter(|line| line.points.is_ok()).count() > 40);
        assert!(
            covered
                .iter()
                .all(|line| line.points.as_ref().is_ok_and(|points| !points.is_empty())
                    || line.points.is_err())
        );
    }

    #[test]
    fn lines_have_the_form_of_lmbench() {
        for (line, typical, expected) in [
            ("lat_syscall null", 50.0, "Simple syscall: 0.0500 microseconds\n"),
            (
                "/usr/lib/lmbench/bin/lat_select -n 100 tcp",
                5e3,
                "Select on 100 tcp fd's: 5.0000 microseconds\n",
            ),
            ("lat_sem -P 1", 4e3, "Semaphore latency: 2.0000 microseconds\n"),
            ("lat_ctx -s 16 2 8", 1500.0, "\n\"size=16k ovr=0.00\n2 1.50\n8 1.50\n"),
            ("lat_fs -s 1k", 1e4, "1k\t40\t100000\t100000\n"),
            ("lat_usleep -u nanosleep 100", 5e4, "nanosleep 100 microseconds: 150.0000 microseconds\n"),
            ("lat_usleep -u pselect 100", 5e4, "pselect 100 microseconds: 150.0000 microseconds\n"),
            ("lat_mem_rd -t 1 64", 4.0, ""),
            ("bw_mem 64m rd", 2e10, "67.11 20000.00\n"),
            ("bw_mem 4k cp", 2e10, "0.004096 20000.00\n"),
            ("mhz", 4.5e9, "4500 MHz, 0.2222 nanosec clock\n"),
            ("tlb", 96.0, "tlb: 96 pages\n"),
            ("bw_pipe", 1.2345e9, "Pipe bandwidth: 1234.50 MB/sec\n"),
            ("bw_tcp localhost", 1e9, "0.131072 1000.00 MB/sec\n"),
            ("lat_tcp localhost", 1e4, "TCP latency using localhost: 10.0000 microseconds\n"),
            ("lat_tcp -s", 1.0, ""),
            ("lat_fcntl", 4e3, "Fcntl lock latency: 2.0000 microseconds\n"),
            ("par_mem", 4.0, "0.262144 1.00\n4.19 1.00\n67.11 1.00\n"),
            ("lat_mmap 1m /tmp/file", 12_345.0, "1.048576 12\n"),
        ] {
            let text = printed(line, typical);
            assert!(text == expected || expected.is_empty() && line != "lat_tcp -s", "{line}: {text:?}");
        }
    }

    #[test]
    fn parallelism_is_printed_for_every_instruction() {
        let text = printed("par_ops", 4.0);
        assert!(text.starts_with("integer add parallelism: 1.00\ninteger mul parallelism: 1.00\n"), "{text}");
        assert_eq!(text.lines().count(), 14);
    }

    #[test]
    fn working_sets_are_printed_in_order_up_to_the_length() {
        let text = printed("lat_mem_rd -t 1 64", 4.0);
        assert!(text.starts_with("\"stride=64\n0.00098 4.000\n0.00195 4.000\n"), "{text}");
        assert!(text.ends_with("1.00000 4.000\n\n"), "{text}");
    }

    /// The 40 lmbench jobs in the nightly of Asterinas (commit 604948581512) that measure their own machine by what is
    /// answered; 5 others measure another machine, 2 are `lmdd`, and one is `lat_http`.
    const NIGHTLY: [&str; 40] = [
        "lat_fs -s 0k -P 1 /ext2",
        "lat_fs -s 10k -P 1 /ext2",
        "lat_fifo -P 1",
        "bw_mem -P 1 -N 50 512m fcp",
        "bw_mmap_rd -W 30 -N 300 256m mmap_only /ext2/test_file",
        "lat_mmap 4m /ext2/test_file",
        "lat_pagefault -P 1 /ext2/test_file",
        "bw_mem -P 1 -N 50 512m frd",
        "bw_mem -P 1 -N 50 512m fwr",
        "bw_pipe -P 1",
        "lat_pipe -P 1",
        "lat_ctx -P 1 18",
        "lat_proc -P 1 exec",
        "lat_proc -P 1 fork",
        "lat_syscall -P 1 null",
        "lat_proc -P 1 shell",
        "lat_fs -s 0k -P 1 -W 30 -N 200",
        "lat_fs -s 10k -P 1 -W 30 -N 300",
        "lat_sem -P 1 -N 21",
        "lat_sig -P 1 catch",
        "lat_sig -P 1 install",
        "lat_sig -W 30 -N 300 prot /ext2/test_file",
        "bw_tcp -m 128 -P 1 127.0.0.1",
        "bw_tcp -m 4096 -P 1 127.0.0.1",
        "bw_tcp -m 65536 -P 1 127.0.0.1",
        "lat_connect 127.0.0.1",
        "lat_tcp -P 1 127.0.0.1",
        "lat_select -P 1 tcp",
        "lat_udp -P 1 127.0.0.1",
        "bw_unix -P 1",
        "lat_unix_connect -P 1",
        "lat_unix -P 1",
        "lat_fcntl -P 1 -W 30 -N 200",
        "lat_syscall -P 1 fstat test_file",
        "lat_syscall -P 1 -W 1000 -N 1000 open testfile",
        "lat_syscall -P 1 read",
        "bw_file_rd -P 1 -W 30 -N 300 512m io_only /ext2/test_file",
        "lat_select -P 1 file",
        "lat_syscall -P 1 -W 1000 -N 1000 stat testfile",
        "lat_syscall -P 1 write",
    ];

    #[test]
    fn jobs_of_a_nightly_are_answered_by_points_that_there_are() {
        for line in NIGHTLY {
            let answers = answers(&words(line)).unwrap_or_else(|error| panic!("{line}: {error}"));
            let points: Vec<String> = answers.into_iter().flat_map(|answer| answer.points).collect();
            assert!(!points.is_empty(), "{line}");
            for point in points {
                assert!(nearest(flawed::all_operations(), &point).is_ok(), "{line}: {point}");
            }
        }
    }

    #[test]
    fn what_is_not_answered_says_why_and_what_is_unknown_where_to_look() {
        for (line, part) in [
            ("lat_rpc localhost", "SunRPC"),
            ("lat_nothing", "PEERS.md"),
            ("lat_syscall chmod", "chmod"),
            ("lat_tcp server17", "oscope serve"),
            ("bw_mem 64m what", "what"),
            ("lat_proc -P 2 fork", "copies"),
        ] {
            let error = answers(&words(line)).err().map(|error| error.to_string()).unwrap();
            assert!(error.contains(part), "{line}: {error}");
        }
        assert!(answers(&[]).is_err());
    }
}
