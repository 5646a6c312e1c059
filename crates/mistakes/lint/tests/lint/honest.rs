//! Honest tables of several kinds from a seeded generator: the rules find nothing in them.

use fastrand::Rng;

/// Tables of each kind.
const TABLES: u64 = 40;

/// A normal number, by the sum of twelve uniform ones.
fn normal(random: &mut Rng) -> f64 {
    (0..12).map(|_| random.f64()).sum::<f64>() - 6.0
}

/// A plausible machine: a clock, and costs that fit each other.
struct Machine {
    clock_ghz: f64,
    call_ns: f64,
    noise: f64,
}

impl Machine {
    fn new(random: &mut Rng) -> Self {
        Self {
            clock_ghz: 2.0 + 3.0 * random.f64(),
            call_ns: 45.0 + 250.0 * random.f64(),
            noise: 0.002 + 0.05 * random.f64(),
        }
    }

    /// Operations with their true costs in nanoseconds, all at least their parts.
    fn costs(&self, random: &mut Rng) -> Vec<(String, f64)> {
        let cycle = 1.0 / self.clock_ghz;
        let call = self.call_ns;
        let switch = 2.0 * call + 400.0 + 3000.0 * random.f64();
        let mut costs = vec![
            ("clock.read.rdtscp".to_owned(), 20.0 * cycle + 5.0),
            ("loop.iteration".to_owned(), cycle),
            ("syscall.getppid".to_owned(), call),
            ("syscall.write.dev_null".to_owned(), call * 1.4),
            ("switch.process.pipe".to_owned(), switch),
            ("switch.thread.futex".to_owned(), switch * 0.8 + 0.4 * call),
            ("thread.create.join".to_owned(), 9_000.0 + 20_000.0 * random.f64()),
            ("process.create.fork_wait".to_owned(), 60_000.0 + 200_000.0 * random.f64()),
            ("fault.anonymous.write".to_owned(), 250.0 + 600.0 * random.f64()),
            ("fault.file.major".to_owned(), 60_000.0 + 40_000.0 * random.f64()),
        ];
        costs.extend(
            (0..8).map(|n| (format!("call.procedure arguments={n}"), (4.0 + 0.6 * f64::from(n)) * cycle)),
        );
        let levels = [("L1", 4.0), ("L2", 14.0), ("L3", 45.0), ("memory", 250.0)];
        costs.extend(levels.map(|(level, cycles)| (format!("memory.latency level={level}"), cycles * cycle)));
        let near = 8_000.0 + 20_000.0 * random.f64();
        costs.push(("round_trip.tcp peer=loopback".to_owned(), near));
        costs.push(("round_trip.tcp peer=remote".to_owned(), near + 100_000.0));
        costs.push(("connection.connect peer=loopback".to_owned(), 1.6 * near));
        costs
    }

    fn measure(&self, truth: f64, random: &mut Rng) -> f64 {
        // Some trials take somewhat longer, as on every machine.
        let tail = if random.u8(..) < 12 { 1.0 + 1.5 * self.noise } else { 1.0 };
        truth * (1.0 + self.noise * normal(random)) * tail
    }
}

/// The value with this number of significant digits, as a careful author prints it.
fn digits(value: f64, digits: i32) -> String {
    let decimals = digits - 1 - value.abs().max(1e-12).log10().floor() as i32;
    format!("{value:.0$}", usize::try_from(decimals.max(0)).unwrap())
}

/// Unit and factor from nanoseconds: one unit for the whole table, or the one that suits the value.
fn unit(value: f64, suited: bool) -> (&'static str, f64) {
    match value {
        _ if !suited => ("ns", 1.0),
        value if value < 1e3 => ("ns", 1.0),
        value if value < 1e6 => ("us", 1e-3),
        _ => ("ms", 1e-6),
    }
}

fn mean_and_deviation(values: &[f64]) -> (f64, f64) {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / (values.len() - 1) as f64).sqrt())
}

/// The reports' form: trials, their mean with its deviation, and a summary at the end with fewer digits.
fn with_trials(random: &mut Rng) -> String {
    let machine = Machine::new(random);
    let (trials, suited) = (5 + random.usize(..8), random.bool());
    let mut text = "report,section,operation,parameter,quantity,unit_published,base_hardware,software_overhead,predicted,measured,deviation,minimum,maximum,measured_si\n".to_owned();
    let mut summary = String::new();
    for (at, (id, truth)) in machine.costs(random).into_iter().enumerate() {
        let (operation, point) = id.split_once(' ').unwrap_or((&id, ""));
        let (name, factor) = unit(truth, suited);
        let printed: Vec<String> =
            (0..trials).map(|_| digits(machine.measure(truth, random) * factor, 5)).collect();
        for (trial, value) in printed.iter().enumerate() {
            let si = value.parse::<f64>().unwrap() / factor * 1e-9;
            text += &format!(
                "X,3.{at},{operation},{point} trial={},latency,{name},,,,{value},,,,{si:e}\n",
                trial + 1
            );
        }
        let values: Vec<f64> = printed.iter().map(|value| value.parse().unwrap()).collect();
        let (mean, deviation) = mean_and_deviation(&values);
        let (low, high) = (
            values.iter().copied().fold(f64::INFINITY, f64::min),
            values.iter().copied().fold(0.0, f64::max),
        );
        let base = digits(truth * factor * (0.5 + 0.2 * random.f64()), 3);
        let software = digits(truth * factor * (0.3 + 0.2 * random.f64()), 3);
        let predicted = base.parse::<f64>().unwrap() + software.parse::<f64>().unwrap();
        let (mean_text, deviation) = (digits(mean, 5), digits(deviation, 3));
        let predicted = digits(predicted, 4);
        text += &format!(
            "X,3.{at},{operation},{point} statistic=mean trials={trials},latency,{name},{base},{software},{predicted},{mean_text},{deviation},{low},{high},\n"
        );
        let short = digits(mean, 3);
        summary +=
            &format!("X,7,{operation},{point},latency,{name},{base},{software},{predicted},{short},,,,\n");
    }
    text + &summary
}

