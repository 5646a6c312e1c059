//! Parts of the page that return: sections, links to points, verdicts.

use super::writer::Html;
use crate::cells;
use analysis::Verdict;
use record::PointId;

/// A part of the page with its heading.
pub(crate) fn section(html: &mut Html, id: &str, title: &str, inside: impl FnOnce(&mut Html)) {
    let name = format!("{id}-title");
    html.tag("section", &[("id", id), ("aria-labelledby", &name)], |html| {
        html.leaf("h2", &[("id", &name)], title);
        inside(html);
    });
}

/// Something wide, which a narrow page lets scroll by itself; a keyboard reaches it.
pub(crate) fn scrolled(html: &mut Html, says: &str, inside: impl FnOnce(&mut Html)) {
    let attributes = [("class", "scrolled"), ("role", "region"), ("tabindex", "0"), ("aria-label", says)];
    html.tag("div", &attributes, inside);
}

/// The anchor of a point; that of an operation has no parameters. What no address may hold is replaced.
pub(crate) fn anchor(id: &PointId) -> String {
    // The operation's own section has its bare id; one that has no parameters is a point beside it.
    format!("{}/{}", id.operation, id.point)
        .chars()
        .map(|letter| match letter {
            ' ' => '/',
            letter if letter.is_ascii_alphanumeric() || "/._=:-,+".contains(letter) => letter,
            _ => '_',
        })
        .collect()
}

/// The anchor of an operation's section.
pub(crate) fn operation_anchor(operation: &str) -> String {
    let bare = anchor(&PointId::new(operation, ""));
    bare.trim_end_matches('/').to_owned()
}

/// A link to a point, or to its operation where the page has no such point. It is named in full; the page's style knows it by the slash in its target.
pub(crate) fn link(html: &mut Html, id: &PointId) {
    let of_point = anchor(id);
    let place = if html.has(&of_point) { of_point } else { operation_anchor(&id.operation) };
    html.lead(&place, "", |html| name(html, id));
}

/// A link to a point behind another of its operation, which is not named again.
pub(crate) fn short_link(html: &mut Html, id: &PointId) {
    html.lead(&anchor(id), "", |html| html.say(&id.point));
}

/// The name of a point: letters wrap behind a dot and between parameters, which the style tells from the rest.
pub(crate) fn name(html: &mut Html, id: &PointId) {
    let mut parts = id.operation.split_inclusive('.');
    if let Some(first) = parts.next() {
        html.say(first);
    }
    for part in parts {
        html.void("wbr", &[]);
        html.say(part);
    }
    if !id.point.is_empty() {
        html.say(" ");
        html.leaf("span", &[], &id.point);
    }
}

/// Links to points behind one another; an operation is not named again for the points that follow its first.
pub(crate) fn links<'a>(html: &mut Html, ids: impl Iterator<Item = &'a PointId>) {
    let mut before: Option<&PointId> = None;
    for id in ids {
        if before.is_some() {
            html.say(", ");
        }
        match before {
            Some(before) if before.operation == id.operation => short_link(html, id),
            _ => link(html, id),
        }
        before = Some(id);
    }
}

/// A verdict as a word with its sign.
pub(crate) fn verdict(html: &mut Html, verdict: Verdict) {
    let class = format!("verdict {}", verdict.word());
    html.leaf("span", &[("class", &class)], &cells::signed_verdict(verdict));
}
