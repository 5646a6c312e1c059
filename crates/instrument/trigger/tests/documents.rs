//! What documents print of this crate is what is compiled.
#![allow(clippy::unwrap_used)]

#[test]
fn loop_of_the_gate_page_is_the_example() {
    let example = include_str!("../examples/quiet_loop.rs");
    let part = example.split("// begin\n").nth(1).unwrap().split("// end\n").next().unwrap();
    let indented: String = part
        .lines()
        .map(|line| if line.is_empty() { "\n".to_owned() } else { format!("    {line}\n") })
        .collect();
    assert!(include_str!("../../../../docs/GATE.md").contains(&indented), "{indented}");
}
