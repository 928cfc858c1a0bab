//! The paths that one module writes: its `use` declarations and the paths inside its items.

use std::collections::{BTreeMap, BTreeSet};

use syn::visit::{self, Visit};
use syn::{Attribute, Item, UseTree};

/// The imports and re-exports of one module, without its child modules.
#[derive(Default)]
pub(super) struct ModuleImports {
    paths: BTreeSet<Vec<String>>,
    reexports: BTreeMap<String, Vec<String>>,
}

impl ModuleImports {
    /// Collects the paths of a module's items.
    pub(super) fn collect(items: &[Item]) -> Self {
        let mut imports = Self::default();
        for item in items {
            match item {
                Item::Mod(_) => {}
                Item::Use(used) => {
                    let is_private = matches!(used.vis, syn::Visibility::Inherited);
                    imports.add_use(&mut Vec::new(), &used.tree, is_private);
                }
                other => imports.visit_item(other),
            }
        }
        imports
    }

    /// The imported paths, as written. Re-exports are not among them: the user of the name imports it.
    pub(super) fn paths(&self) -> impl Iterator<Item = &Vec<String>> {
        self.paths.iter()
    }

    /// The path that an imported name stands for.
    pub(super) fn reexport(&self, name: &str) -> Option<&[String]> {
        self.reexports.get(name).map(Vec::as_slice)
    }

    fn add_use(&mut self, prefix: &mut Vec<String>, tree: &UseTree, is_private: bool) {
        match tree {
            UseTree::Path(path) => {
                prefix.push(path.ident.to_string());
                self.add_use(prefix, &path.tree, is_private);
                prefix.pop();
            }
            UseTree::Name(name) => self.add_name(prefix, &name.ident.to_string(), None, is_private),
            UseTree::Rename(name) => {
                self.add_name(prefix, &name.ident.to_string(), Some(name.rename.to_string()), is_private);
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.add_use(prefix, tree, is_private);
                }
            }
            UseTree::Glob(_) => {
                self.paths.insert(prefix.clone());
            }
        }
    }

    fn add_name(&mut self, prefix: &[String], name: &str, alias: Option<String>, is_private: bool) {
        let mut path = prefix.to_vec();
        if name != "self" {
            path.push(name.to_owned());
        }
        if is_private {
            self.paths.insert(path.clone());
        }
        let local = alias.or_else(|| path.last().cloned()).unwrap_or_default();
        self.reexports.insert(local, path);
    }
}

impl<'ast> Visit<'ast> for ModuleImports {
    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.segments.len() > 1 {
            self.paths.insert(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        }
        visit::visit_path(self, path);
    }

    fn visit_item_use(&mut self, used: &'ast syn::ItemUse) {
        self.add_use(&mut Vec::new(), &used.tree, true);
    }
}

/// Whether an item is compiled for tests only.
pub(super) fn has_test_cfg(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.meta.require_list().is_ok_and(|list| list.tokens.to_string().contains("test"))
    })
}
