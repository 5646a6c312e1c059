//! Text in columns: the least important columns give way, then names lose their middle; nothing wraps.

use crate::style::{Paint, Style};
use crate::table::{Align, Cell, Column, Elide, Line, ShownIn, Table};
use crate::wording::{ambiguous, cut_end, cut_middle, hang, width_of};

/// Below this width columns stand one space apart, above it two.
const WIDTH_FOR_TWO_SPACES: usize = 60;

/// A column that is shown: its index and its width.
type Shown = (usize, usize);

impl Table {
    /// The heading and a rule under it.
    pub fn heading(&self, width: usize, style: Style) -> Vec<String> {
        let page = Layout { table: self, shown: self.layout(width), width, style };
        let titles = self.columns.iter().map(|column| Cell::new(column.title.clone(), Paint::Faint));
        let columns = page.shown.iter().map(|(_, width)| width).sum::<usize>();
        let rule = columns + gap(width) * page.shown.len().saturating_sub(1);
        vec![page.line(&titles.collect::<Vec<_>>()), style.paint(&"─".repeat(rule.min(width)), Paint::Faint)]
    }

    /// The lines below the heading, none of them wider than `width`.
    pub fn body(&self, width: usize, style: Style) -> Vec<String> {
        let page = Layout { table: self, shown: self.layout(width), width, style };
        let mut out = Vec::new();
        for (line, is_ambiguous) in self.lines.iter().zip(page.ambiguous()) {
            match line {
                Line::Cells(cells) if is_ambiguous => out.extend(page.below_its_name(cells)),
                Line::Cells(cells) => out.push(page.line(cells)),
                Line::Parted(cells, parts) => out.extend(page.parted(cells, parts)),
                Line::Heading(cell) => out.push(style.paint(&cut_middle(&cell.text, width), cell.paint)),
                Line::Span { indent, cell } => {
                    let (first, other) = (" ".repeat(*indent), " ".repeat(indent + 2));
                    let lines = hang(&first, &other, &cell.text, width);
                    out.extend(lines.iter().map(|line| style.paint(line, cell.paint)));
                }
            }
        }
        out
    }

    /// The width that a column would like to have; `None` when it has nothing to say.
    fn natural(&self, index: usize, column: &Column) -> Option<usize> {
        let cells = self.rows().filter_map(|cells| cells.get(index));
        let widest = cells.map(|cell| width_of(&cell.text)).max().unwrap_or(0);
        (widest > 0).then(|| widest.max(width_of(&column.title)).min(column.most))
    }

    /// Which columns are shown, and how wide.
    fn layout(&self, width: usize) -> Vec<Shown> {
        let all = self.columns.iter().enumerate();
        let all = all.filter(|(_, column)| column.shown_in != ShownIn::Documents);
        let mut kept: Vec<(usize, &Column, usize)> =
            all.filter_map(|(index, column)| Some((index, column, self.natural(index, column)?))).collect();
        let modest = |column: &Column, natural: usize, extra: u8| match column.elide {
            Elide::Nothing => natural,
            // No name is so important that it leaves less than half of the width to the numbers.
            _ if extra >= column.whole_before => natural.min(width / 2).max(natural.min(column.least)),
            Elide::Middle | Elide::End => natural.min(column.least),
        };
        let needed = |kept: &[(usize, &Column, usize)]| {
            let extra = least_important(kept);
            let widths = kept.iter().map(|(_, column, natural)| modest(column, *natural, extra));
            widths.sum::<usize>() + gap(width) * kept.len().saturating_sub(1)
        };
        for _ in 0..self.columns.len() {
            let next = least_important(&kept);
            if next == 0 || needed(&kept) <= width {
                break;
            }
            kept.retain(|(_, column, _)| column.priority != next);
        }
        let extra = least_important(&kept);
        let (mut spare, mut missing) =
            (width.saturating_sub(needed(&kept)), needed(&kept).saturating_sub(width));
        let mut shown = Vec::new();
        for (index, column, natural) in kept {
            let mut columns = modest(column, natural, extra);
            if column.elide != Elide::Nothing {
                let more = (natural - columns).min(spare);
                let less = missing.min(columns.saturating_sub(1));
                columns = columns + more - less;
                spare -= more;
                missing -= less;
            }
            shown.push((index, columns));
        }
        shown
    }
}

