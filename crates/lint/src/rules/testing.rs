//! What the rules' tests share.
#![allow(clippy::unwrap_used)]

use crate::finding::Rule;
use crate::read::read;

/// How many findings a rule has in a table without machines.
pub(crate) fn count(rule: &Rule, table: &str) -> usize {
    (rule.check)(&read(table, Vec::new()).unwrap()).len()
}

/// A table of trials of one operation in one unit, and further rows.
pub(crate) fn trials(operation: &str, unit: &str, values: &[&str], more: &str) -> String {
    let mut text = "operation,parameter,unit,measured,deviation\n".to_owned();
    for (at, value) in values.iter().enumerate() {
        text.push_str(&format!("{operation},trial={},{unit},{value},\n", at + 1));
    }
    text + more
}
