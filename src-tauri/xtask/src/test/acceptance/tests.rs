use super::*;

const PAGE: &str = "\
The `text` around a table names nothing.

| point | tests | command |
|---|---|---|
| one | `it_works`, `it works, too` | `cargo test` |
| two | `it_is_missing` and `it is missing` | |
";

#[test]
fn names_are_the_code_in_the_second_column() {
    let found: Vec<_> = names(PAGE).collect();
    assert_eq!(found, ["it_works", "it works, too", "it_is_missing", "it is missing"]);
}

#[test]
fn names_without_a_test_are_reported() {
    let rust = "#[test]\nfn it_works() {}\n// it_is_missing\nfn it_is_missing_as_well() {}";
    let typescript = "it(\"it works, too\", () => {}); // it is missing";
    assert_eq!(missing_tests(PAGE, rust, typescript), ["it_is_missing", "it is missing"]);
}

#[test]
fn features_without_a_test_are_reported() {
    let page = "\
| feature | one | other |
|---|---|---|
| tools | `one::request::it_works` | `one::request::it_is_missing` |
| streaming | `one::request::shared_by_all`, `two::it_works` | — (it has none) |
| files | | — |

| preset | server |
|---|---|
| a | `nothing` |
";
    let source = |module: &str| {
        let text = "holds_for_every_protocol!(recording);\nasync fn it_works() {}";
        (module == "one::request").then(|| text.to_owned())
    };
    let missing = missing_features(page, "async fn shared_by_all() {}", source);
    assert_eq!(missing, ["one::request::it_is_missing", "two::it_works", "an empty cell: ``"]);
    assert_eq!(missing_features("No table.", "", source).len(), 1);
}
