//! Comparing a view with what was agreed upon.
#![allow(dead_code)]

use report::Style;
use std::io::{self, Write};
use std::path::Path;

/// Without colour.
pub const PLAIN: Style = Style { colour: false, ascii: false };
/// With colour.
pub const COLOUR: Style = Style { colour: true, ascii: false };

/// What a view writes.
pub fn text(view: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> String {
    let mut bytes = Vec::new();
    view(&mut bytes).expect("a vector can be written");
    String::from_utf8(bytes).expect("views are UTF-8")
}

/// Compares with the golden of this name, or writes it.
pub fn golden(name: &str, view: impl FnOnce(&mut dyn Write) -> io::Result<()>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens").join(name);
    let text = text(view);
    if std::env::var_os("OSCOPE_BLESS").is_some() {
        std::fs::write(&path, &text).expect("the golden can be written");
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        text == expected,
        "{name} differs; look at it, and if it is meant: OSCOPE_BLESS=1 cargo test -p oscope-report\n{text}"
    );
}
