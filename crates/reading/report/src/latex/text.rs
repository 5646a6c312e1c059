//! Text for LaTeX: what LaTeX takes for its own is escaped in one place, and letters that its oldest fonts lack are spelt.

/// The page, its columns and its drawings.
pub(crate) const PREAMBLE: &str = include_str!("preamble.tex");

/// What letters beyond ASCII become, in the fonts that every installation has.
const SPELT: &[(&str, &str)] = &[
    ("µμ", "$\\mu$"),
    ("±", "$\\pm$"),
    ("×✗", "$\\times$"),
    ("·", "$\\cdot$"),
    ("÷", "$\\div$"),
    ("−", "$-$"),
    ("–", "--"),
    ("—", "---"),
    ("‘", "`"),
    ("’", "'"),
    ("“", "``"),
    ("”„", "''"),
    ("…", "\\ldots{}"),
    ("→", "$\\rightarrow$"),
    ("←", "$\\leftarrow$"),
    ("↔", "$\\leftrightarrow$"),
    ("≤", "$\\le$"),
    ("≥", "$\\ge$"),
    ("≈", "$\\approx$"),
    ("≠", "$\\ne$"),
    ("∞", "$\\infty$"),
    ("√✓", "$\\surd$"),
    ("¹", "$^1$"),
    ("²", "$^2$"),
    ("³", "$^3$"),
    ("½", "$\\frac12$"),
    ("°", "$^\\circ$"),
    ("†", "\\dag{}"),
    ("‡", "\\ddag{}"),
    ("§", "\\S{}"),
    ("●•", "$\\bullet$"),
    ("○", "$\\circ$"),
    ("Δ", "$\\Delta$"),
    ("σ", "$\\sigma$"),
    ("Ω", "$\\Omega$"),
    ("©", "\\copyright{}"),
    ("®", "(R)"),
    ("™", "(TM)"),
    ("€", "EUR"),
    ("ß", "\\ss{}"),
    ("æ", "\\ae{}"),
    ("ø", "\\o{}"),
    ("å", "\\aa{}"),
    ("\u{2009}\u{202f}", "\\,"),
    ("\u{a0}", "~"),
    ("\u{2010}\u{2011}", "-"),
    ("\\", "\\textbackslash{}"),
    ("{", "\\{"),
    ("}", "\\}"),
    ("$", "\\$"),
    ("&", "\\&"),
    ("#", "\\#"),
    ("%", "\\%"),
    ("_", "\\_"),
    ("^", "\\textasciicircum{}"),
    ("~", "$\\sim$"),
    ("<", "$<$"),
    (">", "$>$"),
    ("|", "$|$"),
    ("\"", "''"),
    ("`", "\\`{}"),
    // Behind the end of a line or an item these would be taken for an argument.
    ("[", "{[}"),
    ("]", "{]}"),
    ("*", "{*}"),
];

/// Letters with an accent: the accent's command, the letters without and with it.
const ACCENTS: &[(&str, &str, &str)] = &[
    ("\\`", "aeiouAEIOU", "àèìòùÀÈÌÒÙ"),
    ("\\'", "aeiouyAEIOUYcnsz", "áéíóúýÁÉÍÓÚÝćńśź"),
    ("\\^", "aeiouAEIOU", "âêîôûÂÊÎÔÛ"),
    ("\\\"", "aeiouAEIOU", "äëïöüÄËÏÖÜ"),
    ("\\~", "anoANO", "ãñõÃÑÕ"),
    ("\\v", "cerszCRSZ", "čěřšžČŘŠŽ"),
    ("\\c", "csCS", "çşÇŞ"),
];

fn accented(letter: char) -> Option<String> {
    ACCENTS.iter().find_map(|(accent, plain, with)| {
        let at = with.chars().position(|one| one == letter)?;
        Some(format!("{accent}{{{}}}", plain.chars().nth(at)?))
    })
}

