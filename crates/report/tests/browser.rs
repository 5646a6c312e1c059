//! The page in a real browser: nothing leaves, nothing complains, everything that can be switched switches.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod devtools;
mod fixture;

use devtools::Browser;
use fixture::whole;
use serde_json::{Value, json};
use std::path::PathBuf;

/// A browser and the page that it shows.
struct Shown {
    browser: Browser,
    file: PathBuf,
    _folder: tempfile::TempDir,
}

/// Writes the page and opens it; `None` where there is no browser.
fn shown() -> Option<Shown> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("page.html");
    let mut bytes = Vec::new();
    report::html(&whole().view(), &[], &mut bytes).unwrap();
    std::fs::write(&file, bytes).unwrap();
    let Some(mut browser) = Browser::start(&folder.path().join("profile")) else {
        assert!(std::env::var_os("OSCOPE_CI").is_none(), "there is no chromium");
        eprintln!("left out: there is no program 'chromium'");
        return None;
    };
    browser.dress(1600, false);
    browser.open(&file);
    Some(Shown {
        browser,
        file,
        _folder: folder,
    })
}

#[test]
fn the_page_does_what_it_says() {
    let Some(mut shown) = shown() else {
        return;
    };
    let browser = &mut shown.browser;
    sorts(browser);
    filters(browser);
    switches_units(browser);
    switches_colours(browser);
    shows_values_at_once(browser);
    opens_what_a_link_leads_to(browser);
    is_quiet(browser, &shown.file);
    lets_nothing_out(browser);
}

#[test]
fn the_page_fits_every_width_and_is_legible_in_both_dresses() {
    let Some(mut shown) = shown() else {
        return;
    };
    for width in [360, 768, 1600] {
        for dark in [false, true] {
            shown.browser.dress(width, dark);
            shown.browser.open(&shown.file);
            fits(&mut shown.browser, width);
            is_legible(&mut shown.browser, width, dark);
        }
    }
    prints(&mut shown.browser);
}

/// The texts of the cells of a column, in the order in which they are shown.
fn keys(browser: &mut Browser, column: usize) -> Vec<(String, Option<f64>)> {
    let cells = browser.value(&format!(
        "[...document.querySelectorAll('#points tbody tr')].map(row => \
         [row.dataset.kind, row.cells[{column}].dataset.key ?? null])"
    ));
    let cells: Vec<(String, Option<String>)> = serde_json::from_value(cells).unwrap();
    let number = |(kind, key): (String, Option<String>)| (kind, key.map(|key| key.parse().unwrap()));
    cells.into_iter().map(number).collect()
}

fn sorts(browser: &mut Browser) {
    const MEASURED: usize = 4;
    let button =
        format!("document.querySelector('#points thead').rows[0].cells[{MEASURED}].querySelector('button')");
    let before = keys(browser, MEASURED);
    // By the keyboard first.
    browser.value(&format!("{button}.focus()"));
    browser.press_enter();
    assert_eq!(
        browser.value(&format!("{button}.parentElement.ariaSort")),
        "ascending"
    );
    let up = keys(browser, MEASURED);
    assert_ne!(up, before);
    let numbers: Vec<&(String, Option<f64>)> = up.iter().filter(|(_, key)| key.is_some()).collect();
    assert!(numbers.len() > 10 && numbers.is_sorted(), "{numbers:?}");
    assert!(
        up.iter().skip(numbers.len()).all(|(_, key)| key.is_none()),
        "what has no number comes last"
    );
    browser.value(&format!("{button}.click()"));
    assert_eq!(
        browser.value(&format!("{button}.parentElement.ariaSort")),
        "descending"
    );
    assert_ne!(keys(browser, MEASURED), up);
    browser.value(&format!("{button}.click()"));
    assert_eq!(keys(browser, MEASURED), before);
}

/// The area and the verdict of every row that is shown.
fn rows(browser: &mut Browser) -> Vec<(String, String)> {
    let rows = browser.value(
        "[...document.querySelectorAll('#points tbody tr')].filter(row => row.offsetParent !== null) \
         .map(row => [row.dataset.area, row.dataset.verdict])",
    );
    serde_json::from_value(rows).unwrap()
}

fn choose(browser: &mut Browser, id: &str, value: &str) {
    browser.value(&format!(
        "(() => {{ const input = document.getElementById('{id}'); input.value = '{value}'; \
         input.dispatchEvent(new Event('input')); }})()"
    ));
}

fn filters(browser: &mut Browser) {
    let all = rows(browser).len();
    choose(browser, "filter-area", "os");
    let os = rows(browser);
    assert!(
        !os.is_empty() && os.len() < all && os.iter().all(|(area, _)| area == "os"),
        "{os:?}"
    );
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
    assert_eq!(browser.value(cell), "269.6 cyc");
    let axes = browser.value(axes);
    assert!(
        axes.as_str().unwrap().contains("cyc") && !axes.as_str().unwrap().contains("ns"),
        "{axes}"
    );
    browser.value("document.getElementById('unit-ns').click()");
    assert_eq!(browser.value(cell), "112.3 ns");
}

fn ground(browser: &mut Browser) -> Value {
    browser.value("getComputedStyle(document.documentElement).backgroundColor")
}

fn switches_colours(browser: &mut Browser) {
    let (light, dark) = (json!("rgb(255, 255, 255)"), json!("rgb(20, 23, 27)"));
    assert_eq!(ground(browser), light);
    browser.value("document.getElementById('theme-dark').click()");
    assert_eq!(ground(browser), dark);
    browser.dress(1600, true);
    browser.value("document.getElementById('theme-light').click()");
    assert_eq!(ground(browser), light);
    browser.value("document.getElementById('theme-auto').click()");
    assert_eq!(ground(browser), dark);
    browser.dress(1600, false);
}

