//! The module tree of one crate, read from its sources, and the targets of each module's paths.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use syn::Item;

use super::Import;
use super::imports::{ModuleImports, has_test_cfg};

/// The names of the modules from the crate's root down; empty for the root itself.
pub(super) type ModulePath = Vec<String>;

/// How many re-exports are followed for one path, so that a circle of them ends.
const MAX_REEXPORTS: usize = 16;

#[derive(Default)]
pub(super) struct CrateModules {
    modules: BTreeMap<ModulePath, Module>,
}

struct Module {
    file: PathBuf,
    children: BTreeSet<String>,
    imports: ModuleImports,
}

impl CrateModules {
    /// Reads a crate from its root file. Fails where a file cannot be read or parsed.
    pub(super) fn read(root: &Path) -> Result<Self> {
        let mut modules = Self::default();
        let folder = root.parent().unwrap_or(root).to_owned();
        modules.read_file(Vec::new(), root, &folder)?;
        Ok(modules)
    }

    pub(super) fn file(&self, module: &[String]) -> Option<&Path> {
        self.modules.get(module).map(|module| module.file.as_path())
    }

    /// Every path of every module that leads to another module of this crate.
    pub(super) fn imports(&self) -> Vec<Import> {
        let mut found = Vec::new();
        for (path, module) in &self.modules {
            for written in module.imports.paths() {
                if let Some(target) = self.resolve(path, written, MAX_REEXPORTS)
                    && target != *path
                {
                    found.push((path.clone(), target, written.join("::")));
                }
            }
        }
        found
    }

    fn read_file(&mut self, path: ModulePath, file: &Path, folder: &Path) -> Result<()> {
        let text =
            std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        let parsed = syn::parse_file(&text).with_context(|| format!("cannot parse {}", file.display()))?;
        self.add(path, file, folder, &parsed.items)
    }

    /// Adds a module. `folder` is where the files of its children stand.
    fn add(&mut self, path: ModulePath, file: &Path, folder: &Path, items: &[Item]) -> Result<()> {
        let mut children = BTreeSet::new();
        for item in items {
            let Item::Mod(child) = item else { continue };
            if has_test_cfg(&child.attrs) {
                continue;
            }
            let name = child.ident.to_string();
            children.insert(name.clone());
            let child_path = path.iter().cloned().chain([name.clone()]).collect();
            let child_folder = folder.join(&name);
            match &child.content {
                Some((_, items)) => self.add(child_path, file, &child_folder, items)?,
                None => self.read_file(child_path, &folder.join(format!("{name}.rs")), &child_folder)?,
            }
        }
        let imports = ModuleImports::collect(items);
        self.modules.insert(path, Module { file: file.to_owned(), children, imports });
        Ok(())
    }

    /// The module that a path, as written in `from`, leads to. Nothing where it leaves the crate or means a local item.
    fn resolve(&self, from: &[String], written: &[String], budget: usize) -> Option<ModulePath> {
        let (first, rest) = written.split_first()?;
        let module = self.modules.get(from)?;
        match first.as_str() {
            "crate" => self.descend(Vec::new(), rest, budget),
            "self" => self.descend(from.to_vec(), rest, budget),
            "super" => {
                let parent = from.split_last()?.1;
                match rest.first() {
                    Some(next) if next == "super" => self.resolve(parent, rest, budget),
                    _ => self.descend(parent.to_vec(), rest, budget),
                }
            }
            name if module.children.contains(name) => self.descend(from.to_vec(), written, budget),
            _ => None,
        }
    }

    /// Walks down from a module, through re-exports, to the module of the path's target.
    fn descend(&self, mut at: ModulePath, rest: &[String], budget: usize) -> Option<ModulePath> {
        for (depth, name) in rest.iter().enumerate() {
            let module = self.modules.get(&at)?;
            if module.children.contains(name) {
                at.push(name.clone());
                continue;
            }
            let Some(mut target) = module.imports.reexport(name).map(<[String]>::to_vec) else { break };
            target.extend_from_slice(&rest[depth + 1..]);
            let next = budget.checked_sub(1)?;
            return self.resolve(&at, &target, next).or(Some(at));
        }
        Some(at)
    }
}
