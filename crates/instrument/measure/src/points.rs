//! The points of an operation, as lines of text.

use crate::Point;
use model::Mistake;
use record::Profile;

/// The profiles, by their names in lines.
const PROFILES: [(&str, Profile); 3] =
    [("quick", Profile::Quick), ("standard", Profile::Standard), ("thorough", Profile::Thorough)];

/// The points of a profile.
///
/// A line such as `cpu=same bytes=4KiB|64KiB; cpu=other` gives every choice of values, the last parameter changing
/// first, of one list of parameters after the other. It may begin with the profiles for which it holds:
/// `profile=quick|standard: cpu=same`, `profile!=thorough: cpu=same`.
pub fn read(lines: &[&str], profile: Profile) -> Result<Vec<Point>, Mistake> {
    let mut points = Vec::new();
    for line in lines {
        let (guard, lists) = line.split_once(": ").map_or((None, *line), |(guard, rest)| (Some(guard), rest));
        let mistake = |what: &str| Mistake { line: (*line).to_owned(), column: 1, what: what.to_owned() };
        let holds = guard.map_or(Some(true), |guard| holds(guard, profile));
        let holds = holds.ok_or_else(|| mistake("a guard of points is profile=quick|standard|thorough"))?;
        for list in lists.split("; ") {
            let choices = choices(list).ok_or_else(|| mistake("a parameter is name=value|value"))?;
            points.extend(choices.into_iter().filter(|_| holds));
        }
    }
    Ok(points)
}

/// Whether a guard holds for a profile; `None` when it cannot be read.
fn holds(guard: &str, profile: Profile) -> Option<bool> {
    let (names, wants) = match guard.strip_prefix("profile!=") {
        Some(names) => (names, false),
        None => (guard.strip_prefix("profile=")?, true),
    };
    let named = names
        .split('|')
        .map(|name| PROFILES.iter().find(|(known, _)| *known == name).map(|(_, profile)| *profile))
        .collect::<Option<Vec<_>>>()?;
    Some(named.contains(&profile) == wants)
}

/// Every choice of values of a list of parameters; `None` when it cannot be read.
fn choices(list: &str) -> Option<Vec<Point>> {
    let mut points = vec![Point::only()];
    for pair in list.split(' ').filter(|_| !list.is_empty()) {
        let (name, values) = pair.split_once('=')?;
        if name.is_empty() || values.split('|').any(str::is_empty) {
            return None;
        }
        points = points
            .into_iter()
            .flat_map(|point| values.split('|').map(move |value| point.clone().with(name, value)))
            .collect();
    }
    Some(points)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(lines: &[&str], profile: Profile) -> Vec<String> {
        read(lines, profile).unwrap().iter().map(Point::text).collect()
    }

    #[test]
    fn text_expands_to_every_choice_of_values() {
        for (lines, expected) in [
            (&["a=1|2 b=x|y"][..], &["a=1 b=x", "a=1 b=y", "a=2 b=x", "a=2 b=y"][..]),
            (&["a=1 b=x; a=2|3"], &["a=1 b=x", "a=2", "a=3"]),
            (&["a=1", "b=2"], &["a=1", "b=2"]),
            (&[""], &[""]),
            (&[], &[]),
        ] {
            assert_eq!(texts(lines, Profile::Standard), expected);
        }
    }

    #[test]
    fn lines_hold_for_the_profiles_that_they_name() {
        let lines = ["profile!=thorough: a=1", "profile=thorough: a=2", "a=3", "profile=quick|standard: a=4"];
        assert_eq!(texts(&lines, Profile::Thorough), ["a=2", "a=3"]);
        assert_eq!(texts(&lines, Profile::Quick), ["a=1", "a=3", "a=4"]);
        assert_eq!(texts(&lines, Profile::Standard), ["a=1", "a=3", "a=4"]);
    }

    #[test]
    fn wrong_lines_are_mistakes_for_every_profile() {
        for line in
            ["a", "a=", "=1", "a=1|", "a=1  b=2", "profile=slow: a=1", "cpu=same: a=1", "profile=quick: a"]
        {
            for (_, profile) in PROFILES {
                assert!(read(&[line], profile).is_err(), "{line}");
            }
        }
    }
}
