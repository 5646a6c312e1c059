//! The page of a comparison in a real browser: it sorts, filters, fits, is legible, prints, and nothing leaves.

use crate::devtools::Browser;
use crate::shown::{
    Shown, choose, is_quiet, lets_nothing_out, opened, sorts, suits_every_reader, switches_colours,
};
use serde_json::json;

fn page() -> Vec<u8> {
    let mut bytes = Vec::new();
    crate::pair::shown(true, |view| bytes = written(view));
    bytes
}

fn written(view: &report::ComparedView<'_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    report::comparison(view, report::Form::Html, &mut bytes).unwrap();
    bytes
}

fn shown() -> Option<Shown> {
    opened(&page())
}

#[test]
fn the_page_does_what_it_says() {
    let Some(mut shown) = shown() else {
        return;
    };
    let browser = &mut shown.browser;
    // The changes.
    sorts(browser, 3);
    filters(browser);
    switches_colours(browser);
    is_quiet(browser, &shown.file);
    lets_nothing_out(browser);
}

#[test]
fn the_page_suits_every_reader() {
    let Some(mut shown) = shown() else {
        return;
    };
    suits_every_reader(&mut shown);
}

/// The decision of every row that is shown.
fn decisions(browser: &mut Browser) -> Vec<String> {
    let rows = browser.value(
        "[...document.querySelectorAll('#points tbody tr')].filter(row => row.offsetParent !== null) \
         .map(row => row.dataset.verdict)",
    );
    serde_json::from_value(rows).unwrap()
}

fn filters(browser: &mut Browser) {
    let all = decisions(browser).len();
    choose(browser, "filter-verdict", "slower");
    let slower = decisions(browser);
    assert!(
        !slower.is_empty() && slower.len() < all && slower.iter().all(|one| one == "slower"),
        "{slower:?}"
    );
    let count = browser.value("document.getElementById('filter-count').textContent");
    assert_eq!(count, format!("{} of {all} points", slower.len()));
    choose(browser, "filter-verdict", "");
    choose(browser, "filter-text", "pipe");
    let pipes = decisions(browser).len();
    assert!(pipes > 0 && pipes < all);
    choose(browser, "filter-text", "");
    assert_eq!(decisions(browser).len(), all);
    // There are no cycles on this page, and so no switch of units.
    let switch = "document.getElementById('unit-ns').parentElement.checkVisibility()";
    assert_eq!(browser.value(switch), json!(false));
}

#[test]
fn html_tidy_finds_nothing() {
    crate::shown::is_valid(page());
}
