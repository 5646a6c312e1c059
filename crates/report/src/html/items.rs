//! What is said of points, as items of a list that name them with links.

use super::parts::{link, links, short_link};
use super::writer::Html;
use crate::remark::{NoteGroup, Remark};
use crate::wording::{many, sentence};
use analysis::{Answer, Finding};
use record::PointId;

/// Lists longer than this are collapsed at first.
const LONG: usize = 12;

/// What is said of all, what helps, and the points, each with what is its own.
pub(crate) fn group(group: &NoteGroup, html: &mut Html) {
    html.tag("li", &[], |html| {
        html.leaf("p", &[], &sentence(&group.heading));
        if let Some(remedy) = group.remedy {
            remedy_line(remedy, html);
        }
        html.folded_if(group.points.len() > LONG, &[], &many(group.points.len(), "point"), |html| {
            let by_operation = group.points.chunk_by(|(one, _), (next, _)| one.operation == next.operation);
            html.list("points", by_operation, |html, points| points_of_one(points, group.lines, html));
        });
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

fn remedy_line(remedy: &str, html: &mut Html) {
    html.leaf("p", &[("class", "remedy")], &format!("→ {remedy}"));
}

/// What is said of points, what helps, and the points.
pub(crate) fn remark(remark: &Remark, html: &mut Html) {
    html.tag("li", &[], |html| {
        html.leaf("p", &[], &sentence(remark.text.trim_end_matches('.')));
        if let Some(remedy) = &remark.remedy {
            remedy_line(remedy, html);
        }
        html.folded_if(remark.points.len() > LONG, &[], &many(remark.points.len(), "point"), |html| {
            html.tag("p", &[("class", "points")], |html| links(html, remark.points.iter()));
        });
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
        let basis = |html: &mut Html| {
            html.tag("p", &[("class", "soft")], |html| {
                if !untested {
                    html.say(&sentence(answer.leaves_open));
                    html.say(" ");
                }
                html.say("By ");
                links(html, answer.points.iter());
            });
        };
        html.folded(&[("class", "soft")], "Limits and points", basis);
    });
}
