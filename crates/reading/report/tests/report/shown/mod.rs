//! What must hold of every page in a real browser.

use crate::devtools::Browser;
use serde_json::{Value, json};
use std::path::PathBuf;

/// A browser and the page that it shows.
pub struct Shown {
    pub browser: Browser,
    pub file: PathBuf,
    _folder: tempfile::TempDir,
}

/// Writes a page and opens it; `None` where there is no browser.
pub fn opened(page: &[u8]) -> Option<Shown> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("page.html");
    std::fs::write(&file, page).unwrap();
    let mut browser = Browser::start(&folder.path().join("profile"))?;
    browser.dress(1600, false);
    browser.open(&file);
    Some(Shown { browser, file, _folder: folder })
}

/// HTML Tidy finds nothing to say of a page.
pub fn is_valid(page: impl AsRef<[u8]>) {
    if !programs::installed(&["tidy"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("page.html");
    std::fs::write(&file, page).unwrap();
    let mut tidy = programs::command("tidy");
    tidy.args(["-quiet", "-errors"]).arg(&file).stdin(std::process::Stdio::null());
    let said = tidy.output().unwrap().stderr;
    assert_eq!(String::from_utf8_lossy(&said), "");
}

/// Every width and both dresses: nothing is too wide, every text is legible; and it prints.
pub fn suits_every_reader(shown: &mut Shown) {
    for width in [360, 390, 768, 1024, 1400, 1600] {
        for dark in [false, true] {
            shown.browser.dress(width, dark);
            shown.browser.open(&shown.file);
            fits(&mut shown.browser, width);
            is_legible(&mut shown.browser, width, dark);
        }
    }
    prints(&mut shown.browser);
}

pub fn choose(browser: &mut Browser, id: &str, value: &str) {
    browser.value(&format!(
        "(() => {{ const input = document.getElementById('{id}'); input.value = '{value}'; \
         input.dispatchEvent(new Event('input')); }})()"
    ));
}

/// What the rows are sorted by in a column, in the order in which they are shown: the kind of value, and its number.
fn keys(browser: &mut Browser, column: usize) -> Vec<(String, Option<f64>)> {
    let cells = browser.value(&format!(
        "[...document.querySelectorAll('#points tbody tr')].map(row => \
         [row.dataset.kind, row.cells[{column}].dataset.key ?? null])"
    ));
    let cells: Vec<(String, Option<String>)> = serde_json::from_value(cells).unwrap();
    let number = |(kind, key): (String, Option<String>)| (kind, key.map(|key| key.parse().unwrap()));
    cells.into_iter().map(number).collect()
}

/// A column of numbers is sorted up, down and back to the order of the plan, by the keyboard and by the pointer.
pub fn sorts(browser: &mut Browser, column: usize) {
    let button =
        format!("document.querySelector('#points thead').rows[0].cells[{column}].querySelector('button')");
    let sorted = format!("{button}.parentElement.ariaSort");
    let before = keys(browser, column);
    browser.value(&format!("{button}.focus()"));
    browser.press_enter();
    assert_eq!(browser.value(&sorted), "ascending");
    let up = keys(browser, column);
    assert!(up != before && up.len() == before.len());
    let numbers: Vec<_> = up.iter().filter(|(_, key)| key.is_some()).collect();
    assert!(numbers.len() > 5 && numbers.is_sorted(), "{numbers:?}");
    let rest = up.iter().skip(numbers.len());
    assert_eq!(rest.filter(|(_, key)| key.is_some()).count(), 0, "what has no number comes last");
    browser.value(&format!("{button}.click()"));
    assert_eq!(browser.value(&sorted), "descending");
    assert_ne!(keys(browser, column), up);
    browser.value(&format!("{button}.click()"));
    assert_eq!(keys(browser, column), before);
}

/// What is headings of rows and of columns to those who hear the page.
pub fn names_its_headings(browser: &mut Browser) {
    let tree = browser.ask("Accessibility.getFullAXTree", json!({}));
    let role = |wanted: &str| {
        let nodes = tree["nodes"].as_array().unwrap().iter();
        nodes.filter(|node| node["role"]["value"] == wanted).count()
    };
    let count = |browser: &mut Browser, selector: &str| {
        let shown = format!(
            "[...document.querySelectorAll('{selector}')].filter(one => one.checkVisibility()).length"
        );
        usize::try_from(browser.value(&shown).as_u64().unwrap()).unwrap()
    };
    let exposed = [role("columnheader"), role("rowheader")];
    let there = [count(browser, "thead th"), count(browser, "tbody th")];
    assert!(exposed == there && exposed.iter().all(|count| *count > 5), "{exposed:?} of {there:?}");
}

fn ground(browser: &mut Browser) -> Value {
    browser.value("getComputedStyle(document.documentElement).backgroundColor")
}

pub fn switches_colours(browser: &mut Browser) {
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

/// Nothing was asked of anybody, and nothing was complained of.
pub fn is_quiet(browser: &mut Browser, file: &std::path::Path) {
    let own = format!("file://{}", file.display());
    let requests = browser.said("Network.requestWillBeSent");
    let urls: Vec<&str> = requests.iter().filter_map(|request| request["request"]["url"].as_str()).collect();
    let left: Vec<&&str> =
        urls.iter().filter(|url| !url.starts_with(&own) && !url.starts_with("data:")).collect();
    assert!(urls.iter().any(|url| *url == own) && left.is_empty(), "{urls:?}");
    for event in ["Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"] {
        assert_eq!(browser.said(event), Vec::<&Value>::new());
    }
}

/// What would leave is held back by the page's own policy.
pub fn lets_nothing_out(browser: &mut Browser) {
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
    browser.value("document.getElementById('open-all')?.click()");
    let wide = browser.value("[document.documentElement.scrollWidth, document.documentElement.clientWidth]");
    assert!(wide[0].as_f64() <= wide[1].as_f64(), "{width}: {wide}");
    let out = browser.value(
        "[...document.querySelectorAll('main *')].filter(one => !one.closest('.scrolled, svg, .unseen') \
         && one.getBoundingClientRect().right > document.documentElement.clientWidth + 1) \
         .map(one => one.outerHTML.slice(0, 80))",
    );
    assert_eq!(out, json!([]), "{width}");
    let summary = browser.value(
        "(() => { const one = document.querySelector('#summary .scrolled, .scrolled:has(.headed)'); \
        return one ? one.scrollWidth - one.clientWidth : 0; })()",
    );
    assert!(summary.as_f64() <= Some(0.0), "{width}: the summary is {summary} too wide");
    let over = browser.value(
        "[...document.querySelectorAll('main tbody th')].filter(one => one.checkVisibility() \
         && one.scrollWidth > one.clientWidth + 1).map(one => one.textContent)",
    );
    assert_eq!(over, json!([]), "{width}: names that lie over the cell beside them");
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
    let pdf = printed(browser);
    assert!(pdf.starts_with(b"%PDF-") && pdf.len() > 15_000, "{}", pdf.len());
}

/// The page as Chromium prints it.
fn printed(browser: &mut Browser) -> Vec<u8> {
    let printed = browser.ask("Page.printToPDF", json!({"printBackground": true}));
    let letters = printed["data"].as_str().unwrap().bytes();
    let digits: Vec<u32> = letters.filter_map(base64_digit).collect();
    let bytes = |digits: &[u32]| {
        let bits = digits.iter().fold(0, |bits, digit| bits << 6 | digit) << (6 * (4 - digits.len()));
        bits.to_be_bytes()[1..digits.len()].to_vec()
    };
    digits.chunks(4).flat_map(bytes).collect()
}

/// RFC 4648, section 4.
fn base64_digit(letter: u8) -> Option<u32> {
    Some(u32::from(match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    }))
}

/// How many pages it prints to.
pub fn printed_pages(browser: &mut Browser) -> usize {
    let pdf = printed(browser);
    let is_page = |part: &&[u8]| part.starts_with(b"/Type /Page\n") || part.starts_with(b"/Type /Page ");
    (0..pdf.len()).filter(|at| is_page(&&pdf[*at..])).count()
}
