use std::fs;
use std::path::Path;

use super::crate_modules::CrateModules;
use super::find_circles;

/// The circles of a crate made of these files.
fn circles_of(files: &[(&str, &str)]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let file = folder.path().join(name);
        fs::create_dir_all(file.parent().unwrap_or(Path::new("."))).unwrap();
        fs::write(file, text).unwrap();
    }
    find_circles(&CrateModules::read(&folder.path().join("lib.rs")).unwrap())
}

#[test]
fn one_directional_imports_pass() {
    let found = circles_of(&[
        ("lib.rs", "mod a; mod b; pub use a::A;"),
        ("a.rs", "pub struct A;"),
        ("b.rs", "use crate::A; fn f(_: A) -> crate::a::A { A }"),
    ]);
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn circle_through_a_reexport_is_reported_with_its_imports() {
    let found = circles_of(&[
        ("lib.rs", "mod a; mod b; pub use b::B;"),
        ("a.rs", "use crate::B; pub struct A(B);"),
        ("b.rs", "pub struct B; impl B { fn f() { super::a::A::new(); } }"),
    ]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("crate::{a, b}") && found[0].contains("crate::B"), "{}", found[0]);
}

#[test]
fn circle_between_nested_modules_names_their_parents_children() {
    let found = circles_of(&[
        ("lib.rs", "mod a; mod b;"),
        ("a.rs", "mod inner;"),
        ("a/inner.rs", "use crate::b::B;"),
        ("b.rs", "pub struct B; use crate::a;  type T = a::X;"),
    ]);
    assert_eq!(found.len(), 1, "{found:?}");
}

#[test]
fn parent_and_child_may_refer_to_each_other_and_tests_do_not_count() {
    let found = circles_of(&[
        ("lib.rs", "mod a; mod b; #[cfg(test)] mod tests;"),
        ("a.rs", "mod child; use child::C; pub struct A(C); #[cfg(test)] mod tests { use crate::b::B; }"),
        ("a/child.rs", "use super::A; pub struct C;"),
        ("b.rs", "use crate::a::A; pub struct B;"),
    ]);
    assert_eq!(found, Vec::<String>::new());
}