/// The priority of the columns that are left out next; 0 where all stay.
fn least_important(kept: &[(usize, &Column, usize)]) -> u8 {
    let priorities = kept.iter().map(|(_, column, _)| column.priority);
    priorities.max().unwrap_or(0)
}

/// A table laid out for a width.
struct Layout<'t> {
    table: &'t Table,
    shown: Vec<Shown>,
    width: usize,
    style: Style,
}

impl Layout<'_> {
    /// The width of names that may lose their middle.
    fn room_of_names(&self) -> Option<usize> {
        self.table.columns.first().filter(|column| column.elide == Elide::Middle)?;
        self.shown.iter().find(|(index, _)| *index == 0).map(|(_, room)| *room)
    }

    /// Of each line, whether its name would read like another one below the same heading, because both are cut.
    fn ambiguous(&self) -> Vec<bool> {
        let Some(room) = self.room_of_names() else { return vec![false; self.table.lines.len()] };
        let groups = self.table.lines.chunk_by(|_, next| !matches!(next, Line::Heading(_)));
        groups.flat_map(|lines| ambiguous(&lines.iter().map(name_of).collect::<Vec<_>>(), room)).collect()
    }

    /// A row whose name has lines of its own.
    fn below_its_name(&self, cells: &[Cell]) -> Vec<String> {
        let (Some(first), [_, rest @ ..]) = (cells.first(), cells) else { return vec![self.line(cells)] };
        let indent = first.text.len() - first.text.trim_start().len();
        let (lead, below) = (" ".repeat(indent), " ".repeat(indent + 2));
        let mut lines = hang(&lead, &below, first.text.trim_start(), self.width);
        lines.iter_mut().for_each(|line| *line = self.style.paint(line, first.paint));
        let unnamed = std::iter::once(Cell::default()).chain(rest.iter().cloned());
        lines.push(self.line(&unnamed.collect::<Vec<_>>()));
        lines
    }

    fn parted(&self, cells: &[Cell], [head, own]: &[String; 2]) -> Vec<String> {
        let room = self.shown.iter().find(|(index, _)| *index == 0);
        let (Some((_, room)), Some(first)) = (room, cells.first()) else {
            return vec![self.line(cells)];
        };
        if width_of(&first.text) <= *room {
            return vec![self.line(cells)];
        }
        let mut rest = cells.to_vec();
        if let Some(cell) = rest.first_mut() {
            cell.text.clone_from(own);
        }
        vec![self.style.paint(&cut_middle(head, self.width), first.paint), self.line(&rest)]
    }

    fn line(&self, cells: &[Cell]) -> String {
        let Self { table, shown, width, style } = self;
        let mut used = 0;
        let mut out = String::new();
        let last =
            shown.iter().rposition(|(index, _)| cells.get(*index).is_some_and(|cell| !cell.text.is_empty()));
        let last = last.map_or(0, |last| last + 1);
        for (position, (index, columns)) in shown.iter().take(last).enumerate() {
            let (Some(column), Some(cell)) = (table.columns.get(*index), cells.get(*index)) else {
                continue;
            };
            if position > 0 {
                out.push_str(&" ".repeat(gap(*width).min(width - used)));
                used = (used + gap(*width)).min(*width);
            }
            // Only where nothing is left to give way does a line lose its end.
            let room = (*columns).min(width - used);
            let text = match column.elide {
                Elide::Middle => cut_middle(&cell.text, room),
                Elide::End | Elide::Nothing => cut_end(&cell.text, room),
            };
            let padding = " ".repeat(room - width_of(&text));
            let painted = style.paint(&text, cell.paint);
            match column.align {
                Align::Right => out.push_str(&format!("{padding}{painted}")),
                Align::Left if position + 1 == last => out.push_str(&painted),
                Align::Left => out.push_str(&format!("{painted}{padding}")),
            }
            used += room;
        }
        out
    }
}

/// The name of a row; nothing for other lines.
fn name_of(line: &Line) -> &str {
    match line {
        Line::Cells(cells) => cells.first().map_or("", |cell| &cell.text),
        _ => "",
    }
}

