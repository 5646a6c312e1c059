//! A field of characters on which points, bars and lines are drawn, the lines finer than the characters.

/// The signs of a plot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Glyphs {
    /// One for each series.
    pub(crate) markers: [char; 4],
    /// Where points of several series fall on one place.
    pub(crate) several: char,
    /// What was predicted of a point.
    pub(crate) predicted: char,
    /// An interval beyond its point.
    pub(crate) bar: char,
    /// A place that is marked on the axis.
    pub(crate) mark: char,
    /// A piece of line where there are no finer ones.
    pub(crate) dot: Option<char>,
    /// The axis of values, without and with a label.
    pub(crate) upright: (char, char),
    /// The corner, and the other axis without and with a label.
    pub(crate) level: (char, char, char),
}

impl Glyphs {
    /// For terminals that show Unicode.
    pub(crate) const UNICODE: Self = Self {
        markers: ['●', '○', '◆', '◇'],
        several: '✱',
        predicted: '×',
        bar: '│',
        mark: '┊',
        dot: None,
        upright: ('│', '┤'),
        level: ('└', '─', '┬'),
    };

    /// For others, and for documents, whose fonts seldom have dots as wide as letters.
    pub(crate) const ASCII: Self = Self {
        markers: ['*', 'o', '+', 'x'],
        several: '#',
        predicted: '^',
        bar: '|',
        mark: ':',
        dot: Some('.'),
        upright: ('|', '+'),
        level: ('+', '-', '+'),
    };
}

/// The first pattern of the Unicode block of braille; each of eight dots sets a bit of it.
const BRAILLE: u32 = 0x2800;
/// The bits of the dots of a character, by column and row (Unicode, chapter 21.1).
const DOTS: [[u8; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];
/// Dots in a line, at most: no field is that large.
const MOST_DOTS: usize = 4096;

/// A character of the field.
#[derive(Debug, Clone, Copy, Default)]
struct Cell {
    sign: Option<char>,
    dots: u8,
}

/// The field. Positions are counted in characters from the upper left, in fractions between them.
#[derive(Debug, Clone)]
pub(crate) struct Canvas {
    width: usize,
    height: usize,
    cells: Vec<Cell>,
}

impl Canvas {
    /// An empty field.
    pub(crate) fn new(width: usize, height: usize) -> Self {
        Self { width, height, cells: vec![Cell::default(); width * height] }
    }

    fn cell(&mut self, column: usize, row: usize) -> Option<&mut Cell> {
        let inside = column < self.width && row < self.height;
        self.cells.get_mut(row * self.width + column).filter(|_| inside)
    }

    /// The sign in a cell, if one was put there.
    pub(crate) fn sign(&mut self, column: usize, row: usize) -> Option<char> {
        self.cell(column, row)?.sign
    }

    /// Puts a sign into a cell.
    pub(crate) fn put(&mut self, column: usize, row: usize, sign: char) {
        if let Some(cell) = self.cell(column, row) {
            cell.sign = Some(sign);
        }
    }

    /// Puts a sign into an empty cell.
    pub(crate) fn put_behind(&mut self, column: usize, row: usize, sign: char) {
        if let Some(cell) = self.cell(column, row).filter(|cell| cell.sign.is_none() && cell.dots == 0) {
            cell.sign = Some(sign);
        }
    }

    /// Draws a line of dots from one position to another.
    pub(crate) fn line(&mut self, from: (f64, f64), to: (f64, f64)) {
        let (wide, high) = (2.0 * (to.0 - from.0), 4.0 * (to.1 - from.1));
        let steps = (wide.abs().max(high.abs()).ceil() as usize).clamp(1, MOST_DOTS);
        for step in 0..=steps {
            let share = step as f64 / steps as f64;
            self.dot(2.0 * from.0 + wide * share, 4.0 * from.1 + high * share);
        }
    }

    /// Sets the dot nearest to a position in dots, counted from that in the middle of the first character.
    fn dot(&mut self, x: f64, y: f64) {
        let (x, y) = ((x + 0.5).round().max(0.0) as usize, (y + 1.5).round().max(0.0) as usize);
        let bit = DOTS.get(x % 2).and_then(|column| column.get(y % 4)).copied();
        if let (Some(cell), Some(bit)) = (self.cell(x / 2, y / 4), bit) {
            cell.dots |= bit;
        }
    }

    /// The lines of the field, without spaces at their ends.
    pub(crate) fn lines(&self, glyphs: &Glyphs) -> Vec<String> {
        let rows = self.cells.chunks(self.width.max(1));
        let lines = rows.map(|row| {
            let letters = row.iter().map(|cell| match (cell.sign, cell.dots) {
                (Some(sign), _) => sign,
                (None, 0) => ' ',
                (None, dots) => glyphs.dot.unwrap_or_else(|| braille(dots)),
            });
            letters.collect::<String>().trim_end().to_owned()
        });
        lines.collect()
    }
}

fn braille(dots: u8) -> char {
    char::from_u32(BRAILLE + u32::from(dots)).unwrap_or('·')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_dots_and_signs_lie_on_them() {
        let mut canvas = Canvas::new(3, 2);
        canvas.line((0.0, 0.0), (2.0, 0.0));
        canvas.put(1, 0, '●');
        canvas.put_behind(2, 0, '┊');
        canvas.put_behind(2, 1, '┊');
        canvas.put(9, 9, '?');
        assert_eq!(canvas.lines(&Glyphs::UNICODE), ["⠠●⠤", "  ┊"]);
        assert_eq!(canvas.lines(&Glyphs::ASCII), [".●.", "  ┊"]);
        assert_eq!((canvas.sign(1, 0), canvas.sign(0, 0)), (Some('●'), None));
    }

    #[test]
    fn what_lies_outside_is_not_drawn() {
        let mut canvas = Canvas::new(2, 2);
        canvas.line((-5.0, -5.0), (-3.0, -9.0));
        canvas.line((50.0, 50.0), (1e9, 1e9));
        assert_eq!(canvas.lines(&Glyphs::ASCII).last().map(String::as_str), Some(""));
    }
}
