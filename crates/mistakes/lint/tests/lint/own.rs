//! oscope's own tables, as `oscope report --format csv` writes them: nothing is found in an honest one, and a mistake of
//! every family of rules is found where it is planted. Ids and parameters are in the current and in older forms.

/// A table of a report; its heading is the contract of the CSV form.
const REPORT: &str = include_str!("../../../../reading/report/tests/goldens/report.csv");
/// The columns that rows give, in this order.
const COLUMNS: &str = "operation,point,quantity,unit,typical,deviation,trials,hardware,software,predicted";

const HONEST: &str = "\
clock.read.rdtsc,,latency,ns,11.21198404,0.156,9,11.13,0,11.13
loop.iteration,counter=register n=1024,latency,ns,0.33471,0.001,12,0.33,0,0.33
call.procedure,arguments=0,latency,ns,1.73412,0.016,12,1.9,0,1.9
call.procedure,arguments=1,latency,ns,1.84233,0.016,12,1.9,0,1.9
call.procedure,arguments=2,latency,ns,1.95711,0.016,12,1.9,0,1.9
syscall.floor,,latency,ns,87.5613,0.3,12,65,35,100
syscall.getpid,method=raw,latency,ns,99.3412,0.3,12,88,11,99
syscall.getpid,method=libc,latency,ns,101.7421,0.3,12,88,13,101
switch.process.pipe,cpu=same,latency,ns,957.2513,8.1,12,,918,918
switch.process.refill,kib=16,latency,ns,-3.1127,2.2,12,,,
ipc.pipe.round_trip,cpu=same,latency,ns,2702.331,31,12,,2594,2594
process.create.fork_wait,resident_mib=16,latency,ns,297123.4,4100,12,,359000,359000
process.create.fork_exec,program=static,latency,ns,641227.1,9100,12,,,
thread.create.join,,latency,ns,14311.72,310,12,,,
memory.latency,pages=4KiB size=64MiB,latency,ns,71.2241,2.2,12,60,0,60
memory.bandwidth.read,bytes=128MiB cpus=1,bandwidth,bytes_per_s,11412773193,91000000,12,,,
fault.file.minor,stride=4KiB,latency,ns,512.227,15,12,101,380,481
fault.file.major,access=random,latency,ns,71233.4,1500,12,60000,900,60900
file.read.cached,access=sequential file_size=1MiB,bandwidth,bytes_per_s,5127712371,61000000,12,,,
network.round_trip.tcp,path=loopback cpu=same bytes=64B,latency,ns,9127.31,82,12,,,
network.round_trip.tcp,path=remote cpu=same bytes=64B,latency,ns,51277.13,82,12,,,
network.connection.connect,path=loopback cpu=same,latency,ns,16227.3,610,12,,,
";

/// Rules, and the row of a mistake that each finds.
const PLANTED: &str = "\
no_kernel_entry: syscall.gettid,method=libc,latency,ns,3.1271,0.1,12,,,
connection_wait: network.connection.accept,path=remote,latency,ns,2412773193,9,12,,,
cheaper_than_parts: switch.process.pipe,cpu=other,latency,ns,3.1,0.1,12,,,
cheaper_than_parts: network.round_trip.udp,path=loopback,latency,ns,120.3,9,12,,,
unoptimised: loop.iteration,counter=register iterations=256,latency,ns,5.7,0.1,12,,,
zero_deviation: switch.thread.futex,cpu=same,latency,ns,741.2213,0,12,,,
slower_than_latency: memory.bandwidth.write,bytes=128MiB,bandwidth,bytes_per_s,1141277,91,12,,,
knee_unit: memory.levels,level=3 property=capacity,size,bytes,524288,91,12,8388608,0,8388608
faster_than_storage: fault.file.major,access=stride pages=1,latency,ns,1765.23,41,12,,,
answered_by_cache: file.read.direct,order=random file_size=64MiB,latency,ns,1765.23,41,12,,,
faster_than_hardware: memory.bandwidth.copy,bytes=1GiB,bandwidth,bytes_per_s,32412773193,91,12,24000000000,0,24000000000
too_few: process.end.wait,,latency,ns,8127.31,41,3,,,
impossible_summary: process.end.wait,,latency,ns,8127.31,-41,12,,,
sums: process.end.wait,,latency,ns,8127.31,41,12,500,900,4100
prediction_equals_result: process.end.wait,,latency,ns,8127.31,41,12,,,8127.31
negative_duration: process.end.wait,,latency,ns,-8127.31,41,12,,,
copied: switch.process.futex,cpu=same,latency,ns,957.2513,7.2,12,,,
derived: process.create.fork_wait,ratio=process/thread,ratio,1,2.13,0.1,12,,,
";

/// The findings in a table of these rows in oscope's own form.
fn findings(rows: &[&str]) -> Vec<lint::Finding> {
    let heading = REPORT.lines().next().unwrap();
    let mut text = format!("{heading}\n");
    for row in rows {
        let given: Vec<(&str, &str)> = COLUMNS.split(',').zip(row.split(',')).collect();
        let cell = |column: &str| match column {
            "method" => "default",
            "verdict" => "measured",
            _ => given.iter().find(|(name, _)| *name == column).map_or("", |(_, cell)| *cell),
        };
        text += &(heading.split(',').map(cell).collect::<Vec<&str>>().join(",") + "\n");
    }
    lint::lint(&lint::read(&text, Vec::new()).unwrap())
}

#[test]
fn honest_own_table_has_no_findings() {
    assert_eq!(findings(&HONEST.lines().collect::<Vec<&str>>()), []);
}

#[test]
fn planted_mistake_of_every_family_is_found() {
    let planted: Vec<(&str, &str)> = PLANTED.lines().map(|line| line.split_once(": ").unwrap()).collect();
    for (rule, row) in &planted {
        let found = findings(&HONEST.lines().chain([*row]).collect::<Vec<&str>>());
        let rules: Vec<&str> = found.iter().map(|finding| finding.rule).collect();
        assert_eq!(rules, [*rule], "{row}: {found:?}");
    }
    for (title, rules) in lint::FAMILIES {
        assert!(rules.iter().any(|rule| planted.iter().any(|(id, _)| *id == rule.id)), "{title}");
    }
}

/// The table for people, where a few trials far from the others would make the deviation as large as the result.
#[test]
fn deviation_of_outliers_is_marked_in_the_own_table_and_is_no_finding() {
    for (deviation, rules) in [("16.18 ns", &["wide_deviation"][..]), ("0.15 ns + 2 outliers", &[])] {
        let table = format!(
            "| point | measured | ± | deviation |\n|---|---:|---:|---:|\n| memory.latency bytes=4MiB | 15.55 ns | 0.67 % | {deviation} |\n"
        );
        let found = lint::lint(&lint::read(&table, Vec::new()).unwrap());
        assert_eq!(found.iter().map(|finding| finding.rule).collect::<Vec<_>>(), rules, "{deviation}");
    }
}
