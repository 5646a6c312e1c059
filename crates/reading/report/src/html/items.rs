//! What is said of points, as items of a list that name them with links.

use super::parts::{link, links, short_link};
use super::writer::Html;
use crate::remark::{NoteGroup, Remark};
use crate::wording::{many, sentence};
use analysis::{Answer, Finding};
use record::PointId;

/// Lists longer than this are collapsed at first.
const LONG: usize = 12;

/// What is said, what helps, and the points, collapsed at first where they are many.
fn item(html: &mut Html, text: &str, remedy: Option<&str>, points: usize, inside: impl FnOnce(&mut Html)) {
    html.tag("li", &[], |html| {
        html.leaf("p", &[], &sentence(text));
        if let Some(remedy) = remedy {
            html.leaf("p", &[("class", "remedy")], &format!("→ {remedy}"));
        }
        html.folded_if(points > LONG, &[], &many(points, "point"), inside);
    });
}

/// What is said of all, what helps, and the points, each with what is its own.
pub(crate) fn group(group: &NoteGroup, html: &mut Html) {
    item(html, &group.heading, group.remedy.as_deref(), group.points.len(), |html| {
        let by_operation = group.points.chunk_by(|(one, _), (next, _)| one.operation == next.operation);
        html.list("points", by_operation, |html, points| points_of_one(points, group.lines, html));
    });
}

/// Points of one operation behind one another, which is named once, each with what is its own.
fn points_of_one(points: &[(PointId, String)], is_long: bool, html: &mut Html) {
    let between = if is_long { "; " } else { ", " };
    for (index, (id, own)) in points.iter().enumerate() {
        if index == 0 {
            link(html, id);
        } else {
            html.say(between);
            short_link(html, id);
        }
        match own.as_str() {
            "" => {}
            own if is_long || points.len() == 1 => html.say(&format!(": {own}")),
            own => html.say(&format!(" ({own})")),
        }
    }
}

/// What is said of points, what helps, and the points.
pub(crate) fn remark(remark: &Remark, html: &mut Html) {
    let (text, points) = (remark.text.trim_end_matches('.'), &remark.points);
    item(html, text, remark.remedy.as_deref(), points.len(), |html| {
        html.tag("p", &[("class", "points")], |html| links(html, points.iter()));
    });
}

/// What is said of many points under a heading, collapsed at first.
pub(crate) fn folded_part(html: &mut Html, title: &str, inside: impl FnOnce(&mut Html)) {
    let heading = [("role", "heading"), ("aria-level", "3")];
    html.folded_under(&[("class", "group")], |html| html.leaf("b", &heading, title), inside);
}

/// An answer, and the points that it rests on.
pub(crate) fn answer(answer: &Answer, html: &mut Html) {
    let untested = matches!(answer.finding, Finding::Untested(_));
    html.leaf("dt", &[], answer.question.asks);
    html.tag("dd", &[], |html| {
        let class = if untested { "soft" } else { "said" };
        html.leaf("p", &[("class", class)], &sentence(&crate::answers::sentence(answer)));
        if let Some(remedy) = crate::answers::remedy(answer).filter(|_| untested) {
            html.leaf("p", &[("class", "remedy")], &format!("→ {remedy}"));
        }
        html.folded(&[("class", "soft")], "Limits and points", |html: &mut Html| {
            html.tag("p", &[("class", "soft")], |html| {
                if !untested {
                    html.say(&sentence(answer.leaves_open));
                    html.say(" ");
                }
                html.say("By ");
                links(html, answer.points.iter());
            });
        });
    });
}
