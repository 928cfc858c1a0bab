use super::{check, find};

#[test]
fn reads_are_found_by_path_and_by_import() {
    assert_eq!(find("fn a() {\n    let _ = std::env::var(\"HOME\");\n}"), [2]);
    assert_eq!(
        find("use std::env;\nfn a() {\n    let _ = env::var_os(\"HOME\");\n    let _ = env::vars();\n}"),
        [3, 4]
    );
    assert_eq!(find("use std::env::{args, var as read};"), [1]);
    assert_eq!(find("use std::env as surroundings;"), [1]);
    assert_eq!(find("use std::env::*;"), [1]);
    assert_eq!(find("fn a(x: Option<&str>) { let _ = x.map(std::env::var); }"), [1]);
}

#[test]
fn what_reads_no_variable_passes() {
    let text = "//! std::env::var\nuse std::env;\nfn a() { env::args(); env::current_exe(); env!(\"PATH\"); let var = \"env::var\"; }";
    assert!(find(text).is_empty());
}

#[test]
fn the_repository_passes() {
    check().unwrap();
}
