//! The page in a real browser: nothing leaves, nothing complains, everything that can be switched switches.

use crate::devtools::Browser;
use crate::fixture::large::large;
use crate::fixture::neighbours::neighbours;
use crate::fixture::{Frozen, predicted_by_user, whole};
use crate::shown::{
    Shown, choose, is_quiet, lets_nothing_out, names_its_headings, opened, printed_pages, sorts,
    suits_every_reader, switches_colours,
};

fn shown() -> Option<Shown> {
    shown_of(&whole())
}

fn shown_of(run: &Frozen) -> Option<Shown> {
    let mut bytes = Vec::new();
    report::html(&run.view(), &[], &[], false, &mut bytes).unwrap();
    opened(&bytes)
}

#[test]
fn the_page_does_what_it_says() {
    let Some(mut shown) = shown() else {
        return;
    };
    let browser = &mut shown.browser;
    // The values that were measured.
    sorts(browser, 4);
    names_its_headings(browser);
    filters(browser);
    switches_units(browser);
    switches_colours(browser);
    shows_values_at_once(browser);
    opens_the_operation_of_a_cost(browser);
    opens_what_a_link_leads_to(browser);
    is_quiet(browser, &shown.file);
    lets_nothing_out(browser);
}

#[test]
fn the_page_fits_every_width_and_is_legible_in_light_and_dark() {
    let Some(mut shown) = shown() else {
        return;
    };
    suits_every_reader(&mut shown);
}

#[test]
fn the_reports_table_fits_every_width() {
    let run = crate::fixture::headline();
    let mut bytes = Vec::new();
    report::table(&run.view(), report::ShownTable::Reports, &[], report::Form::Html, &mut bytes).unwrap();
    let Some(mut shown) = opened(&bytes) else {
        return;
    };
    // Each area is a heading, which is no row, and a noisy value is so without colour.
    let browser = &mut shown.browser;
    let headings =
        browser.value("[...document.querySelectorAll('#points .head')].map(row => row.textContent)");
    assert!(headings.as_array().unwrap().len() > 1, "{headings}");
    let rows = browser.value("document.querySelectorAll('#points tbody tr:not(.head)').length");
    let count = browser.value("document.getElementById('filter-count').textContent");
    assert_eq!(count, format!("{rows} points"));
    let noisy = browser.value("document.getElementById('points').textContent.includes('~ noisy')");
    assert_eq!(noisy, true);
    suits_every_reader(&mut shown);
}

#[test]
fn the_table_of_a_class_fits_every_width() {
    let (mine, theirs) = (crate::fixture::headline(), crate::fixture::headline());
    let records = [("mine", &mine), ("theirs", &theirs)];
    let records = records.map(|(name, run)| report::TableRecord { name, view: run.view() });
    let mut bytes = Vec::new();
    report::records_table(&records, report::Form::Html, &mut bytes).unwrap();
    let Some(mut shown) = opened(&bytes) else {
        return;
    };
    // Each operation is a heading, and a noisy value is so without colour.
    let browser = &mut shown.browser;
    let headings = browser.value("document.querySelectorAll('.headed .head').length");
    assert!(headings.as_u64() > Some(3), "{headings}");
    let noisy = "[...document.querySelectorAll('.headed td')].filter(cell => cell.textContent == '~').length";
    assert!(browser.value(noisy).as_u64() > Some(1));
    suits_every_reader(&mut shown);
}

#[test]
fn a_page_with_states_of_cores_fits_every_width() {
    let Some(mut shown) = shown_of(&neighbours()) else {
        return;
    };
    suits_every_reader(&mut shown);
}

#[test]
fn predictions_of_the_user_are_shown_at_every_width() {
    let Some(mut shown) = shown_of(&predicted_by_user()) else {
        return;
    };
    for width in [390, 768, 1024, 1400] {
        shown.browser.dress(width, false);
        let hidden = shown.browser.value(
            "[...document.querySelectorAll('.users tbody :is(td:nth-child(8), td:nth-child(9))')] \
             .filter(cell => cell.textContent && !cell.checkVisibility()).length",
        );
        assert_eq!(hidden, 0, "{width}");
    }
    suits_every_reader(&mut shown);
}

