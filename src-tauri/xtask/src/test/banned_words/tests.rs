use super::*;

fn findings(text: &str) -> Vec<String> {
    find(&parse("# comment\n\ntold = reported\nword for word = verbatim\n").unwrap(), text)
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
fn table_errors_name_the_line() {
    assert!(parse("told = x\ntold").is_err_and(|error| error.to_string().contains("told")));
}
