//! The lint for pages that name tests: every test exists.
//!
//! In `tests/ACCEPTANCE.md` names stand in the second column of the tables, as code: the function of a test in Rust, or the title
//! of a test in TypeScript, which has spaces. In `docs/providers.md` they stand in the table of features, as `module::test` of the
//! tests of the providers.

use anyhow::{Result, bail};

use crate::repo;

const PAGE: &str = "tests/ACCEPTANCE.md";
const PROVIDERS_PAGE: &str = "docs/providers.md";
/// The first cell of the header of the table of features.
const FEATURES: &str = "| feature |";
const PROVIDER_TESTS: &str = "src-tauri/adapters/tests/providers";
/// What declares the tests that all protocols share, and where they are.
const SHARED_TESTS: (&str, &str) = ("holds_for_every_protocol!(", "protocol_checks.rs");

/// Checks the acceptance page. The error lists the names without a test.
pub(super) fn check() -> Result<()> {
    let joined = |endings: &[&str]| -> Result<String> {
        Ok(repo::texts(endings)?.into_iter().map(|(_, text)| text).collect())
    };
    let (rust, typescript) = (joined(&[".rs"])?, joined(&[".test.ts", ".test.tsx", ".spec.ts"])?);
    report(PAGE, &missing_tests(&repo::text(PAGE)?, &rust, &typescript))
}

/// Checks the table of features. The error lists the names without a test and the cells that say nothing.
pub(super) fn check_features() -> Result<()> {
    let page = repo::text(PROVIDERS_PAGE)?;
    let shared = repo::text(&format!("{PROVIDER_TESTS}/{}", SHARED_TESTS.1))?;
    let source =
        |module: &str| repo::text(&format!("{PROVIDER_TESTS}/{}.rs", module.replace("::", "/"))).ok();
    report(PROVIDERS_PAGE, &missing_features(&page, &shared, source))
}

fn report(page: &str, missing: &[String]) -> Result<()> {
    if missing.is_empty() {
        return Ok(());
    }
    bail!("{page} names tests that do not exist:\n  {}", missing.join("\n  "))
}

/// The names in the table of features without a test in the source of their module, and its cells with neither a name nor a dash.
fn missing_features(page: &str, shared: &str, source: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let rows = page.lines().skip_while(|line| !line.starts_with(FEATURES)).skip(2);
    let rows: Vec<&str> = rows.take_while(|line| line.starts_with('|')).collect();
    if rows.is_empty() {
        return vec![format!("the table that begins with `{FEATURES}`")];
    }
    let exists = |name: &str| {
        let (module, test) = name.rsplit_once("::")?;
        let (source, function) = (source(module)?, format!("fn {test}("));
        let is_shared = source.contains(SHARED_TESTS.0) && shared.contains(&function);
        (source.contains(&function) || is_shared).then_some(())
    };
    let mut missing = Vec::new();
    for cell in rows.iter().flat_map(|row| row.trim_end_matches('|').split('|').skip(2)) {
        let mut names = cell.split('`').skip(1).step_by(2).peekable();
        if names.peek().is_none() && !cell.contains('—') {
            missing.push(format!("an empty cell: `{}`", cell.trim()));
        }
        missing.extend(names.filter(|name| exists(name).is_none()).map(str::to_owned));
    }
    missing
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
