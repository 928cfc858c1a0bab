use serde_json::{Value, json};

use crate::document::{Dataset, TestCase};
use crate::{DatasetRow, cases_of_rows};

fn template(value: &Value) -> TestCase {
    let mut case = json!({ "name": "cities", "live": true });
    case.as_object_mut().unwrap().extend(value.as_object().unwrap().clone());
    serde_json::from_value(case).unwrap()
}

fn expand(
    dataset: &Value,
    template_part: &Value,
    bytes: &[u8],
) -> Result<Vec<(TestCase, DatasetRow)>, Vec<String>> {
    let dataset: Dataset = serde_json::from_value(dataset.clone()).unwrap();
    cases_of_rows(&template(template_part), &dataset, bytes).map(|found| found.cases).map_err(|errors| {
        let shown = errors
            .into_iter()
            .map(|error| format!("{} {}: {}", error.line, error.diagnostic.code, error.diagnostic.message));
        shown.collect()
    })
}

fn csv(text: &str) -> Result<Vec<(TestCase, DatasetRow)>, Vec<String>> {
    expand(&json!({ "file": "a.csv" }), &json!({ "input": "{{question}}" }), text.as_bytes())
}

fn inputs(text: &str) -> Vec<String> {
    csv(text).unwrap().into_iter().map(|(case, _)| case.input.unwrap()).collect()
}

#[test]
fn rows_fill_inputs_answers_and_checks() {
    let template = json!({
        "input": "Where is {{city}}?",
        "set": { "ask": { "size": "{{size}}", "list": ["{{city}}", "about {{size}}"] } },
        "answers": [{ "value": "{{ city }}" }],
        "recording": "{{city}}.plait-recording",
        "checks": [
            { "contains": { "text": "{{country}}, {{size}}" } },
            { "equals": { "output": "out.value", "value": "{{size}}" } },
            { "maxTokens": 10 },
        ],
    });
    let text = "city,country,size\nRome,Italy,2.8\n";
    let mut found =
        expand(&json!({ "file": "a.csv", "id": "city", "json": ["size"] }), &template, text.as_bytes())
            .unwrap();
    let (case, row) = found.pop().unwrap();
    assert_eq!(
        serde_json::to_value(&case).unwrap(),
        json!({
            "name": "cities/Rome",
            "input": "Where is Rome?",
            "set": { "ask": { "size": 2.8, "list": ["Rome", "about 2.8"] } },
            "answers": [{ "value": "Rome" }],
            "recording": "Rome.plait-recording",
            "live": true,
            "checks": [
                { "contains": { "text": "Italy, 2.8" } },
                { "equals": { "output": "out.value", "value": 2.8 } },
                { "maxTokens": 10 },
            ],
        })
    );
    assert_eq!((row.dataset.as_str(), row.number), ("cities", 1));
    assert_eq!(Value::Object(row.columns), json!({ "city": "Rome", "country": "Italy", "size": 2.8 }));
}

#[test]
fn csv_is_read_as_other_programs_write_it() {
    assert_eq!(inputs("\u{feff}question,b\r\none,1\r\ntwo,2\r\n"), ["one", "two"]);
    assert_eq!(
        inputs("question,b\n\"two\nlines, \"\"quoted\"\"\",1\nnext,2"),
        ["two\nlines, \"quoted\"", "next"]
    );
    assert_eq!(inputs("question\n\n\none\n"), ["one"]);
    let tabs = expand(&json!({ "file": "a.TSV" }), &json!({ "input": "{{q}}" }), b"q\tb\nx, y\t1\n").unwrap();
    assert_eq!(tabs[0].0.input.as_deref(), Some("x, y"));
    let semicolons = json!({ "file": "a.csv", "separator": ";" });
    let found = expand(&semicolons, &json!({ "input": "{{q}}" }), b"q;b\n1,5;2\n").unwrap();
    assert_eq!(found[0].0.input.as_deref(), Some("1,5"));
    let limited = json!({ "file": "a.csv", "limit": 2 });
    let found = expand(&limited, &json!({ "input": "{{q}}" }), b"q\na\nb\nnot,whole\n").unwrap();
    assert_eq!(found.len(), 2, "rows behind the limit are not read");
}

#[test]
fn json_lines_keep_types_and_may_lack_columns() {
    let dataset = json!({ "file": "a.jsonl" });
    let text = "\u{feff}{\"q\": \"one\", \"n\": 1}\r\n\r\n{\"n\": {\"deep\": [1]}, \"q\": \"two\"}";
    let check = json!({ "input": "{{q}}: {{n}}", "checks": [{ "equals": { "value": "{{n}}" } }] });
    let found = expand(&dataset, &check, text.as_bytes()).unwrap();
    let (first, second) = (&found[0].0, &found[1].0);
    assert_eq!((first.name.as_str(), second.name.as_str()), ("cities/1", "cities/2"));
    assert_eq!(first.input.as_deref(), Some("one: 1"));
    assert_eq!(json!(first.checks), json!([{ "equals": { "value": 1 } }]));
    assert_eq!(json!(second.checks), json!([{ "equals": { "value": { "deep": [1] } } }]));
    let unused = expand(&dataset, &json!({ "input": "{{q}}" }), b"{\"q\":\"a\",\"extra\":1}\n{\"q\":\"b\"}");
    assert_eq!(unused.unwrap().len(), 2);
}

