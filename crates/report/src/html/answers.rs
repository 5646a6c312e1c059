//! The questions that belong to the run, each with its answer and the points that it rests on.

use super::parts::{links, section};
use super::writer::Html;
use crate::document::html::write_inside;
use crate::wording::sentence;
use crate::{View, full};
use analysis::{Answer, Finding};

/// Writes the part.
pub(super) fn answers(view: &View<'_>, html: &mut Html) {
    section(html, "answers", "Answers", |html| {
        let found = full::answers(view);
        if found.is_empty() {
            return html.leaf(
                "p",
                &[("class", "soft")],
                "The run measured nothing that a question asks for.",
            );
        }
        write_inside(&found, html);
    });
}

/// Writes one.
pub(crate) fn answer(answer: &Answer, html: &mut Html) {
    let untested = matches!(answer.finding, Finding::Untested(_));
    html.leaf("dt", &[], answer.question.asks);
    html.tag("dd", &[], |html| {
        let class = if untested { "soft" } else { "said" };
        html.leaf(
            "p",
            &[("class", class)],
            &sentence(&crate::answers::sentence(answer)),
        );
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
        html.folded(&[("class", "soft")], |html| html.say("Limits and points"), basis);
    });
}
