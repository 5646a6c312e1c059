//! Dump findings.
fn main() {
    let text = std::fs::read_to_string("crates/reference/data/results.csv").unwrap();
    let m = std::fs::read_to_string("crates/reference/data/machines.csv").unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let m = if std::env::args().nth(1).is_some() {
        Vec::new()
    } else {
        lint::machines(&m).unwrap()
    };
    let t = lint::read(&text, m).unwrap();
    for f in lint::lint(&t) {
        let codes: Vec<String> = f
            .lines
            .iter()
            .map(|l| {
                let line = lines[*l as usize - 1];
                // suspect: last column(s)
                let mut found = String::new();
                for w in line.split(',') {
                    if w.starts_with('E') && w.len() >= 3 && w[1..3].chars().all(|c| c.is_ascii_digit()) {
                        found = w.to_string();
                    }
                }
                found
            })
            .collect();
        let hit = codes.iter().filter(|c| c.contains(f.code)).count();
        println!(
            "{} {} {} | {} | {}/{} {:?} | L{:?} [{}]",
            if hit > 0 { "  " } else { "??" },
            f.code,
            f.rule,
            f.subject,
            hit,
            codes.len(),
            codes.first().unwrap_or(&String::new()),
            &f.lines[..f.lines.len().min(3)],
            f.sentence
        );
    }
}