/// Columns between two columns.
fn gap(width: usize) -> usize {
    if width < WIDTH_FOR_TWO_SPACES { 1 } else { 2 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_would_read_alike_have_lines_of_their_own() {
        let mut table =
            Table::new(vec![Column::name("point", 0, 10, usize::MAX), Column::number("value", 0)]);
        for (name, value) in
            [("  load bytes=16KiB page_size=4KiB", "1"), ("  load bytes=64KiB page_size=4KiB", "2")]
        {
            table.row(vec![name.to_owned().into(), value.to_owned().into()]);
        }
        table.row(vec!["  store".to_owned().into(), "3".to_owned().into()]);
        let plain = Style { colour: false, ascii: false };
        let wide = table.body(60, plain);
        assert_eq!(wide.len(), 3, "{wide:?}");
        let narrow = table.body(24, plain);
        assert!(narrow.iter().all(|line| width_of(line) <= 24), "{narrow:?}");
        let named = |name: &str| narrow.iter().position(|line| line.contains(name)).unwrap();
        assert!(named("bytes=16KiB") < named("bytes=64KiB"), "{narrow:?}");
        assert_eq!(narrow.iter().filter(|line| line.contains('…')).count(), 0, "{narrow:?}");
    }

    fn table() -> Table {
        let mut table = Table::new(vec![
            Column::name("point", 0, 10, usize::MAX),
            Column::number("measured", 0),
            Column::number("best", 2),
            Column::number("never", 1),
            Column::name("title", 3, 5, 8),
        ]);
        table.row(["switch.process.pipe", "3.91 µs", "3.80 µs", "", "a long title"].map(Cell::from).to_vec());
        table.row(["clock.read", "7 ns", "", "", ""].map(Cell::from).to_vec());
        table.span(2, "a text that goes across all of the columns".into());
        table
    }

    fn first_line(width: usize) -> String {
        table().body(width, Style::default()).into_iter().next().unwrap_or_default()
    }

    #[test]
    fn the_least_important_columns_go_first() {
        assert_eq!(first_line(90), "switch.process.pipe   3.91 µs  3.80 µs  a lo…tle");
        assert_eq!(first_line(30), "switch…s.pipe  3.91 µs 3.80 µs");
        assert_eq!(first_line(14), "sw…pe  3.91 µs");
    }

    #[test]
    fn a_name_without_room_takes_a_line_of_its_own() {
        let mut table = Table::new(vec![Column::name("", 0, 10, usize::MAX), Column::number("value", 0)]);
        let cells = ["create.posix_spawn kind=static", "3 µs"].map(Cell::from).to_vec();
        let parts = ["create.posix_spawn", "  kind=static"].map(str::to_owned);
        table.parted_row(cells, parts);
        let body = |width| table.body(width, Style::default());
        assert_eq!(body(60), ["create.posix_spawn kind=static   3 µs"]);
        assert_eq!(body(26), ["create.posix_spawn", "  kind=static         3 µs"]);
    }

    fn name() -> Column {
        Column::name("", 0, 8, usize::MAX)
    }

    fn line(name: Column) -> Vec<String> {
        let mut table = Table::new(vec![name, Column::number("value", 0), Column::number("extra", 6)]);
        table.row(["a.name.of.it", "3 µs", "44.4444 µs"].map(Cell::from).to_vec());
        table.body(25, Style::default())
    }

    #[test]
    fn extra_columns_give_way_before_a_name_is_cut() {
        assert_eq!(line(name()), ["a.na….it  3 µs 44.4444 µs"]);
        assert_eq!(line(name().whole_before(6)), ["a.name.of.it  3 µs"]);
        assert_eq!(line(name().whole_before(7)), line(name()));
    }

    #[test]
    fn headings_are_for_columns_that_say_something() {
        let heading = table().heading(90, Style::default());
        assert_eq!(
            heading.first().map(String::as_str),
            Some("point                measured     best  title")
        );
        assert!(!heading.concat().contains("never"));
    }

    #[test]
    fn no_line_is_wider_than_asked() {
        for width in 0..120 {
            for line in
                table().body(width, Style::default()).iter().chain(&table().heading(width, Style::default()))
            {
                assert!(width_of(line) <= width, "{width}: {line}");
            }
        }
    }
}
