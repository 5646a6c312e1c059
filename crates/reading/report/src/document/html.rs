//! A document in the style of the report's page.

use super::block::{Block, ItemList, lists};
use crate::html::parts::{link, links, name, section, short_link};
use crate::html::svg;
use crate::html::table::{Frame, PageColumns, ROW, RowFacts, filters, kind, short};
use crate::html::writer::Html;
use crate::remark::{NoteGroup, Remark};
use crate::style::Paint;
use crate::table::{Align, Cell, Column, Line, Table};
use crate::wording::{capital, many, sentence};
use analysis::{Answer, Finding, distinct};
use record::PointId;
use std::io::{self, Write};

/// Writes a whole page with these blocks; the parts among them can be reached from its bar.
pub(crate) fn write(title: &str, blocks: &[Block], out: &mut dyn Write) -> io::Result<()> {
    let titles = blocks.iter().filter_map(|block| match block {
        Block::Part(title, _) => Some(title.as_str()),
        _ => None,
    });
    let parts: Vec<(String, String)> = titles.map(|title| (anchor(title), capital(title))).collect();
    let parts: Vec<(&str, &str)> =
        parts.iter().map(|(anchor, title)| (anchor.as_str(), title.as_str())).collect();
    let page = crate::html::page::page(title, &parts, std::iter::empty(), false, |html| {
        html.tag("main", &[("id", "main"), ("class", "beginning")], |html| {
            Writer::default().blocks(blocks, html);
        });
    });
    writeln!(out, "{page}")
}

/// The anchor of a part with this title.
fn anchor(title: &str) -> String {
    let letters = title.to_lowercase();
    letters.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' }).collect()
}

/// What was written of a page.
#[derive(Default)]
struct Writer {
    /// Whether there is a table: the script sorts and filters the first.
    has_table: bool,
    /// Whether the blocks are inside another: only the outer parts can be reached from the bar.
    is_inside: bool,
    /// Whether parts are folded: they are many.
    folds: bool,
}

/// Writes blocks into a part of a page that has tables of its own; their parts are folded.
pub(crate) fn write_inside(blocks: &[Block], html: &mut Html) {
    let mut writer = Writer { has_table: true, is_inside: true, folds: true };
    writer.blocks(blocks, html);
}

impl Writer {
    fn blocks(&mut self, blocks: &[Block], html: &mut Html) {
        for (list, alike) in lists(blocks) {
            let mut write = |html: &mut Html| alike.iter().for_each(|block| self.block(block, html));
            match list {
                Some(ItemList::Answers) => html.tag("dl", &[("class", "answers")], write),
                Some(ItemList::Remarks) => html.tag("ul", &[("class", "remarks")], write),
                None => write(html),
            }
        }
    }

    fn inside(&mut self, blocks: &[Block], html: &mut Html) {
        let outer = std::mem::replace(&mut self.is_inside, true);
        self.blocks(blocks, html);
        self.is_inside = outer;
    }

