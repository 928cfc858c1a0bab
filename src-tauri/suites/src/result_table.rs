//! Results of a suite as a table, and the table as CSV and JSON Lines.

use std::collections::BTreeSet;

use plait_core::expression::as_text;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use ts_rs::TS;

use crate::{Grade, TestResult, Variant};

/// The columns of the CSV file around those of a dataset and the outputs.
const BEFORE: [&str; 3] = ["case", "variant", "run"];
const BEHIND: [&str; 10] = [
    "passed",
    "failures",
    "input_tokens",
    "output_tokens",
    "cost_usd",
    "duration_ms",
    "run_id",
    "grade",
    "note",
    "graded_at",
];

/// The results of a suite: a row for each time that a case runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
pub struct ResultTable {
    /// The columns of inputs, in order.
    pub columns: Vec<String>,
    /// The columns of outputs, `NODE.PORT`.
    pub outputs: Vec<String>,
    pub rows: Vec<ResultRow>,
}

/// One run of a case as one of its variants, or that it has not run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct ResultRow {
    pub case: String,
    #[serde(default, skip_serializing_if = "Variant::is_empty")]
    #[ts(optional, type = "Record<string, unknown>")]
    pub variant: Variant,
    /// Which of the repeats, from 0.
    pub repeat: u32,
    /// The case of the dataset that it is a row of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub dataset: Option<String>,
    /// The cells of the dataset's row; of another case, its inputs.
    #[ts(type = "Record<string, unknown>")]
    pub columns: Map<String, Value>,
    /// Nothing if it has not run as the case and the flow are now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub result: Option<TestResult>,
    /// The grade of this result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub grade: Option<Grade>,
    /// Grades of earlier results of it, the newest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<EarlierGrade>>")]
    pub earlier: Vec<EarlierGrade>,
}

/// A grade with the result that it is of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct EarlierGrade {
    pub grade: Grade,
    pub result: TestResult,
    /// Whether the result of the row has the same outputs.
    pub has_same_outputs: bool,
}

impl ResultTable {
    /// With the columns that the rows have; those in `order` come first, in that order.
    pub fn of(rows: Vec<ResultRow>, order: &[String]) -> Self {
        let names: BTreeSet<&String> = rows.iter().flat_map(|row| row.columns.keys()).collect();
        let ordered = order.iter().filter(|name| names.contains(name));
        let others = names.iter().copied().filter(|name| !order.contains(name));
        let columns = ordered.chain(others).cloned().collect();
        let results = rows.iter().filter_map(|row| row.result.as_ref());
        let outputs: BTreeSet<&String> = results.flat_map(|result| result.outputs.keys()).collect();
        let outputs = outputs.into_iter().cloned().collect();
        Self { columns, outputs, rows }
    }

    /// As CSV with a header. Values that are no texts are JSON; a cost that is not known is empty.
    pub fn to_csv(&self) -> Result<String, String> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let failed = |error: csv::Error| error.to_string();
        writer.write_record(self.header()).map_err(failed)?;
        for row in &self.rows {
            writer.write_record(self.record(row)).map_err(failed)?;
        }
        let bytes = writer.into_inner().map_err(|error| error.to_string())?;
        String::from_utf8(bytes).map_err(|error| error.to_string())
    }

    fn header(&self) -> Vec<String> {
        let fixed = || BEFORE.iter().chain(&BEHIND).map(|name| (*name).to_owned());
        let mut header: Vec<String> = BEFORE.iter().map(|name| (*name).to_owned()).collect();
        for name in self.columns.iter().chain(&self.outputs) {
            let mut name = name.clone();
            // Two columns of one name would read as one.
            while header.contains(&name) || fixed().any(|known| known == name) {
                name.push('_');
            }
            header.push(name);
        }
        header.extend(BEHIND.iter().map(|name| (*name).to_owned()));
        header
    }

    fn record(&self, row: &ResultRow) -> Vec<String> {
        let result = row.result.as_ref();
        let of = |text: fn(&TestResult) -> String| result.map(text).unwrap_or_default();
        let variant = if row.variant.is_empty() { String::new() } else { json!(row.variant).to_string() };
        let mut record = vec![row.case.clone(), variant, (row.repeat + 1).to_string()];
        record.extend(self.columns.iter().map(|name| row.columns.get(name).map(as_text).unwrap_or_default()));
        record.extend(
            self.outputs.iter().map(|name| {
                result.and_then(|result| result.outputs.get(name)).map(as_text).unwrap_or_default()
            }),
        );
        record.extend([
            of(|result| result.has_passed().to_string()),
            of(|result| result.failures.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")),
            of(|result| result.tokens.input.to_string()),
            of(|result| result.tokens.output.to_string()),
            of(|result| result.cost.usd().map(|cost| cost.to_string()).unwrap_or_default()),
            of(|result| result.duration_ms.to_string()),
            of(|result| result.run.as_ref().map(ToString::to_string).unwrap_or_default()),
        ]);
        let grade = row.grade.as_ref();
        record.extend([
            grade.map(|grade| grade.mark.to_string()).unwrap_or_default(),
            grade.and_then(|grade| grade.note.clone()).unwrap_or_default(),
            grade.map(|grade| grade.at.to_string()).unwrap_or_default(),
        ]);
        record
    }

    /// As JSON Lines: the rows with all that they have, earlier grades included.
    pub fn to_json_lines(&self) -> Result<String, String> {
        let lines = self.rows.iter().map(|row| serde_json::to_string(row).map(|line| line + "\n"));
        lines.collect::<Result<_, _>>().map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests;
