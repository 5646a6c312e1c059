//! The live table on a terminal that is one.

/// What a run writes to a terminal of this size.
fn on_a_terminal(columns: usize, lines: usize) -> String {
    let folder = tempfile::tempdir().unwrap();
    let (program, record) = (env!("CARGO_BIN_EXE_oscope"), folder.path().join("record.jsonl"));
    let command = format!("{program} run loop call --rounds 3 --output {}", record.display());
    crate::on_a_terminal(folder.path(), (columns, lines), &command)
}

#[test]
fn the_live_table_is_drawn_over_itself_and_gone_in_the_end() {
    if !programs::installed(&["script"]) {
        return;
    }
    for (columns, lines) in [(80, 24), (40, 12)] {
        let text = on_a_terminal(columns, lines);
        assert!(text.contains("round 1"), "{text}");
        // It goes up by no more lines than the terminal has, or it would draw over what stood there before.
        let ups: Vec<usize> =
            text.split("\x1b[").filter_map(|part| part.split_once('A')?.0.parse().ok()).collect();
        assert!(!ups.is_empty() && ups.iter().all(|&up| up < lines), "{ups:?}");
        // The table of the result comes behind the last drawing, which leaves nothing below the cursor.
        let end = text.rfind("\x1b[J").expect("the table is taken away");
        assert!(text[end..].contains("measured"), "{text}");
        assert!(!text[end..].contains("round 3  "), "{text}");
    }
}