    fn block(&mut self, block: &Block, html: &mut Html) {
        match block {
            Block::Title(title) => html.leaf("h1", &[], &capital(title)),
            Block::Text(text, paint) => html.leaf("p", &[("class", class(*paint))], &sentence(text)),
            Block::Facts(facts) => html.tag("dl", &[("class", "machine")], |html| {
                for (label, cell) in facts {
                    html.leaf("dt", &[], label);
                    html.leaf("dd", &[], &cell.text);
                }
            }),
            Block::List { items, most } => {
                let (first, rest) = items.split_at(items.len().min(*most));
                let list =
                    |html: &mut Html, items: &[String]| html.list("", items, |html, item| html.say(item));
                list(html, first);
                if !rest.is_empty() {
                    let says = format!("{} more", rest.len());
                    html.folded(&[], &says, |html| list(html, rest));
                }
            }
            Block::Table(table) => write_table(table, !std::mem::replace(&mut self.has_table, true), html),
            Block::Heat(heat) => svg::heat(html, heat),
            Block::Matrix(matrix) => svg::matrix(html, matrix),
            Block::Plot { .. } => {}
            Block::Remark(found) => remark(found, html),
            Block::Group(found) => group(found, html),
            Block::Answer(answered) => answer(answered, html),
            Block::Part(title, blocks) if self.folds => {
                folded_part(html, &capital(title), |html| self.blocks(blocks, html));
            }
            Block::Part(title, blocks) if self.is_inside => {
                html.leaf("h3", &[], &capital(title));
                self.inside(blocks, html);
            }
            Block::Part(title, blocks) => {
                section(html, &anchor(title), &capital(title), |html| self.inside(blocks, html));
            }
            Block::Folded { summary, blocks, is_wanted } => {
                let open: &[_] = if *is_wanted { &[("open", "")] } else { &[] };
                html.folded(open, summary, |html| self.inside(blocks, html));
            }
        }
    }
}

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
fn group(group: &NoteGroup, html: &mut Html) {
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
fn remark(remark: &Remark, html: &mut Html) {
    let (text, points) = (remark.text.trim_end_matches('.'), &remark.points);
    item(html, text, remark.remedy.as_deref(), points.len(), |html| {
        html.tag("p", &[("class", "points")], |html| links(html, points.iter()));
    });
}

/// What is said of many points under a heading, collapsed at first.
fn folded_part(html: &mut Html, title: &str, inside: impl FnOnce(&mut Html)) {
    let heading = [("role", "heading"), ("aria-level", "3")];
    html.folded_under(&[("class", "group")], |html| html.leaf("b", &heading, title), inside);
}

/// An answer, and the points that it rests on.
fn answer(answer: &Answer, html: &mut Html) {
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

/// The class from which the style takes the colour of a cell; its word says the same.
pub(crate) fn class(paint: Paint) -> &'static str {
    match paint {
        Paint::Plain => "",
        Paint::Strong => "lead",
        Paint::Faint => "soft",
        Paint::Good => "verdict measured",
        Paint::Warning => "verdict noisy",
        Paint::Bad => "verdict failed",
    }
}

/// A table; the first on a page can be sorted and filtered.
fn write_table(table: &Table, is_first: bool, html: &mut Html) {
    if is_first {
        let words = distinct(table.rows().flatten().map(|cell| cell.word).filter(|word| !word.is_empty()));
        let choice = (!words.is_empty()).then_some(("verdict", "decision", words));
        filters(choice.as_slice(), "", html);
    }
    // Where rows stand below headings, no column has to repeat them, and there is no room for names of points.
    let is_headed = table.is_headed_on_pages;
    let shown: Vec<(usize, &Column)> =
        table.in_documents().filter(|(_, column)| !(is_headed && column.is_not_below_headings)).collect();
    let count = shown.len().to_string();
    let mut columns = PageColumns::new().known_by(facts);
    for (position, (index, column)) in shown.into_iter().enumerate() {
        let count = count.as_str();
        columns = columns.under(
            move |html| title(table, column, html),
            move |html, line: &&Line| match line {
                Line::Cells(cells) | Line::Parted(cells, _) => match cells.get(index) {
                    Some(cell) if position == 0 => html.tag("th", &[ROW], |html| first(cell, html)),
                    Some(other) => cell(other, column, is_headed, html),
                    None => {}
                },
                Line::Heading(cell) if position == 0 => {
                    html.leaf("th", &[("scope", "rowgroup"), ("colspan", count)], &cell.text);
                }
                Line::Heading(_) | Line::Span { .. } => {}
            },
        );
    }
    let lines = table.lines.iter().filter(|line| match line {
        Line::Heading(_) => is_headed,
        Line::Span { .. } => false,
        Line::Cells(_) | Line::Parted(..) => true,
    });
    let frame = Frame {
        says: "table",
        class: if is_headed { "listed headed" } else { "listed" },
        id: if is_first { "points" } else { "" },
        caption: table.caption.as_deref().unwrap_or_default(),
        is_unseen: false,
    };
    columns.write(frame, lines, html);
}

/// What the script is to know of a row: the word by which it is filtered, and the kind of its values.
fn facts<'c>(line: &&'c Line) -> RowFacts<'c> {
    let (Line::Cells(cells) | Line::Parted(cells, _)) = *line else {
        return [("class", "head"), ("data-area", ""), ("data-kind", "")];
    };
    let word = cells.iter().map(|cell| cell.word).find(|word| !word.is_empty());
    let quantity = cells.iter().find_map(|cell| cell.key).map(|(_, quantity)| quantity);
    [("data-area", ""), ("data-verdict", word.unwrap_or_default()), ("data-kind", quantity.map_or("", kind))]
}

/// The class of the cells of a column: how they stand, and when they give way.
fn of_column(column: &Column, is_headed: bool) -> &'static str {
    let gives_way = if is_headed { column.priority } else { 0 };
    match (column.is_drawn, column.align, gives_way) {
        (true, ..) => "drawn",
        (false, Align::Right, 0) => "number",
        (false, Align::Right, 1 | 2) => "number minor1",
        (false, Align::Right, 3) => "number minor2",
        (false, Align::Right, _) => "number minor3",
        (false, Align::Left, 0) => "",
        (false, Align::Left, 1 | 2) => "minor1",
        (false, Align::Left, 3) => "minor2",
        (false, Align::Left, _) => "minor3",
    }
}

fn title(table: &Table, column: &Column, html: &mut Html) {
    html.tag("th", &[("class", of_column(column, table.is_headed_on_pages))], |html| match &table.scale {
        Some([low, middle, high]) if column.is_drawn => svg::decades(html, &[low, middle, high]),
        _ if table.is_headed_on_pages && !column.title.is_empty() => html.say(&column.title),
        _ => html.say(column.long_title()),
    });
}

/// The cell that begins a row.
fn first(cell: &Cell, html: &mut Html) {
    match &cell.point {
        Some(id) => html.tag("span", &[("class", "point")], |html| name(html, id)),
        None => html.say(&cell.text),
    }
}

fn cell(cell: &Cell, column: &Column, is_headed: bool, html: &mut Html) {
    let key = cell.key.map(|(key, _)| short(key)).unwrap_or_default();
    let mut attributes = vec![("class", of_column(column, is_headed))];
    if !key.is_empty() {
        attributes.push(("data-key", &key));
    }
    html.tag("td", &attributes, |html| {
        if let Some(shares) = &cell.drawn {
            return svg::change(html, shares);
        }
        match class(cell.paint) {
            _ if cell.text.is_empty() || column.is_drawn => {}
            "" => html.say(&cell.text),
            class => html.leaf("span", &[("class", class)], &cell.text),
        }
    });
}