/// The area and the verdict of every row that is shown.
fn rows(browser: &mut Browser) -> Vec<(String, String)> {
    let rows = browser.value(
        "[...document.querySelectorAll('#points tbody tr')].filter(row => row.offsetParent !== null) \
         .map(row => [row.dataset.area, row.dataset.verdict])",
    );
    serde_json::from_value(rows).unwrap()
}

fn filters(browser: &mut Browser) {
    let all = rows(browser).len();
    choose(browser, "filter-area", "os");
    let os = rows(browser);
    assert!(!os.is_empty() && os.len() < all && os.iter().all(|(area, _)| area == "os"), "{os:?}");
    choose(browser, "filter-verdict", "noisy");
    let noisy = rows(browser);
    assert!(
        !noisy.is_empty() && noisy.len() < os.len() && noisy.iter().all(|(_, verdict)| verdict == "noisy")
    );
    let count = browser.value("document.getElementById('filter-count').textContent");
    assert_eq!(count, format!("{} of {all} points", noisy.len()));
    choose(browser, "filter-verdict", "");
    choose(browser, "filter-text", "PIPE cpu=same");
    assert_eq!(rows(browser).len(), 1);
    choose(browser, "filter-text", "");
    choose(browser, "filter-area", "");
    assert_eq!(rows(browser).len(), all);
}

fn switches_units(browser: &mut Browser) {
    let cell = "[...document.querySelectorAll('#points tbody tr')] \
        .find(row => row.cells[0].innerText.startsWith('syscall.getppid')).cells[4].innerText";
    assert_eq!(browser.value(cell), "112.3 ns");
    let axes = "[...document.querySelectorAll('figure .axis.up text')].filter(one => one.getBoundingClientRect().width > 0) \
        .map(one => one.textContent).join()";
    assert!(browser.value(axes).as_str().unwrap().contains("ns"));
    browser.value("document.getElementById('unit-cycles').click()");
    assert_eq!(browser.value(cell), "270 cyc");
    let axes = browser.value(axes);
    assert!(axes.as_str().unwrap().contains("cyc") && !axes.as_str().unwrap().contains("ns"), "{axes}");
    browser.value("document.getElementById('unit-ns').click()");
    assert_eq!(browser.value(cell), "112.3 ns");
}

fn shows_values_at_once(browser: &mut Browser) {
    let tip = "document.querySelector('.tip')";
    assert_eq!(browser.value(&format!("{tip}.checkVisibility()")), false);
    let name = ".costs tbody th";
    let sign = "figure:not(:has(.bar, table)) .s2[data-tip], figure:not(:has(.bar)) .s2 [data-tip]";
    for marked in [name, sign] {
        browser.point_at(marked);
        assert_eq!(browser.value(&format!("{tip}.checkVisibility()")), true);
        let text = browser.value(&format!("{tip}.textContent"));
        assert!(text.as_str().unwrap().contains("measured"), "{text}");
        browser.point_at("h1");
        assert_eq!(browser.value(&format!("{tip}.checkVisibility()")), false);
    }
}

fn opens_what_a_link_leads_to(browser: &mut Browser) {
    let link = "[...document.querySelectorAll('#points a')].find(a => a.textContent == 'switch.process.pipe cpu=same')";
    let point = format!("document.getElementById({link}.hash.slice(1))");
    assert_eq!(browser.value(&format!("{point}.open")), false);
    browser.value(&format!(
        "new Promise(done => {{ addEventListener('hashchange', () => setTimeout(done)); {link}.click(); }})",
    ));
    assert_eq!(browser.value(&format!("{point}.open")), true);
}

/// A click anywhere on a row of the picture opens its operation.
fn opens_the_operation_of_a_cost(browser: &mut Browser) {
    let operation = "document.getElementById('syscall.getppid').querySelector('details')";
    assert_eq!(browser.value(&format!("{operation}.open")), false);
    browser.value(
        "new Promise(done => { addEventListener('hashchange', () => setTimeout(done)); \
         document.querySelector('.costs a[href=\"#syscall.getppid\"]').closest('tr').cells[1].click(); })",
    );
    assert_eq!(browser.value(&format!("{operation}.open")), true);
}

/// The most pages that a whole run prints to while nothing is opened.
const MOST_PAGES: usize = 12;

#[test]
fn a_whole_run_prints_to_few_pages() {
    let Some(mut shown) = shown_of(&large()) else {
        return;
    };
    let pages = printed_pages(&mut shown.browser);
    assert!((2..=MOST_PAGES).contains(&pages), "{pages} pages");
}
