//! The lint for `tests/ACCEPTANCE.md`: every test that it names exists.
//!
//! Names stand in the second column of its tables, as code: the function of a test in Rust, or the title of a test in
//! TypeScript, which has spaces.

use anyhow::{Context, Result, bail};

use crate::repo;

const PAGE: &str = "tests/ACCEPTANCE.md";

/// Checks the page. The error lists the names without a test.
pub(super) fn check() -> Result<()> {
    let read = |name: &str| {
        let path = repo::root().join(name);
        std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
    };
    let (mut rust, mut typescript) = (String::new(), String::new());
    for name in repo::tracked_files()? {
        // A file that was deleted and not committed yet is still listed.
        if std::path::Path::new(&name).extension().is_some_and(|extension| extension == "rs") {
            rust.push_str(&read(&name).unwrap_or_default());
        } else if [".test.ts", ".test.tsx", ".spec.ts"].iter().any(|ending| name.ends_with(ending)) {
            typescript.push_str(&read(&name).unwrap_or_default());
        }
    }
    let missing = missing_tests(&read(PAGE)?, &rust, &typescript);
    if missing.is_empty() {
        return Ok(());
    }
    bail!("{PAGE} names tests that do not exist:\n  {}", missing.join("\n  "))
}

/// The names on the page without a test in these sources.
fn missing_tests(page: &str, rust: &str, typescript: &str) -> Vec<String> {
    let exists = |name: &str| {
        if name.contains(' ') {
            typescript.contains(&format!("\"{name}\""))
        } else {
            rust.contains(&format!("fn {name}("))
        }
    };
    names(page).filter(|name| !exists(name)).map(str::to_owned).collect()
}

/// The names in the second column of the tables of a page.
fn names(page: &str) -> impl Iterator<Item = &str> {
    let rows = page.lines().filter(|line| line.starts_with('|'));
    let cells = rows.filter_map(|row| row.split('|').nth(2));
    cells.flat_map(|cell| cell.split('`').skip(1).step_by(2))
}

#[cfg(test)]
mod tests;
