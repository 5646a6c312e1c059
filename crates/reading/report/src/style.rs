//! Colour, where the terminal has it. Meaning is never in the colour alone.

/// What the terminal shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Style {
    /// Whether colours and bold face may be used.
    pub colour: bool,
    /// Whether plots keep to the letters of ASCII.
    pub ascii: bool,
}

/// How a piece of text is painted: by what it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Paint {
    /// As it is.
    #[default]
    Plain,
    /// A heading.
    Strong,
    /// Of lesser importance.
    Faint,
    /// As it should be.
    Good,
    /// To be taken with care.
    Warning,
    /// Not to be relied upon.
    Bad,
}

impl Paint {
    /// The parameter of the escape sequence "select graphic rendition" (ECMA-48, 8.3.117).
    fn rendition(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Strong => Some("1"),
            Self::Faint => Some("2"),
            Self::Good => Some("32"),
            Self::Warning => Some("33"),
            Self::Bad => Some("31"),
        }
    }
}

impl Style {
    /// The text in this paint, or as it is where there is no colour.
    pub fn paint(self, text: &str, paint: Paint) -> String {
        match paint.rendition() {
            Some(rendition) if self.colour && !text.is_empty() => format!("\x1b[{rendition}m{text}\x1b[0m"),
            _ => text.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colour_only_where_asked() {
        let colour = Style { colour: true, ..Style::default() };
        assert_eq!(colour.paint("x", Paint::Bad), "\x1b[31mx\x1b[0m");
        assert_eq!(Style::default().paint("x", Paint::Bad), "x");
        assert_eq!(colour.paint("", Paint::Bad), "");
        assert_eq!(colour.paint("x", Paint::Plain), "x");
    }
}
