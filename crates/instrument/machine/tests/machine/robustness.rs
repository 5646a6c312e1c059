//! Whatever the files hold, a description is made: unique keys, finite numbers, bounded length, no panic.

use oscope_machine::{Absent, Dump, Tree, describe};
use record::{FactValue, Machine};
use std::collections::HashSet;
use std::fs;
use std::path::PathBuf;

/// What is done to the texts and lists of a real machine.
#[derive(Debug, Clone, Copy)]
enum Damage {
    Empty,
    Noise,
    Cut,
    Flipped,
    Huge,
}

/// A recorded machine, damaged in a way that follows from a seed.
struct Damaged {
    dump: Dump,
    damage: Damage,
    seed: u64,
}

impl Damaged {
    /// The same text is damaged in the same way however often it is read.
    fn random(&self, path: &str) -> fastrand::Rng {
        let sum = path
            .bytes()
            .fold(self.seed, |sum, byte| sum.wrapping_mul(1_099_511_628_211).wrapping_add(u64::from(byte)));
        fastrand::Rng::with_seed(sum)
    }

    fn damaged(&self, path: &str, text: &str) -> String {
        let mut random = self.random(path);
        let mut bytes = text.as_bytes().to_vec();
        match self.damage {
            Damage::Empty => bytes.clear(),
            Damage::Noise => {
                let length = random.usize(0..2000);
                bytes = (0..length).map(|_| random.u8(..)).collect();
            }
            Damage::Cut => bytes.truncate(random.usize(0..=bytes.len())),
            Damage::Flipped => {
                for _ in 0..random.usize(1..20) {
                    if !bytes.is_empty() {
                        let at = random.usize(0..bytes.len());
                        bytes.splice(at..=at, [random.u8(b' '..=b'~')]);
                    }
                }
            }
            Damage::Huge => {
                bytes = ["9", "18446744073709551615", "0-4294967295", "1e308", "-1", "max"]
                    [random.usize(0..6)]
                .repeat(random.usize(1..4))
                .into_bytes();
            }
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl Tree for Damaged {
    fn read(&self, path: &str) -> Result<String, Absent> {
        let text = self.dump.read(path)?;
        Ok(self.damaged(path, &text))
    }

    fn list(&self, path: &str) -> Result<Vec<String>, Absent> {
        let names = self.dump.list(path)?;
        Ok(names.iter().map(|name| self.damaged(path, name)).collect())
    }

    fn link(&self, path: &str) -> Result<String, Absent> {
        let target = self.dump.link(path)?;
        Ok(self.damaged(path, &target))
    }
}

/// A machine on which every path exists and holds noise.
struct Everywhere(u64);

impl Tree for Everywhere {
    fn read(&self, path: &str) -> Result<String, Absent> {
        let mut random = fastrand::Rng::with_seed(self.0 ^ path.len() as u64);
        let bytes: Vec<u8> = (0..random.usize(0..300)).map(|_| random.u8(..)).collect();
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn list(&self, path: &str) -> Result<Vec<String>, Absent> {
        Ok((0..5000).map(|index| format!("{path}{index}")).collect())
    }

    fn link(&self, path: &str) -> Result<String, Absent> {
        self.read(path)
    }
}

fn is_sound(machine: &Machine) {
    let keys: HashSet<&str> = machine.facts.iter().map(|fact| fact.key.as_str()).collect();
    assert_eq!(keys.len(), machine.facts.len());
    assert!(machine.facts.len() < 2000, "{} facts", machine.facts.len());
    for fact in &machine.facts {
        assert!(fact.key.len() <= 100, "{}", fact.key);
        match &fact.value {
            FactValue::Number { value, .. } => assert!(value.is_finite(), "{}", fact.key),
            FactValue::Text { text } => assert!(!text.contains('\n') && text.len() <= 4096, "{}", fact.key),
            FactValue::List { items } => assert!(items.len() <= 1024, "{}", fact.key),
            FactValue::Unknown { reason } => assert!(!reason.is_empty(), "{}", fact.key),
            FactValue::Flag { .. } => {}
        }
    }
    // A record keeps it as JSON; the last digit of a number may be lost there.
    let text = serde_json::to_string(machine).unwrap();
    let again: Machine = serde_json::from_str(&text).unwrap();
    assert!(again.facts.iter().map(|fact| &fact.key).eq(machine.facts.iter().map(|fact| &fact.key)));
}

fn fixtures() -> Vec<Dump> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
        .iter()
        .filter(|path| path.extension().is_some_and(|kind| kind == "json"))
        .map(|path| Dump::from_json(&fs::read_to_string(path).unwrap()).unwrap())
        .collect()
}

#[test]
fn damaged_machines_are_described() {
    for dump in fixtures() {
        for damage in [Damage::Empty, Damage::Noise, Damage::Cut, Damage::Flipped, Damage::Huge] {
            for seed in 0..20 {
                let tree = Damaged { dump: dump.clone(), damage, seed };
                is_sound(&describe(&tree));
            }
        }
    }
}

#[test]
fn noise_everywhere_is_described() {
    for seed in 0..20 {
        is_sound(&describe(&Everywhere(seed)));
    }
}

#[test]
fn empty_files_are_no_facts() {
    let dump = fixtures().remove(0);
    let machine = describe(&Damaged { dump, damage: Damage::Empty, seed: 0 });
    assert_eq!(machine.number("cpus.online"), None);
    assert_eq!(machine.number("memory.total"), None);
    assert_eq!(machine.text("processor.model"), None);
    assert_eq!(machine.number("processor.frequency"), None);
}
