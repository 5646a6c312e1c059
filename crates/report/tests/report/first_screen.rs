//! The first screen: what it shows at each width, that it is one screen, and what stands out.

use crate::fixture::headline::labels;
use crate::fixture::{Frozen, frozen, headline, large};
use crate::golden::{COLOUR, PLAIN, golden};
use report::Style;

fn screen(run: &Frozen, width: usize, style: Style) -> String {
    let mut bytes = Vec::new();
    report::first_screen(&run.view(), &labels(), width, style, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn at_each_width() {
    let run = headline();
    for width in [40, 80, 100, 140] {
        golden(&format!("first-screen-{width}.txt"), |out| {
            report::first_screen(&run.view(), &labels(), width, PLAIN, out)
        });
    }
    golden("first-screen-colour.txt", |out| {
        report::first_screen(&run.view(), &labels(), 100, COLOUR, out)
    });
    let ascii = Style { ascii: true, ..PLAIN };
    golden("first-screen-ascii.txt", |out| {
        report::first_screen(&run.view(), &labels(), 100, ascii, out)
    });
}

#[test]
fn it_is_one_screen_whatever_was_measured() {
    for run in [headline(), frozen(), large::large()] {
        for width in [20, 33, 60, 80, 100, 200] {
            let screen = screen(&run, width, PLAIN);
            // Three lines more name the next commands and the record.
            let lines = screen.lines().count();
            assert!(lines <= 47 || width < 100, "{lines}\n{screen}");
            let widest = screen.lines().map(|line| line.chars().count()).max();
            assert!(widest <= Some(width), "{width}: {screen}");
        }
    }
}

#[test]
fn points_that_are_not_of_the_headline_keep_their_names() {
    let screen = screen(&frozen(), 120, PLAIN);
    assert!(
        screen.contains("syscall.getppid") && !screen.contains("system call (getppid)"),
        "{screen}"
    );
}

#[test]
fn what_stands_out_is_said_with_its_size() {
    let screen = screen(&headline(), 120, PLAIN);
    for said in [
        "file write 4 KiB + fsync: 15.8× its prediction",
        "signal, sent and handled: 3.39× its prediction",
        "process switch, other CPU costs 23.0× process switch, same CPU",
    ] {
        assert!(screen.contains(said), "{said}\n{screen}");
    }
}

#[test]
fn a_row_beyond_its_interval_or_without_a_value_has_no_mark_on_the_scale() {
    let screen = screen(&headline(), 100, PLAIN);
    let line = |label: &str| screen.lines().find(|line| line.starts_with(label)).unwrap();
    assert!(line("clock_gettime").contains('●'));
    assert!(
        line("TCP round trip, other CPU").contains("skipped")
            && !line("TCP round trip, other CPU").contains('●')
    );
    assert!(line("file create").contains("contradicted") && line("file create").contains('✗'));
}
