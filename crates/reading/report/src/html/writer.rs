//! The writer of a page: elements that are closed where they were opened, and every text escaped in one place.

use std::collections::HashMap;

/// Attributes of an element with their values.
pub(crate) type Attributes<'a> = &'a [(&'static str, &'a str)];

/// A page, or a part of one.
#[derive(Debug, Default)]
pub(crate) struct Html {
    text: String,
    /// The places of the page, each with the id that it has there.
    places: HashMap<String, String>,
    /// Whether the page shows everything: nothing is folded and nothing left out.
    pub(crate) is_full: bool,
}

/// Elements that begin a line, so that two pages can be compared line by line.
const ON_A_LINE: &str = "article caption dd details div dl dt figure figcaption footer form h1 h2 h3 h4 h5 head header \
    html li link main meta nav ol p script section style svg table tbody thead tr ul";

/// Attributes that say nothing where they are empty; others are said by being there.
const NOTHING_IF_EMPTY: &[&str] = &["class", "data-area", "data-kind", "data-verdict", "id", "placeholder"];

impl Html {
    /// A page on which these places will be. Thousands of links lead to points, whose names hold a slash: they have numbers
    /// behind a slash for ids; the others are called what they are.
    pub(crate) fn with_places(places: impl Iterator<Item = String>) -> Self {
        let mut known = HashMap::new();
        for place in places {
            let id = if place.contains('/') { format!("/{}", known.len()) } else { place.clone() };
            known.entry(place).or_insert(id);
        }
        Self { places: known, ..Self::default() }
    }

    /// Whether this place will be on the page.
    pub(crate) fn has(&self, place: &str) -> bool {
        self.places.contains_key(place)
    }

    /// The id of a place.
    pub(crate) fn id(&self, place: &str) -> String {
        self.places.get(place).map_or(place, String::as_str).to_owned()
    }

    /// A text that leads to a place on the page, or the text alone where there is no such place.
    pub(crate) fn lead(&mut self, place: &str, class: &str, inside: impl FnOnce(&mut Self)) {
        if self.has(place) {
            let target = format!("#{}", self.id(place));
            self.tag("a", &[("class", class), ("href", &target)], inside);
        } else {
            self.tag("span", &[("class", class)], inside);
        }
    }

    /// An element and what is inside it.
    pub(crate) fn tag(
        &mut self,
        name: &'static str,
        attributes: Attributes<'_>,
        inside: impl FnOnce(&mut Self),
    ) {
        self.begin(name, attributes);
        self.text.push('>');
        inside(self);
        self.text.push_str("</");
        self.text.push_str(name);
        self.text.push('>');
    }

    /// A part with this title that is collapsed at first, unless the page shows everything.
    pub(crate) fn folded(&mut self, attributes: Attributes<'_>, title: &str, inside: impl FnOnce(&mut Self)) {
        self.folded_under(attributes, |html| html.say(title), inside);
    }

    /// A part that is collapsed at first if it is long.
    pub(crate) fn folded_if(
        &mut self,
        is_long: bool,
        attributes: Attributes<'_>,
        title: &str,
        inside: impl FnOnce(&mut Self),
    ) {
        if is_long { self.folded(attributes, title, inside) } else { inside(self) }
    }

    /// A part that is collapsed at first, under a title that is more than a text.
    pub(crate) fn folded_under(
        &mut self,
        attributes: Attributes<'_>,
        summary: impl FnOnce(&mut Self),
        inside: impl FnOnce(&mut Self),
    ) {
        let open: Attributes<'_> = if self.is_full { &[("open", "")] } else { &[] };
        self.tag("details", &[attributes, open].concat(), |html| {
            html.tag("summary", &[], summary);
            inside(html);
        });
    }

    /// An element with a text in it.
    pub(crate) fn leaf(&mut self, name: &'static str, attributes: Attributes<'_>, text: &str) {
        self.tag(name, attributes, |html| html.say(text));
    }

    /// A list of these items.
    pub(crate) fn list<T>(
        &mut self,
        class: &str,
        items: impl IntoIterator<Item = T>,
        mut inside: impl FnMut(&mut Self, T),
    ) {
        self.tag("ul", &[("class", class)], |html| {
            items.into_iter().for_each(|item| html.tag("li", &[], |html| inside(html, item)));
        });
    }

    /// An element of HTML that never has anything inside.
    pub(crate) fn void(&mut self, name: &'static str, attributes: Attributes<'_>) {
        self.begin(name, attributes);
        self.text.push('>');
    }

    /// A shape of SVG with nothing inside.
    pub(crate) fn shape(&mut self, name: &'static str, attributes: Attributes<'_>) {
        self.begin(name, attributes);
        self.text.push_str("/>");
    }

    /// A text.
    pub(crate) fn say(&mut self, text: &str) {
        escape(text, &mut self.text);
    }

    /// A text of this program's own that is no HTML: the style and the script.
    pub(crate) fn verbatim(&mut self, ours: &'static str) {
        self.text.push_str(ours);
    }

    /// The page.
    pub(crate) fn into_text(self) -> String {
        self.text
    }

    fn begin(&mut self, name: &'static str, attributes: Attributes<'_>) {
        if ON_A_LINE.split(' ').any(|one| one == name) && !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push('<');
        self.text.push_str(name);
        for (attribute, value) in attributes {
            if NOTHING_IF_EMPTY.contains(attribute) && value.is_empty() {
                continue;
            }
            self.text.push(' ');
            self.text.push_str(attribute);
            if !value.is_empty() {
                self.text.push_str("=\"");
                escape(value, &mut self.text);
                self.text.push('"');
            }
        }
    }
}

/// The text with nothing in it that HTML takes for its own, in elements and in quoted attributes. Characters
/// that no HTML may hold become the replacement character.
fn escape(text: &str, out: &mut String) {
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(letter),
            control if control.is_control() => out.push(char::REPLACEMENT_CHARACTER),
            other => out.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_record_says_becomes_markup() {
        let mut html = Html::default();
        html.tag("p", &[("class", "a\" onload='x'")], |html| {
            html.say("<script>alert(1)</script> & \u{0}");
        });
        assert_eq!(
            html.into_text(),
            "<p class=\"a&quot; onload=&#39;x&#39;\">&lt;script&gt;alert(1)&lt;/script&gt; &amp; \u{fffd}</p>"
        );
    }

    #[test]
    fn points_have_short_ids_and_parts_their_names() {
        let places = ["summary", "syscall.read/method=libc", "syscall.read", "syscall.floor/"];
        let html = Html::with_places(places.iter().map(|place| (*place).to_owned()));
        assert_eq!(places.map(|place| html.id(place)), ["summary", "/1", "syscall.read", "/3"]);
        assert_eq!(html.id("elsewhere"), "elsewhere");
    }

    #[test]
    fn elements_are_closed_in_order() {
        let mut html = Html::default();
        html.tag("div", &[], |html| {
            html.leaf("b", &[], "x");
            html.void("br", &[("hidden", "")]);
            html.shape("path", &[("d", "M0 0")]);
            html.leaf("li", &[], "y");
        });
        assert_eq!(html.into_text(), "<div><b>x</b><br hidden><path d=\"M0 0\"/>\n<li>y</li></div>");
    }
}
