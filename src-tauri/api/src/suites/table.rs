//! `suite.table` and `suite.export`: the results of a suite as a table.

use std::path::Path;

use plait_store::atomic_file;
use plait_suites::{DatasetRow, ResultRow, ResultTable, TestCase, variants};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use ts_rs::TS;

use super::results::{by_case, of_case};
use super::service::SuiteService;
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::codes;
use crate::command::Command;

/// `suite.table`: the newest results of a suite's cases, with the grades that people gave. Runs nothing. The errors of `suite.open`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct TabulateResults {
    /// The suite, an absolute path.
    pub file: String,
    /// Only the rows of the dataset of this case.
    #[serde(default)]
    #[ts(optional)]
    pub dataset: Option<String>,
}

impl Command for TabulateResults {
    const NAME: &'static str = "suite.table";
    type Service = SuiteService;
    type Reply = ResultTable;

    async fn run(self, service: &SuiteService) -> Result<ResultTable, ErrorReply> {
        let file = service.file(&self.file).await?;
        let kept = service.kept_results(&file).await?;
        let grades = service.grades(&file).await?;
        let registry = service.runs.registry();
        run_blocking(move || {
            let (suite, by_case) = (&file.suite, by_case(&kept));
            let subflows = if kept.is_empty() { Vec::new() } else { file.subflows(&registry) };
            let mut rows = Vec::new();
            for case in &suite.cases {
                let row = file.rows.get(&case.name);
                let dataset = row.map(|row| row.dataset.clone());
                if self.dataset.is_some() && self.dataset != dataset {
                    continue;
                }
                for variant in variants(suite, case) {
                    let is_known = by_case.contains_key(case.name.as_str());
                    let key = if is_known { file.key(case, &variant, &subflows) } else { String::new() };
                    let results = of_case(&by_case, case, &variant, &key);
                    for repeat in 0..suite.repeats_of(case) {
                        let result = results.iter().find(|result| result.repeat == repeat).copied();
                        let (grade, earlier) = grades.of_row(&case.name, &variant, repeat, result);
                        rows.push(ResultRow {
                            case: case.name.clone(),
                            variant: variant.clone(),
                            repeat,
                            dataset: dataset.clone(),
                            columns: columns_of(case, row),
                            result: result.map(|kept| kept.result.clone()),
                            grade,
                            earlier,
                        });
                    }
                }
            }
            Ok(ResultTable::of(rows, &file.columns))
        })
        .await
    }
}

/// The cells of a row; of another case, what it gives to the flow.
fn columns_of(case: &TestCase, row: Option<&DatasetRow>) -> Map<String, Value> {
    if let Some(row) = row {
        return row.columns.clone();
    }
    let input = case.input.iter().map(|input| ("input".to_owned(), Value::from(input.as_str())));
    let set = case.set.iter().flat_map(|(node, ports)| {
        ports.iter().map(move |(port, value)| (format!("{node}.{port}"), value.clone()))
    });
    input.chain(set).collect()
}

/// `suite.export`: writes the table of `suite.table` into a file, as JSON Lines if its name ends with `.jsonl`, else as CSV. Returns how
/// many rows it has. The errors of `suite.table`, `suite.not_exported`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct ExportResults {
    /// The suite, an absolute path.
    pub file: String,
    #[serde(default)]
    #[ts(optional)]
    pub dataset: Option<String>,
    /// An absolute path.
    pub to: String,
}

impl Command for ExportResults {
    const NAME: &'static str = "suite.export";
    type Service = SuiteService;
    type Reply = usize;

    async fn run(self, service: &SuiteService) -> Result<usize, ErrorReply> {
        let Self { file, dataset, to } = self;
        let table = TabulateResults { file, dataset }.run(service).await?;
        run_blocking(move || {
            let path = Path::new(&to);
            let refused = |problem: String| {
                ErrorReply::new(codes::SUITE_NOT_EXPORTED, format!("`{to}` can't be written: {problem}."))
                    .hint("Check the folder, your rights to it and the free space.")
            };
            let is_lines = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("jsonl"));
            let text = if is_lines { table.to_json_lines() } else { table.to_csv() };
            atomic_file::replace(path, text.map_err(refused)?.as_bytes())
                .map_err(|error| refused(error.to_string()))?;
            Ok(table.rows.len())
        })
        .await
    }
}
