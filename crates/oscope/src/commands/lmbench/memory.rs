//! Programs of lmbench about memory, caches, the clock, and files that are read through the page cache.

use super::answer::{
    Answer, Program, exactly, megabytes, size_and_rate, size_and_rate_of_blocks, two_or_six,
};
use super::line::{Words, size};
use crate::exit::usage;

pub const PROGRAMS: &[Program] = &[
    Program {
        name: "lat_mem_rd",
        options: "t",
        answers: latency,
        examples: &["-t 64", "64 64 512"],
        remark: "With -t one random cycle over all lines; the size is in MiB.",
    },
    Program {
        name: "bw_mem",
        options: "",
        answers: bandwidth,
        examples: &[
            "64m rd",
            "64m frd",
            "64m wr",
            "64m fwr",
            "64m cp",
            "64m fcp",
            "64m bzero",
            "64m bcopy",
            "64m rdwr",
        ],
        remark: "rd, wr and cp touch every word, where lmbench touches one of four and counts all.",
    },
    Program {
        name: "stream",
        options: "v:M:",
        answers: stream,
        examples: &[""],
        remark: "Arrays of 64 MiB, plain stores, payload in bytes as STREAM counts them; version 2 has no points.",
    },
    Program {
        name: "par_mem",
        options: "cL:M:",
        answers: |_| Ok(["256KiB", "4MiB", "64MiB"].map(parallelism).into()),
        examples: &[""],
        remark: "Time of a load with 1 chain over that with 64; lmbench tries up to 16.",
    },
    Program {
        name: "bw_file_rd",
        options: "C",
        answers: file,
        examples: &["64m io_only FILE", "64m open2close FILE"],
        remark: "Reads of 2 MiB of a file of oscope's; open and close are not in it.",
    },
    Program {
        name: "bw_mmap_rd",
        options: "C",
        answers: mapped,
        examples: &["64m mmap_only FILE"],
        remark: "Copies of 4 KiB out of a file of oscope's.",
    },
    Program {
        name: "mhz",
        options: "cd",
        answers: |_| {
            let answer = Answer::from_point("clock.frequency clock=core", |value| {
                let hz = value.typical;
                format!("{:.0} MHz, {:.4} nanosec clock\n", hz / 1e6, 1e9 / hz)
            });
            Ok(vec![answer.on_output()])
        },
        examples: &[""],
        remark: "",
    },
    Program {
        name: "tlb",
        options: "cL:M:",
        answers: |_| {
            Ok(vec![Answer::from_point("memory.tlb level=1 property=entries", |value| {
                format!("tlb: {:.0} pages\n", value.typical)
            })])
        },
        examples: &[""],
        remark: "The first level.",
    },
    Program {
        name: "line",
        options: "avM:",
        answers: |_| {
            let answer = Answer::from_point("memory.line_size property=size", |value| {
                format!("{:.0}\n", value.typical)
            });
            Ok(vec![answer.on_output()])
        },
        examples: &[""],
        remark: "",
    },
];

/// Bytes of a read of a mapped file.
const BLOCK: f64 = 4096.0;

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

/// Working sets of `memory.latency` and of `memory.latency.stride`, in bytes, of which those up to the length are measured.
fn working_sets(length: u64, is_random: bool) -> Vec<u64> {
    let powers = (0..=20).map(|power| KIB << power);
    let largest = if is_random { 1 << 30 } else { 64 * MIB };
    powers.filter(|bytes| *bytes <= length.min(largest)).collect()
}

fn latency(words: &Words) -> anyhow::Result<Vec<Answer>> {
    let length = words.size(0)?.saturating_mul(MIB);
    let is_random = words.option('t').is_some();
    let strides = words.rest.iter().skip(1).map(|word| size(word)).collect::<anyhow::Result<Vec<u64>>>()?;
    let strides = if strides.is_empty() { vec![64] } else { strides };
    let mut answers = Vec::new();
    for stride in strides {
        answers.push(Answer::title(format!("\"stride={stride}\n")));
        for bytes in working_sets(length, is_random) {
            let point = if is_random {
                format!("memory.latency page_size=4KiB bytes={bytes}B")
            } else {
                format!("memory.latency.stride stride={stride}B access=forward bytes={bytes}B")
            };
            answers.push(Answer::from_point(point, move |value| {
                let measured = value.measured("bytes", bytes);
                format!("{:.5} {:.3}\n", exactly(measured) / exactly(MIB), value.typical)
            }));
        }
        answers.push(Answer::title("\n".to_owned()));
    }
    Ok(answers)
}