/// A table with a row per point, in cycles, that tells seconds beside.
fn in_cycles(random: &mut Rng) -> String {
    let machine = Machine::new(random);
    let mut text = "operation,parameter,unit,measured,deviation,measured_si\n".to_owned();
    for (id, truth) in machine.costs(random) {
        let (operation, point) = id.split_once(' ').unwrap_or((&id, ""));
        let cycles = machine.measure(truth, random) * machine.clock_ghz;
        let (cycles, spread) = (digits(cycles.max(1.0), 4), digits(cycles * machine.noise, 2));
        let si = cycles.parse::<f64>().unwrap() / machine.clock_ghz * 1e-9;
        text += &format!("{operation},{point},cycles,{cycles},{spread},{si:e}\n");
    }
    text
}

/// oscope's own form: all digits, intervals, no sections.
fn own_form(random: &mut Rng) -> String {
    let machine = Machine::new(random);
    let mut text = "operation,point,area,method,quantity,unit,verdict,typical,low,high,best,deviation,trials,batches,set_aside,hardware,software,predicted,ratio,reason\n".to_owned();
    for (id, truth) in machine.costs(random) {
        let (operation, point) = id.split_once(' ').unwrap_or((&id, ""));
        let typical = machine.measure(truth, random);
        let (hardware, software) = (truth * 0.4, truth * (0.4 + 0.4 * random.f64()));
        text += &format!(
            "{operation},{point},os,slope,latency,ns,measured,{typical},{},{},{},{},12,400,3,{hardware},{software},{},{},\n",
            typical * 0.99,
            typical * 1.01,
            typical * 0.97,
            typical * 0.01,
            hardware + software,
            typical / truth
        );
    }
    text += "syscall.nothing,,os,slope,latency,ns,skipped,,,,,,0,,0,,,,,not permitted\n";
    text
}

/// Bandwidths by size and method, files by size with the block named, and times of whole files.
fn rates(random: &mut Rng) -> String {
    let peak = 10.0 + 30.0 * random.f64();
    let mut text = "operation,parameter,unit,base_hardware,predicted,measured,deviation\n".to_owned();
    for method in ["read", "write", "copy", "fill"] {
        let rate = peak * (0.3 + 0.6 * random.f64());
        text += &format!(
            "memory.bandwidth.{method},array=1GB,GB/s,{peak:.1},{:.1},{rate:.2},{:.2}\n",
            peak * 0.9,
            rate * 0.02
        );
    }
    let disk = 200.0 + 2000.0 * random.f64();
    for size in [4.0, 64.0, 1024.0, 65_536.0] {
        let milliseconds = 0.1 + size / 1000.0 / disk * 1000.0;
        text +=
            &format!("file.read.uncached,file={size}KB,ms,,,{milliseconds:.4},{:.4}\n", milliseconds * 0.05);
        text += &format!(
            "file.read.cached,file={size}KB block=4KB,us,,,{:.3},0.01\n",
            0.4 + 0.05 * normal(random).abs()
        );
    }
    for competitors in 0..8 {
        let time = 40.0 * (1.0 + f64::from(competitors)) * (1.0 + 0.02 * normal(random));
        text += &format!("file.contention,competitors={competitors},us,,,{time:.2},{:.2}\n", time * 0.03);
    }
    text
}

/// Makes a table from a seed.
type Make = fn(&mut Rng) -> String;

#[test]
fn honest_tables_have_no_findings() {
    let kinds: [(&str, Make); 4] =
        [("trials", with_trials), ("cycles", in_cycles), ("own", own_form), ("rates", rates)];
    let mut found = Vec::new();
    for (name, make) in kinds {
        for seed in 0..TABLES {
            let text = make(&mut Rng::with_seed(seed));
            let table = lint::read(&text, Vec::new()).unwrap();
            found.extend(lint::lint(&table).into_iter().map(|finding| (name, seed, finding)));
        }
    }
    for (name, seed, finding) in &found {
        println!("{name} {seed}: {} {}: {}", finding.rule, finding.subject, finding.sentence);
    }
    assert!(found.is_empty(), "{} findings in {} honest tables", found.len(), 4 * TABLES);
}

#[test]
fn planted_mistake_in_an_honest_table_is_found() {
    let honest = own_form(&mut Rng::with_seed(3));
    for (planted, rule) in [
        ("syscall.cached,,os,slope,latency,ns,measured,9.5,,,,,12,,0,,,,,\n", "no_kernel_entry"),
        ("switch.none,,os,slope,latency,ns,measured,40,,,,,12,,0,,,,,\n", "cheaper_than_parts"),
        ("a,,os,slope,latency,ns,measured,-4,,,,,12,,0,,,,,\n", "negative_duration"),
        ("a,,os,slope,latency,ns,measured,40,,,,1,2,,0,,,,,\n", "too_few"),
        ("a,,os,slope,latency,ns,measured,40,,,,1,12,,0,20.5,7.25,99.5,,\n", "sums"),
    ] {
        let table = lint::read(&format!("{honest}{planted}"), Vec::new()).unwrap();
        let rules: Vec<&str> = lint::lint(&table).iter().map(|finding| finding.rule).collect();
        assert_eq!(rules, [rule], "{planted}");
    }
}
