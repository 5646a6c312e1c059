//! What the dynamic linker and the C library of this process are given: variables of the environment, and libraries that are
//! loaded before all others. Workers inherit both.

use crate::facts::{Facts, Form};
use crate::identifiers;
use crate::tree;

/// Where the variables are, one a line.
pub(crate) const VARIABLES: &str = "oscope/variables";

/// Where the libraries of `/etc/ld.so.preload` are.
const PRELOAD: &str = "oscope/preload";

/// How the names of those variables begin that the dynamic linker (ld.so(8)), the C library (mallopt(3)) and the usual
/// replacements of its allocator read. Others are not looked at: they may hold secrets.
const BEGINNINGS: [&str; 8] = [
    "GLIBC_TUNABLES",
    "LD_",
    "LIBC_",
    "MALLOC_",
    "MIMALLOC_",
    "RUST_MIN_STACK",
    "TCMALLOC_",
    "_RJEM_MALLOC_CONF",
];

/// More variables are not described.
const MOST_VARIABLES: usize = 64;

/// Whether a variable is read by the dynamic linker or the C library.
pub(crate) fn is_read(name: &str) -> bool {
    BEGINNINGS.iter().any(|begins| name.starts_with(begins))
}

pub(crate) fn describe(facts: &mut Facts) {
    facts.file("libc.version", "oscope/c_library", Form::Line);
    facts.file("program.compiler", "oscope/compiler", Form::Line);
    let variables = facts.tree.read(VARIABLES).map(|text| {
        let lines = text.lines().filter(|line| line.split('=').next().is_some_and(is_read));
        lines.take(MOST_VARIABLES).map(identifiers::without_users).collect()
    });
    facts.list("libc.variables", VARIABLES, variables);
    let preload = tree::text(facts.tree, PRELOAD).map(|text| identifiers::without_users(&text));
    facts.text("libc.preload", "/etc/ld.so.preload", preload);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::testing::texts;
    use record::FactValue;

    #[test]
    fn variables_of_the_linker_are_described_and_no_others() {
        let set = "LD_PRELOAD=/home/alice/x.so\nGLIBC_TUNABLES=glibc.malloc.check=3\nTOKEN=s3cret\nOLD_LD_PRELOAD=y\n";
        let tree = texts(&[(VARIABLES, set), (PRELOAD, "/lib/a.so\n/lib/b.so\n")]);
        let mut facts = Facts::below(&tree);
        describe(&mut facts);
        let machine = facts.into_machine();
        let items =
            ["LD_PRELOAD=/home/user/x.so", "GLIBC_TUNABLES=glibc.malloc.check=3"].map(str::to_owned).to_vec();
        assert_eq!(machine.get("libc.variables").map(|fact| &fact.value), Some(&FactValue::List { items }));
        assert_eq!(machine.text("libc.preload"), Some("/lib/a.so /lib/b.so"));
    }

    #[test]
    fn nothing_preloaded_is_known() {
        let tree = texts(&[(VARIABLES, ""), (PRELOAD, "")]);
        let mut facts = Facts::below(&tree);
        describe(&mut facts);
        let machine = facts.into_machine();
        let none = FactValue::List { items: Vec::new() };
        assert_eq!(machine.get("libc.variables").map(|fact| &fact.value), Some(&none));
        assert_eq!(machine.text("libc.preload"), Some("none"));
    }
}