fn bandwidth(words: &Words) -> anyhow::Result<Vec<Answer>> {
    let bytes = words.size(0)?;
    let what = words.word(1, "one of rd, wr, rdwr, cp, frd, fwr, fcp, bzero, bcopy")?;
    let (operation, method) = match what {
        "rd" | "frd" => ("read", "unrolled"),
        "wr" | "fwr" => ("write", "unrolled"),
        "cp" | "fcp" => ("copy", "unrolled"),
        "bzero" => ("fill", "library"),
        "bcopy" => ("copy", "library"),
        "rdwr" => ("update", "widest"),
        other => return Err(usage(format!("bw_mem {other}: no point"))),
    };
    if words.rest.len() > 2 {
        return Err(usage("bw_mem conflict: no point".to_owned()));
    }
    let point = format!("memory.bandwidth.{operation} method={method} bytes={bytes}B cpus=1");
    Ok(vec![size_and_rate(bytes, point)])
}

/// The four kernels, by the points and the bytes that an element moves.
const KERNELS: [(&str, &str, f64); 4] = [
    ("copy", "memory.bandwidth.copy method=widest bytes=128MiB cpus=1", 16.0),
    ("scale", "memory.bandwidth.scale method=widest bytes=128MiB cpus=1", 16.0),
    ("add", "memory.bandwidth.add method=widest bytes=192MiB cpus=1", 24.0),
    ("triad", "memory.bandwidth.triad method=widest bytes=192MiB cpus=1", 24.0),
];

fn stream(words: &Words) -> anyhow::Result<Vec<Answer>> {
    if words.option('v').is_some_and(|version| version != "1") {
        return Err(usage("stream -v 2: no point".to_owned()));
    }
    let kernel = |(name, point, moved): (&'static str, &str, f64)| {
        // A copy counts its bytes once; STREAM counts those that are read and those that are written.
        let twice = if name == "copy" { 2.0 } else { 1.0 };
        Answer::from_point(point, move |value| {
            let per_second = twice * value.typical;
            format!(
                "STREAM {name} latency: {:.2} nanoseconds\nSTREAM {name} bandwidth: {:.2} MB/sec\n",
                moved / per_second * 1e9,
                megabytes(per_second)
            )
        })
    };
    Ok(KERNELS.map(kernel).into())
}

fn parallelism(size: &str) -> Answer {
    let points = ["1", "64"].map(|chains| format!("memory.parallel_loads chains={chains} bytes={size}"));
    Answer::from_points(&points, |values| {
        let [one, many] = values else { return String::new() };
        let bytes = megabytes(exactly(one.measured("bytes", 0)));
        format!("{} {:.2}\n", two_or_six(bytes), one.typical / many.typical)
    })
}

fn file(words: &Words) -> anyhow::Result<Vec<Answer>> {
    let bytes = words.size(0)?;
    match words.word(1, "io_only or open2close")? {
        "io_only" | "open2close" => Ok(vec![size_and_rate(bytes, "file.read.rate cache=warm")]),
        other => Err(usage(format!("'{other}' is none of io_only, open2close"))),
    }
}

fn mapped(words: &Words) -> anyhow::Result<Vec<Answer>> {
    let bytes = words.size(0)?;
    match words.word(1, "mmap_only")? {
        "mmap_only" => {
            let point = format!("file.read.mapped access=sequential file_size={bytes}B");
            Ok(vec![size_and_rate_of_blocks(bytes, BLOCK, point)])
        }
        other => Err(usage(format!("bw_mmap_rd {other}: no point"))),
    }
}
