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
    describe_classes(facts);
    let folder = folder(cpus::described(tree));
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

fn folder(cpu: usize) -> String {
    format!("/sys/devices/system/cpu/cpu{cpu}/cache")
}

/// The caches of the first CPU of each class of cores, where there are several classes.
fn describe_classes(facts: &mut Facts) {
    let tree = facts.tree;
    let classes = cpus::cpu_classes(tree);
    if classes.len() < 2 {
        return;
    }
    let (_, names) = cpus::classes(tree, &cpus::online(tree));
    let found = names.map(|names| {
        let classes = names.iter().zip(&classes).map(|(name, cpus)| {
            let name = name.split(':').next().unwrap_or_default();
            let sizes = sizes(tree, &folder(cpus.first().copied().unwrap_or_default()));
            format!("{name}: {}", sizes.unwrap_or_else(|absent| format!("not reported ({absent})")))
        });
        classes.collect()
    });
    facts.list("cache.by_class", "/sys/devices/system/cpu/cpu*/cache/index*/size", found);
}

/// The sizes of a CPU's caches, as the kernel writes them: `L1d 32K L1i 32K L2 512K`.
fn sizes(tree: &dyn Tree, folder: &str) -> Found<String> {
    let sizes = caches(tree, folder)?.into_iter().filter_map(|cache| {
        let size = tree::line(tree, &format!("{}/size", cache.folder)).ok()?;
        Some(format!("L{} {size}", cache.name.trim_start_matches('l')))
    });
    Ok(sizes.collect::<Vec<_>>().join(" "))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::testing::Texts;
    use record::FactValue;

    /// Two CPUs of each class; the efficiency cores have a smaller first cache.
    fn hybrid(path: &str) -> Option<String> {
        let cpu = path.strip_prefix("/sys/devices/system/cpu/cpu").and_then(|rest| rest.split('/').next());
        let text = match (cpu, path.rsplit('/').next()?) {
            (None, "cpus") if path.contains("cpu_core") => "0-1",
            (None, "cpus") if path.contains("cpu_atom") => "2-3",
            (None, "online") => "0-3",
            (Some(_), "level") if path.contains("index0") => "1",
            (Some(_), "type") if path.contains("index0") => "Data",
            (Some("0"), "size") if path.contains("index0") => "48K",
            (Some("2"), "size") if path.contains("index0") => "32K",
            _ => return None,
        };
        Some(format!("{text}\n"))
    }

    #[test]
    fn each_class_of_cores_has_its_caches() {
        let machine = Texts::new(hybrid);
        let mut facts = Facts::below(&machine);
        describe(&mut facts);
        let machine = facts.into_machine();
        let found = machine.get("cache.by_class").map(|fact| fact.value.clone());
        let items = ["performance cores: L1d 48K", "efficiency cores: L1d 32K"].map(str::to_owned).to_vec();
        assert_eq!(found, Some(FactValue::List { items }));
        assert_eq!(machine.number("cache.l1d.size"), Some(49_152.0));
        let alike = Texts::new(|path| (!path.contains("cpu_atom")).then(|| hybrid(path)).flatten());
        let mut facts = Facts::below(&alike);
        describe(&mut facts);
        assert!(facts.into_machine().get("cache.by_class").is_none());
    }
}
