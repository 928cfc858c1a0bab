use super::*;

const PAGE: &str = "# Page\n\n### Adding a tool\n\nExample: `find_file`, `FindFile`\n\n1. `src/find_file.rs`: the tool.\n\
    2. `src/table.rs`: one line of `the table`; `recorded/`.\n\nAlso `src/other.rs`.\n\n### Other\n\nText.\n";

fn findings(texts: &[(&str, &str)]) -> Vec<String> {
    let texts: Vec<_> = texts.iter().map(|&(path, text)| (path.to_owned(), text.to_owned())).collect();
    examples(PAGE).iter().flat_map(|example| example.check(&texts)).collect()
}

const LISTED: [(&str, &str); 3] = [
    ("src/find_file.rs", "a file whose path is enough"),
    ("src/table.rs", "FindFile,"),
    ("recorded/a.json", "\"find_file\""),
];

#[test]
fn list_with_exactly_the_files_of_its_example_passes() {
    let unrelated = [("src/a.rs", "find_files, FindFiles"), ("src/find_file/tests.rs", "")];
    assert!(findings(&[LISTED.as_slice(), &unrelated].concat()).is_empty());
}

#[test]
fn file_that_a_list_lacks_is_found() {
    let missing = findings(&[LISTED.as_slice(), &[("src/b.rs", "use FindFile;")]].concat());
    assert_eq!(missing, ["Adding a tool: src/b.rs is missing"]);
}

#[test]
fn listed_path_that_does_not_touch_the_example_is_found() {
    let stale = findings(&[LISTED[0], LISTED[2], ("src/table.rs", "")]);
    assert_eq!(stale, ["Adding a tool: src/table.rs does not touch the example"]);
}
