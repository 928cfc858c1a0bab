use serde_json::json;

use crate::ResultTable;

/// What a spreadsheet reads is what was in the cells, line breaks and quotes included.
#[test]
fn table_is_written_as_csv_and_json_lines() {
    let row = |case: &str, columns: serde_json::Value| {
        json!({
            "case": case, "repeat": 1, "columns": columns,
            "result": {
                "failures": [{ "check": "contains", "message": "no “tea”" }],
                "outputs": { "out.value": "two\nlines, \"quoted\"", "out.list": [1, 2] },
                "tokens": { "input": 3, "output": 4 },
                "cost": { "nanoUsd": 1_500_000 },
                "durationMs": 20,
            },
            "grade": { "mark": 4.5, "note": "nearly", "at": 7 },
        })
    };
    let rows = json!([row("a/1", json!({ "q": "x", "case": "mine" })), { "case": "b", "repeat": 0, "columns": { "input": "y" } }]);
    let table = ResultTable::of(
        serde_json::from_value(rows).unwrap(),
        &["none".to_owned(), "q".to_owned(), "case".to_owned()],
    );
    let text = table.to_csv().unwrap();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    assert_eq!(
        header.join(" "),
        "case variant run q case_ input out.list out.value passed failures input_tokens output_tokens cost_usd duration_ms run_id grade note graded_at"
    );
    let rows: Vec<Vec<String>> =
        reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect();
    assert_eq!(
        rows[0],
        [
            "a/1",
            "",
            "2",
            "x",
            "mine",
            "",
            "[1,2]",
            "two\nlines, \"quoted\"",
            "false",
            "contains: no “tea”",
            "3",
            "4",
            "0.0015",
            "20",
            "",
            "4.5",
            "nearly",
            "7"
        ]
    );
    assert_eq!(rows[1], ["b", "", "1", "", "", "y", "", "", "", "", "", "", "", "", "", "", "", ""]);
    let lines: Vec<serde_json::Value> =
        table.to_json_lines().unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0]["grade"], json!({ "mark": 4.5, "note": "nearly", "at": 7 }));
}
