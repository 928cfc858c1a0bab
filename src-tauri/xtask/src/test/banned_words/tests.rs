use super::find;
use super::table::Table;

const TABLE: &str =
    "# comment\n[words]\ntold = reported\nword for word = verbatim\n[identifiers]\nHub = RunBroadcast\n";

fn findings(text: &str) -> Vec<String> {
    find(&Table::parse(TABLE).unwrap(), "src/a.rs", text)
}

#[test]
fn words_match_in_prose_and_inside_identifiers() {
    assert_eq!(findings("Told so."), ["1: told → reported"]);
    assert_eq!(
        findings("\nlet nodes_told = x;\nconst toldNodes = 1;"),
        ["2: told → reported", "3: told → reported"]
    );
    assert!(findings("the untold story of tolddle").is_empty());
}

#[test]
fn phrases_match_across_the_lines_of_a_comment() {
    assert_eq!(findings("/// kept word\n/// for word, as sent"), ["1: word for word → verbatim"]);
    assert!(findings("word for\nanother word").is_empty());
}

#[test]
fn identifiers_match_whole_and_in_their_spelling() {
    assert_eq!(findings("let x: Hub = y;"), ["1: Hub → RunBroadcast"]);
    assert!(findings("GitHub, hub, HubBub, Hub_1").is_empty());
}

#[test]
fn allowed_words_pass_in_their_paths_alone() {
    let table = Table::parse(&format!("{TABLE}[allowed]\ntold = memory, docs/\nHub = memory\n")).unwrap();
    assert!(find(&table, "src/memory/a.rs", "told Hub").is_empty());
    assert_eq!(find(&table, "docs/a.md", "told Hub"), ["1: Hub → RunBroadcast"]);
    assert_eq!(find(&table, "src/a.rs", "told Hub").len(), 2);
}

#[test]
fn table_errors_name_the_line() {
    assert!(Table::parse("[words]\ntold").is_err_and(|error| error.to_string().contains("line 2")));
    assert!(Table::parse("told = x").is_err_and(|error| error.to_string().contains("line 1")));
}