#[test]
fn bad_rows_are_named_by_their_lines() {
    let refused = |text: &str| csv(text).unwrap_err();
    assert_eq!(
        refused("question,b\n\none,1\n\ntwo\n"),
        ["5 suite.bad_row: The row has 1 cell, and the header 2 cells."]
    );
    assert_eq!(
        refused("question,b\n\"a\nb\",1\nx,y,z\nlast\n"),
        [
            "4 suite.bad_row: The row has 3 cells, and the header 2 cells.",
            "5 suite.bad_row: The row has 1 cell, and the header 2 cells."
        ]
    );
    assert_eq!(
        refused("question,b\none,1\ntwo,\"2\nthree,3\n"),
        ["3 suite.bad_row: A quote in this row has no end."]
    );
    assert_eq!(refused("question\none\n\""), ["3 suite.bad_row: A quote in this row has no end."]);
    assert_eq!(refused("question,\"b\n"), ["1 suite.bad_row: A quote in this line has no end."]);
    assert_eq!(refused("a,b,a\n1,2,3\n"), ["1 suite.bad_row: There are two columns `a`."]);
    assert_eq!(refused("a,,b\n1,2,3\n"), ["1 suite.bad_row: A column has no name."]);
    assert_eq!(
        refused("country\nItaly\n"),
        ["2 suite.unknown_column: The dataset has no column `question`."]
    );
    for empty in ["", "question\n", "\u{feff}\n\n"] {
        assert_eq!(refused(empty), ["1 suite.bad_dataset: The dataset has no rows."], "{empty:?}");
    }
    let utf16: Vec<u8> = "question\nä\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let found = expand(&json!({ "file": "a.csv" }), &json!({}), &[&[0xff, 0xfe][..], &utf16].concat());
    assert_eq!(found.unwrap_err(), ["1 suite.bad_row: This is no text in UTF-8."]);

    let lines = |text: &str| {
        expand(&json!({ "file": "a.jsonl" }), &json!({ "input": "{{q}}" }), text.as_bytes()).unwrap_err()
    };
    assert_eq!(lines("{\"q\":1}\n[1]\n"), ["2 suite.bad_row: This is no JSON object."]);
    assert_eq!(lines("{\"q\":1}\n{\"n\":1}\n"), ["2 suite.bad_row: The row has no `q`."]);
    assert!(lines("{\"q\":1}\n\n{\"q\": \n")[0].starts_with("3 suite.bad_row: This is not valid JSON"));
    assert!(lines("{\"q\":123456789012345678901234567890}")[0].contains("more than 64 bits"));

    let ids = |text: &str| {
        let dataset = json!({ "file": "a.csv", "id": "id" });
        expand(&dataset, &json!({}), text.as_bytes()).unwrap_err()
    };
    assert_eq!(ids("id,q\na,1\nb,2\na,3\n"), ["4 suite.duplicate_case: There are two rows `cities/a`."]);
    assert_eq!(ids("id,q\n ,1\n"), ["2 suite.bad_row: The cell that names the row is empty."]);
    let pattern = json!({ "checks": [{ "regex": { "pattern": "{{p}}" } }] });
    let found = expand(&json!({ "file": "a.csv" }), &pattern, b"p\n^a\n(\n").unwrap_err();
    assert!(found[0].starts_with("3 suite.bad_check: The check `regex` can't be used"), "{found:?}");
    let cell = expand(&json!({ "file": "a.csv", "json": ["n"] }), &json!({}), b"n\n1\none\n").unwrap_err();
    assert!(cell[0].starts_with("3 suite.bad_row: The cell of `n` is not valid JSON"), "{cell:?}");
    for (separator, why) in [("é", "no ASCII"), ("\"", "another meaning"), ("\n", "another meaning")] {
        let found = expand(&json!({ "file": "a.csv", "separator": separator }), &json!({}), "aéb".as_bytes());
        let found = found.unwrap_err().remove(0);
        assert!(found.starts_with("1 suite.bad_dataset") && found.contains(why), "{found}");
    }
    let name = expand(&json!({ "file": "a.xlsx" }), &json!({}), b"PK").unwrap_err();
    assert_eq!(name, ["0 suite.bad_dataset: The name of a dataset ends with .csv, .tsv or .jsonl."]);
    let many = format!("q\n{}", "a\n".repeat(crate::document::MAX_ROWS + 1));
    assert!(refused(&many)[0].starts_with("10002 suite.bad_dataset: The dataset has more than 10000 rows."));
}

/// Comparing each name with each other one would take minutes.
#[test]
fn a_wide_file_is_read_once() {
    let columns: Vec<String> = (0..100_000).map(|at| format!("c{at}")).collect();
    let text = format!("{}\n{}\n", columns.join(","), vec!["1"; columns.len()].join(","));
    let found =
        expand(&json!({ "file": "a.csv" }), &json!({ "input": "{{c99999}}" }), text.as_bytes()).unwrap();
    assert_eq!(found[0].0.input.as_deref(), Some("1"));
    let twice = format!("{},c0\n", columns.join(","));
    let refused = expand(&json!({ "file": "a.csv" }), &json!({}), twice.as_bytes()).unwrap_err();
    assert_eq!(refused, ["1 suite.bad_row: There are two columns `c0`."]);
}
