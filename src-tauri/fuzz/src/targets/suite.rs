//! Suites and their datasets. An input is the text of a suite and, after a zero byte, the file of its datasets.

use plait_suites::{cases_of_rows, read};

use super::{Handler, magnitude, parts};

pub(super) const SEEDS: &[&str] = &[
    "cases:\n  - name: a\n    dataset: { file: a.csv, id: q, json: [n] }\n    live: true\n    input: \"{{q}} and {{ n }}\"\n    checks:\n      - equals: { value: \"{{n}}\" }\n\0q,n\r\none,1\r\n\"two\nlines, \"\"quoted\"\"\",[2]\r\n",
    "{\"cases\": [{\"name\": \"a\", \"dataset\": {\"file\": \"a.jsonl\", \"limit\": 3}, \"live\": true, \"set\": {\"in\": {\"value\": \"{{q}}\"}}}]}\0\u{feff}{\"q\": \"one\"}\n\n{\"q\": {\"deep\": [1]}}\n",
    "cases:\n  - name: a\n    dataset: { file: a.csv, separator: \";\" }\n    live: true\n    checks:\n      - regex: { pattern: \"^{{q}}\" }\n\0q;n\n(;1\n",
    "cases:\n  - name: a\n    recording: a.plait-recording\n    checks:\n      - maxTokens: 3\n",
];
pub(super) const WORDS: &[&str] = &[
    "cases:",
    "name:",
    "dataset:",
    "file: a.csv",
    "file: a.tsv",
    "file: a.jsonl",
    "id:",
    "json:",
    "limit:",
    "live: true",
    "input:",
    "checks:",
    "{{",
    "}}",
    "\"",
    "\"\"",
    "\r\n",
    ",",
    ";",
    "\t",
];

pub(super) struct SuiteHandler;

impl Handler for SuiteHandler {
    fn handle(&mut self, input: &[u8]) -> anyhow::Result<String> {
        let (text, file) = parts(input);
        let suite = match read(&text, text.trim_start().starts_with('{')) {
            Ok(suite) => suite,
            Err(errors) => {
                return Ok(errors.first().map(|error| error.diagnostic.code.to_string()).unwrap_or_default());
            }
        };
        let datasets = suite.cases.iter().filter_map(|case| Some((case, case.dataset.as_ref()?)));
        let found =
            datasets.take(3).map(|(case, dataset)| match cases_of_rows(case, dataset, file.as_bytes()) {
                Ok(found) => format!("{} {}", found.columns.len(), magnitude(found.cases.len())),
                Err(errors) => {
                    errors.first().map(|error| error.diagnostic.code.to_string()).unwrap_or_default()
                }
            });
        Ok(found.collect::<Vec<_>>().join(", "))
    }
}
