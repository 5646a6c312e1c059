//! A page as a browser wants it: its head, the bar, and the script.

use super::writer::Html;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
/// The script's SHA-256 in base 64: the browser runs this script and no other. A test compares the two.
const SCRIPT_SUM: &str = include_str!("page.js.sha256");
/// A wave on a round screen.
const ICON: &str = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E\
    %3Ccircle cx='8' cy='8' r='8' fill='%230b5cad'/%3E%3Cpath d='M2 8c2-7 4-7 6 0s4 7 6 0' fill='none' \
    stroke='%23fff' stroke-width='1.6'/%3E%3C/svg%3E";

/// A whole page with these parts, on which there will be these places. It shows times in cycles first if `has_cycles`.
pub(crate) fn page(
    title: &str,
    parts: &[(&str, &str)],
    places: impl Iterator<Item = String>,
    has_cycles: bool,
    inside: impl FnOnce(&mut Html),
) -> String {
    let mut html = Html::with_places(places);
    html.tag("html", &[("lang", "en")], |html| {
        html.tag("head", &[], |html| head(title, html));
        html.tag("body", &[], |html| {
            header(parts, has_cycles, html);
            inside(html);
            html.tag("script", &[], |html| html.verbatim(SCRIPT));
        });
    });
    format!("<!DOCTYPE html>\n{}", html.into_text())
}

fn head(title: &str, html: &mut Html) {
    html.void("meta", &[("charset", "utf-8")]);
    let policy = format!(
        "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{}'; \
         base-uri 'none'; form-action 'none'",
        SCRIPT_SUM.trim()
    );
    html.void("meta", &[("http-equiv", "Content-Security-Policy"), ("content", &policy)]);
    let names = [
        ("viewport", "width=device-width, initial-scale=1"),
        ("color-scheme", "light dark"),
        ("referrer", "no-referrer"),
        ("generator", "oscope"),
    ];
    for (name, content) in names {
        html.void("meta", &[("name", name), ("content", content)]);
    }
    html.leaf("title", &[], title);
    html.void("link", &[("rel", "icon"), ("href", ICON)]);
    html.tag("style", &[], |html| html.verbatim(STYLE));
}

/// Where to go on the page, and the switches. They work without the script.
fn header(parts: &[(&str, &str)], has_cycles: bool, html: &mut Html) {
    html.leaf("a", &[("class", "skip"), ("href", "#main")], "Skip to the page");
    html.tag("header", &[("class", "top")], |html| {
        html.tag("nav", &[("aria-label", "Parts of the page")], |html| {
            if !parts.is_empty() {
                html.list("", parts, |html, (anchor, name)| {
                    html.leaf("a", &[("href", &format!("#{anchor}"))], name);
                });
            }
        });
        html.tag("div", &[("class", "switches")], |html| {
            let units = [("unit-ns", "ns"), ("unit-cycles", "cycles")];
            switch(html, "unit", "Times in", &units, usize::from(has_cycles));
            let themes = [("theme-auto", "auto"), ("theme-light", "light"), ("theme-dark", "dark")];
            switch(html, "theme", "Colours", &themes, 0);
        });
    });
}

/// One choice of several; that of this index is taken.
fn switch(html: &mut Html, name: &str, says: &str, choices: &[(&str, &str)], taken: usize) {
    html.tag("fieldset", &[], |html| {
        html.leaf("legend", &[], says);
        for (index, (id, label)) in choices.iter().enumerate() {
            let mut attributes = vec![("type", "radio"), ("name", name), ("id", *id)];
            if index == taken {
                attributes.push(("checked", ""));
            }
            html.void("input", &attributes);
            html.leaf("label", &[("for", id)], label);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn the_policy_allows_the_script_that_is_there() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/html");
        let script = folder.join("page.js");
        assert!(SCRIPT.len() < 8 << 10, "the script is no longer small");
        let output = programs::command("sha256sum").arg(&script).output().unwrap();
        let hex = String::from_utf8(output.stdout).unwrap();
        let sum = base64(
            &(0..32).map(|at| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).unwrap()).collect::<Vec<u8>>(),
        );
        let kept = folder.join("page.js.sha256");
        if std::env::var_os("OSCOPE_BLESS").is_some() {
            std::fs::write(&kept, format!("{sum}\n")).unwrap();
        }
        let kept = std::fs::read_to_string(kept).unwrap();
        assert_eq!(kept.trim(), sum, "write it anew by OSCOPE_BLESS=1 cargo test -p oscope-report");
    }

    /// RFC 4648, section 4.
    fn base64(bytes: &[u8]) -> String {
        const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        bytes
            .chunks(3)
            .map(|three| {
                let all = (0..3)
                    .fold(0_usize, |all, at| all << 8 | usize::from(three.get(at).copied().unwrap_or(0)));
                (0..4)
                    .map(|at| match at <= three.len() {
                        true => char::from(LETTERS[all >> (18 - 6 * at) & 63]),
                        false => '=',
                    })
                    .collect::<String>()
            })
            .collect()
    }
}