fn spell(letter: char, out: &mut String) {
    if letter.is_ascii_alphanumeric() || letter == ' ' {
        return out.push(letter);
    }
    let spelt = SPELT.iter().find(|(letters, _)| letters.contains(letter));
    match (spelt, letter) {
        (Some((_, spelt)), _) => out.push_str(spelt),
        (None, control) if control.is_control() => out.push(' '),
        (None, ascii) if ascii.is_ascii() => out.push(ascii),
        (None, other) => match accented(other) {
            Some(accented) => out.push_str(&accented),
            None => out.push_str(&format!("{{[}}U+{:04X}{{]}}", u32::from(other))),
        },
    }
}

/// Units from which a line must not tear their number.
const UNITS: [&str; 20] = [
    "ns", "µs", "ms", "s", "%", "B", "KiB", "MiB", "GiB", "TiB", "B/s", "kB/s", "MB/s", "GB/s", "Hz", "kHz",
    "MHz", "GHz", "cyc", "kcyc",
];

fn begins_with_unit(text: &str) -> bool {
    let end = text.find(|letter: char| !(letter.is_alphabetic() || "%/".contains(letter)));
    let word = text.get(..end.unwrap_or(text.len())).unwrap_or_default();
    UNITS.contains(&word)
}

/// The name of a label: letters and digits alone.
pub(super) fn key(text: &str) -> String {
    text.chars().filter(char::is_ascii_alphanumeric).collect()
}

/// The text with nothing in it that LaTeX takes for its own.
pub(crate) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut before = ' ';
    for (at, letter) in text.char_indices() {
        if letter == ' '
            && before.is_ascii_digit()
            && begins_with_unit(text.get(at + 1..).unwrap_or_default())
        {
            out.push('~');
            before = letter;
            continue;
        }
        // Two hyphens would become a dash.
        if (before, letter) == ('-', '-') {
            out.push_str("{}");
        }
        spell(letter, &mut out);
        before = letter;
    }
    out
}

/// An id, a formula or a command: letters of one width, and lines may break between its parts.
pub(crate) fn code(text: &str) -> String {
    let mut out = String::from("\\texttt{");
    for letter in text.chars() {
        match letter {
            '`' | '"' => out.push_str("\\char`"),
            _ => {}
        }
        match letter {
            '`' | '"' => out.extend(['\\', letter, ' ']),
            other => spell(other, &mut out),
        }
        if ".=_/,-".contains(letter) {
            out.push_str("\\wbr{}");
        }
    }
    out.push('}');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_record_says_becomes_a_command() {
        assert_eq!(
            plain("\\input{x} 50 % & $1_2^3 #~ <a|b> [x]*"),
            "\\textbackslash{}input\\{x\\} 50~\\% \\& \\$1\\_2\\textasciicircum{}3 \\#$\\sim$ \
             $<$a$|$b$>$ {[}x{]}{*}"
        );
        assert_eq!(plain("line\nnext\u{0}"), "line next ");
        assert_eq!(plain("--with-parts"), "-{}-with-parts");
    }

    #[test]
    fn units_and_names_are_spelt() {
        assert_eq!(
            plain("4.2 µs ± 3 %, 1.04×, 1\u{2009}024 B"),
            "4.2~$\\mu$s $\\pm$ 3~\\%, 1.04$\\times$, 1\\,024~B"
        );
        assert_eq!(plain("Erdős, Gödel, Čapek"), "Erd{[}U+0151{]}s, G\\\"{o}del, \\v{C}apek");
    }

    #[test]
    fn every_letter_that_is_shown_by_this_program_is_spelt() {
        for letter in "µ±×·−–—’…→≤≥²†●○✗✓\u{2009}".chars() {
            let out = plain(&letter.to_string());
            assert!(out.is_ascii() && !out.contains("U+"), "{letter}: {out}");
        }
    }

    #[test]
    fn ids_may_break_between_their_parts() {
        assert_eq!(code("a.b c=1"), "\\texttt{a.\\wbr{}b c=\\wbr{}1}");
        assert_eq!(code("`\""), "\\texttt{\\char`\\` \\char`\\\" }");
    }
}