fn shows_values_at_once(browser: &mut Browser) {
    let tip = "document.querySelector('.tip')";
    assert_eq!(browser.value(&format!("{tip}.checkVisibility()")), false);
    browser.point_at("figure .s2 [data-tip], figure .s1[data-tip], figure .s2[data-tip]");
    assert_eq!(browser.value(&format!("{tip}.checkVisibility()")), true);
    let text = browser.value(&format!("{tip}.textContent"));
    assert!(text.as_str().unwrap().contains("measured"), "{text}");
    browser.point_at("h1");
    assert_eq!(browser.value(&format!("{tip}.checkVisibility()")), false);
}

fn opens_what_a_link_leads_to(browser: &mut Browser) {
    let point = "document.getElementById('switch.process.pipe/cpu=same')";
    assert_eq!(browser.value(&format!("{point}.open")), false);
    browser.value(
        "new Promise(done => { addEventListener('hashchange', () => setTimeout(done)); \
         document.querySelector('#points a[href=\"#switch.process.pipe/cpu=same\"]').click(); })",
    );
    assert_eq!(browser.value(&format!("{point}.open")), true);
}

/// Nothing was asked of anybody, and nothing was complained of.
fn is_quiet(browser: &mut Browser, file: &std::path::Path) {
    let own = format!("file://{}", file.display());
    let requests = browser.said("Network.requestWillBeSent");
    let urls: Vec<&str> = requests
        .iter()
        .filter_map(|request| request["request"]["url"].as_str())
        .collect();
    let left: Vec<&&str> = urls
        .iter()
        .filter(|url| !url.starts_with(&own) && !url.starts_with("data:"))
        .collect();
    assert!(urls.iter().any(|url| *url == own) && left.is_empty(), "{urls:?}");
    for complaint in [
        "Runtime.exceptionThrown",
        "Runtime.consoleAPICalled",
        "Log.entryAdded",
    ] {
        assert_eq!(browser.said(complaint), Vec::<&Value>::new());
    }
}

/// What would leave is held back by the page's own policy.
fn lets_nothing_out(browser: &mut Browser) {
    let held = browser.value(
        "new Promise(done => { addEventListener('securitypolicyviolation', event => done(event.violatedDirective)); \
         fetch('http://127.0.0.1:9/').catch(() => 0); })",
    );
    assert_eq!(held, "connect-src");
    let other = browser.value(
        "(() => { const script = document.createElement('script'); script.textContent = 'window.ran = 1'; \
         document.body.append(script); return window.ran ?? 'it did not run'; })()",
    );
    assert_eq!(other, "it did not run");
}

fn fits(browser: &mut Browser, width: u32) {
    browser.value("document.getElementById('open-all').click()");
    let wide = browser.value("[document.documentElement.scrollWidth, document.documentElement.clientWidth]");
    assert!(wide[0].as_f64() <= wide[1].as_f64(), "{width}: {wide}");
    let out = browser.value(
        "[...document.querySelectorAll('main *')].filter(one => !one.closest('.scrolled, svg, .unseen') \
         && one.getBoundingClientRect().right > document.documentElement.clientWidth + 1) \
         .map(one => one.outerHTML.slice(0, 80))",
    );
    assert_eq!(out, json!([]), "{width}");
    let summary = browser.value(
        "(() => { const one = document.querySelector('#summary .scrolled'); \
        return one.scrollWidth - one.clientWidth; })()",
    );
    assert!(
        summary.as_f64() <= Some(0.0),
        "{width}: the summary is {summary} too wide"
    );
}

/// Web Content Accessibility Guidelines 2.2, 1.4.3: text against its ground at least 4.5 to 1.
const CONTRAST: &str = r"(() => {
  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const read = (colour) => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const known = new Map();
  const rgba = (colour) => known.get(colour) ?? known.set(colour, read(colour)).get(colour);
  const light = (colour) => colour.slice(0, 3).map((part) => part / 255)
    .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
  const ground = (element) => {
    for (let one = element; one; one = one.parentElement) {
      const colour = rgba(getComputedStyle(one).backgroundColor);
      if (colour[3] === 255) return colour;
    }
    return [255, 255, 255, 255];
  };
  const poor = new Set();
  for (const element of document.querySelectorAll('body *')) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!own || !element.checkVisibility() || element.closest('script')) continue;
    const style = getComputedStyle(element);
    const text = rgba(element.closest('svg') ? style.fill : style.color);
    const [one, other] = [light(text), light(ground(element))].sort((a, b) => b - a);
    const contrast = (one + 0.05) / (other + 0.05);
    if (contrast < 4.5) poor.add(`${element.tagName}.${element.className.baseVal ?? element.className} ${contrast.toFixed(2)}`);
  }
  return [...poor];
})()";

fn is_legible(browser: &mut Browser, width: u32, dark: bool) {
    assert_eq!(browser.value(CONTRAST), json!([]), "{width}, dark: {dark}");
}

fn prints(browser: &mut Browser) {
    let printed = browser.ask("Page.printToPDF", json!({"printBackground": true}));
    let pdf = printed["data"].as_str().unwrap();
    // "%PDF-" in base 64.
    assert!(pdf.starts_with("JVBERi") && pdf.len() > 50_000, "{}", pdf.len());
}
