//! The lint for import circles: no two sibling modules of a crate may import each other, directly or indirectly.
//!
//! It reads the sources with `syn`, follows `mod` declarations from each crate's root, resolves paths through `use` and
//! `pub use`, and looks for strongly connected components among the children of every module. A module and its own
//! children may refer to each other. Test modules are left out; paths inside macro calls are not seen.

mod crate_modules;
mod imports;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;

use crate::repo;
use crate::steps::print_note;
use crate_modules::{CrateModules, ModulePath};

/// Checks every crate of the workspace. The error lists each circle and one import for each of its arrows.
pub fn check() -> Result<()> {
    let mut circles = Vec::new();
    let roots = crate_roots()?;
    for root in &roots {
        let modules = CrateModules::read(root)?;
        circles.extend(find_circles(&modules));
    }
    if circles.is_empty() {
        print_note(&format!("no import circles in {} crates", roots.len()));
        return Ok(());
    }
    bail!("{} import circles:\n{}", circles.len(), circles.join("\n"))
}

/// The `lib.rs` or `main.rs` of each crate under `src-tauri`.
fn crate_roots() -> Result<Vec<PathBuf>> {
    let folder = repo::root().join("src-tauri");
    let entries = std::fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))?;
    let mut roots: Vec<PathBuf> = entries
        .flatten()
        .flat_map(|entry| ["src/lib.rs", "src/main.rs", "main.rs"].map(|root| entry.path().join(root)))
        .filter(|root| root.is_file())
        .collect();
    roots.sort();
    Ok(roots)
}

/// Every import that leads from one child of a module to another child of the same module, by parent.
type SiblingImports<'a> = BTreeMap<&'a [String], BTreeMap<(&'a str, &'a str), String>>;

fn find_circles(modules: &CrateModules) -> Vec<String> {
    let imports = modules.imports();
    let mut siblings: SiblingImports = BTreeMap::new();
    for (from, to, text) in &imports {
        let shared = from.iter().zip(to).take_while(|(a, b)| a == b).count();
        if let (Some(source), Some(target)) = (from.get(shared), to.get(shared)) {
            siblings
                .entry(&from[..shared])
                .or_default()
                .entry((source, target))
                .or_insert_with(|| format!("{} uses {text}", display(modules.file(from))));
        }
    }
    siblings.iter().flat_map(|(parent, arrows)| circles_among(parent, arrows)).collect()
}

fn circles_among(parent: &[String], arrows: &BTreeMap<(&str, &str), String>) -> Vec<String> {
    let graph: DiGraphMap<&str, ()> = arrows.keys().map(|&(from, to)| (from, to, ())).collect();
    let mut found = Vec::new();
    for mut circle in tarjan_scc(&graph).into_iter().filter(|circle| circle.len() > 1) {
        circle.sort_unstable();
        let mut text = format!("  {}::{{{}}}", path_name(parent), circle.join(", "));
        for ((from, to), import) in arrows {
            if circle.contains(from) && circle.contains(to) {
                let _ = write!(text, "\n    {from} → {to}: {import}");
            }
        }
        found.push(text);
    }
    found
}

fn path_name(path: &[String]) -> String {
    std::iter::once("crate").chain(path.iter().map(String::as_str)).collect::<Vec<_>>().join("::")
}

fn display(file: Option<&Path>) -> String {
    let file = file.map(|file| file.strip_prefix(repo::root()).unwrap_or(file));
    file.map_or_else(|| "?".to_owned(), |file| file.display().to_string())
}

/// One import: the module it stands in, the module it leads to, and the path as written.
type Import = (ModulePath, ModulePath, String);

#[cfg(test)]
mod tests;
