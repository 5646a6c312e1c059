//! Old names lead to points of the list, and current names stay as they are.
#![allow(clippy::unwrap_used, missing_docs)]

use record::Profile;
use record::renamed::{RENAMES, current};

fn points() -> impl Iterator<Item = String> {
    flawed::all_operations().iter().flat_map(|operation| {
        let points = operation.points_of(Profile::Thorough).into_iter();
        points.map(|point| operation.point_id(&point).to_string())
    })
}

#[test]
fn current_names_are_kept() {
    for point in points() {
        assert_eq!(current(&point), point);
    }
}

#[test]
fn old_names_lead_to_points_of_the_list() {
    let points: Vec<String> = points().collect();
    for (operations, old, new) in RENAMES.into_iter().flatten() {
        let found = if old.is_empty() {
            let wanted: Vec<&str> = new.split(' ').collect();
            let has = |point: &String| wanted.iter().all(|word| point.split(' ').any(|one| one == *word));
            points.iter().any(has)
        } else {
            let value = new.split_once('=').unwrap().1;
            let beginning = if value.contains(['*', 'N']) { &new[..=new.find('=').unwrap()] } else { new };
            let is_one = |id: &str| {
                operations.strip_suffix('*').map_or(id == *operations, |start| id.starts_with(start))
            };
            let has = |point: &String| {
                let mut words = point.split(' ');
                words.next().is_some_and(is_one) && words.any(|word| word.starts_with(beginning))
            };
            points.iter().any(has)
        };
        assert!(found, "no point has {operations} {new}");
    }
}
