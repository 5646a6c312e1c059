//! The caches of the most capable CPU: size, line, ways, and how many CPUs share each.

use crate::cpus;
use crate::facts::{Facts, Form};
use crate::parse;
use crate::tree::{self, Absent, Found, Tree};
use record::Unit;

/// No processor has more caches than this per CPU (Linux numbers them from 0 without gaps).
const MOST_CACHES: usize = 16;

/// Caches of a machine whose kernel lists none.
const USUAL: [&str; 5] = ["l1d", "l1i", "l2", "l3", "last"];

struct Cache {
    folder: String,
    name: String,
}

pub(crate) fn describe(facts: &mut Facts) {
    let tree = facts.tree;
    let folder = format!("/sys/devices/system/cpu/cpu{}/cache", cpus::described(tree));
    let caches = match caches(tree, &folder) {
        Ok(caches) => caches,
        Err(absent) => {
            for name in USUAL {
                facts.number(&format!("cache.{name}.size"), Unit::Bytes, &folder, Err(absent.clone()));
            }
            return;
        }
    };
    for cache in &caches {
        describe_one(facts, cache);
    }
    if let Some(last) = caches.iter().filter(|cache| cache.name != "l1i").max_by(|a, b| a.name.cmp(&b.name)) {
        let path = format!("{}/size", last.folder);
        facts.number("cache.last.size", Unit::Bytes, &path, size(tree, &path));
    }
}

fn caches(tree: &dyn Tree, folder: &str) -> Found<Vec<Cache>> {
    let each = (0..MOST_CACHES).map_while(|index| cache(tree, format!("{folder}/index{index}")).ok());
    let caches: Vec<Cache> = each.collect();
    if caches.is_empty() {
        let first = format!("{folder}/index0/level");
        let absent = tree::line(tree, &first).err();
        return Err(absent.unwrap_or_else(|| Absent::silent(folder, "lists no cache")));
    }
    Ok(caches)
}

fn cache(tree: &dyn Tree, folder: String) -> Found<Cache> {
    let path = format!("{folder}/level");
    let level = tree::number(tree, &path)?;
    let name = match tree::line(tree, &format!("{folder}/type"))?.as_str() {
        "Data" => format!("l{level}d"),
        "Instruction" => format!("l{level}i"),
        _ => format!("l{level}"),
    };
    if (1.0..=9.0).contains(&level) && level.fract() == 0.0 {
        Ok(Cache { folder, name })
    } else {
        Err(Absent::silent(&path, "is not a cache level"))
    }
}

fn size(tree: &dyn Tree, path: &str) -> Found<f64> {
    tree::parsed(tree::line(tree, path), path, "is not a size", parse::size)
}

fn describe_one(facts: &mut Facts, cache: &Cache) {
    let tree = facts.tree;
    let key = |part: &str| format!("cache.{}.{part}", cache.name);
    let path = |file: &str| format!("{}/{file}", cache.folder);
    let size_path = path("size");
    facts.number(&key("size"), Unit::Bytes, &size_path, size(tree, &size_path));
    facts.file(&key("line"), &path("coherency_line_size"), Form::Number(Unit::Bytes));
    facts.file(&key("ways"), &path("ways_of_associativity"), Form::Number(Unit::One));
    let shared = path("shared_cpu_list");
    let count = tree::cpu_list(tree, &shared).map(|cpus| cpus.len() as f64);
    facts.number(&key("sharing"), Unit::One, &shared, count);
    facts.file(&key("shared_by"), &shared, Form::Line);
}
