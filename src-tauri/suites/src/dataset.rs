//! Datasets: files of rows, each of which is a case. Reads CSV with a header and JSON Lines, and fills the columns of a row into the case
//! that names the file. Every problem has its line.

use std::collections::BTreeSet;

use plait_core::diagnostic::Diagnostic;
use plait_core::error::ErrorCode;
use plait_core::exact_json;
use plait_core::expression::as_text;
use plait_core::flow::ReadError;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use ts_rs::TS;

use crate::codes;
use crate::document::{Dataset, MAX_ROWS, TestCase};
use crate::read::{MAX_NAME_CHARS, bad_checks};

/// The most problems of one dataset that are reported.
const MAX_PROBLEMS: usize = 20;
/// A record behind the last one. If it is not read as one, a quote before it has no end.
const SENTINEL: &str = "\u{1}end";
/// Keys of a case below which a cell keeps its type. Everywhere else it is a text.
const VALUE_KEYS: [&str; 5] = ["set", "value", "values", "arguments", "schema"];

/// A row, as the case that it became.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct DatasetRow {
    /// The name of the case that names the dataset.
    pub dataset: String,
    /// From 1, without the header.
    pub number: u32,
    /// The cells by column.
    #[ts(type = "Record<string, unknown>")]
    pub columns: Map<String, Value>,
}

/// The cases of a dataset's rows.
#[derive(Debug)]
pub struct DatasetCases {
    /// The columns, in the order of the file.
    pub columns: Vec<String>,
    pub cases: Vec<(TestCase, DatasetRow)>,
}

/// The cases of a dataset's rows, named `CASE/NUMBER`, or `CASE/ID` with a column `id`. There is at least one error, each with its line in the
/// dataset.
pub fn cases_of_rows(
    template: &TestCase,
    dataset: &Dataset,
    bytes: &[u8],
) -> Result<DatasetCases, Vec<ReadError>> {
    let table = Table::read(dataset, bytes).map_err(|error| vec![error])?;
    let (mut cases, mut problems) = (Vec::new(), Vec::new());
    let mut ids = BTreeSet::new();
    for (index, (line, row)) in table.rows.into_iter().enumerate() {
        let row = row.and_then(|columns| {
            let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
            let row = DatasetRow { dataset: template.name.clone(), number, columns };
            let case = case_of(template, dataset, &row, &table.columns, &mut ids)?;
            Ok((case, row))
        });
        match row {
            Ok(case) => cases.push(case),
            Err(problem) => {
                // A column that is not there lacks in every row.
                let is_of_all = problem.code == codes::SUITE_UNKNOWN_COLUMN;
                problems.push(problem.at(line));
                if is_of_all || problems.len() == MAX_PROBLEMS {
                    break;
                }
            }
        }
    }
    if problems.is_empty() { Ok(DatasetCases { columns: table.columns, cases }) } else { Err(problems) }
}

/// What is wrong with a row.
struct Problem {
    code: ErrorCode,
    message: String,
    hint: Option<String>,
}

impl Problem {
    fn of_row(message: impl Into<String>) -> Self {
        Self { code: codes::SUITE_BAD_ROW, message: message.into(), hint: None }
    }

    fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    fn at(self, line: usize) -> ReadError {
        let mut diagnostic = Diagnostic::error(self.code, "", self.message);
        diagnostic.hint = self.hint;
        ReadError { diagnostic: Box::new(diagnostic), line, column: 1 }
    }
}

type Cells = Map<String, Value>;

/// The rows with the lines at which they begin.
struct Table {
    columns: Vec<String>,
    rows: Vec<(usize, Result<Cells, Problem>)>,
}

impl Table {
    fn read(dataset: &Dataset, bytes: &[u8]) -> Result<Self, ReadError> {
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let before = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
            let line = before.matches('\n').count() + 1;
            Problem::of_row("This is no text in UTF-8.").hint("Save the file as UTF-8.").at(line)
        })?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let most = dataset.limit.map_or(MAX_ROWS + 1, |limit| limit as usize);
        let table = match &*dataset.extension() {
            "csv" => Self::of_csv(text, dataset, ',', most)?,
            "tsv" => Self::of_csv(text, dataset, '\t', most)?,
            _ if dataset.is_json_lines() => Self::of_lines(text, most),
            _ => {
                let message = "The name of a dataset ends with .csv, .tsv or .jsonl.";
                return Err(Problem {
                    code: codes::SUITE_BAD_DATASET,
                    message: message.to_owned(),
                    hint: None,
                }
                .at(0));
            }
        };
        if table.rows.is_empty() {
            let message = "The dataset has no rows.".to_owned();
            return Err(Problem { code: codes::SUITE_BAD_DATASET, message, hint: None }.at(1));
        }
        if table.rows.len() > MAX_ROWS {
            let message = format!("The dataset has more than {MAX_ROWS} rows.");
            let line = table.rows.last().map_or(0, |(line, _)| *line);
            return Err(Problem { code: codes::SUITE_BAD_DATASET, message, hint: None }
                .hint("Write `limit` beside `file`.")
                .at(line));
        }
        Ok(table)
    }

    fn of_csv(text: &str, dataset: &Dataset, separator: char, most: usize) -> Result<Self, ReadError> {
        let separator = dataset.separator.unwrap_or(separator);
        let delimiter = delimiter(separator).map_err(|problem| {
            let message = format!("`{}` can't separate cells: {problem}.", separator.escape_default());
            Problem { code: codes::SUITE_BAD_DATASET, message, hint: None }.at(1)
        })?;
        let text = format!("{text}\n{SENTINEL}");
        let mut reader =
            csv::ReaderBuilder::new().delimiter(delimiter).flexible(true).from_reader(text.as_bytes());
        let header = reader.headers().map_err(|error| Problem::of_row(format!("{error}.")).at(1))?.clone();
        if header.iter().eq([SENTINEL]) {
            return Ok(Self { columns: Vec::new(), rows: Vec::new() });
        }
        let columns: Vec<String> = header.iter().map(|name| name.trim().to_owned()).collect();
        let mut names = BTreeSet::new();
        for name in &columns {
            let problem = match name.as_str() {
                "" => "A column has no name.".to_owned(),
                name if name.contains(SENTINEL) => "A quote in this line has no end.".to_owned(),
                name if !names.insert(name) => format!("There are two columns `{name}`."),
                _ => continue,
            };
            return Err(Problem::of_row(problem).at(1));
        }
        let unknown = dataset.json.iter().find(|name| !columns.contains(name));
        if let Some(name) = unknown {
            return Err(unknown_column(name, &columns).at(1));
        }
        let mut rows = Vec::new();
        for record in reader.records() {
            let record = record.map_err(|error| Problem::of_row(format!("{error}.")).at(0))?;
            let line = record.position().map_or(0, |place| line_of(&text, place));
            if record.iter().eq([SENTINEL]) || rows.len() == most {
                break;
            }
            rows.push((line, cells_of(&record, &columns, dataset)));
        }
        Ok(Self { columns, rows })
    }

    fn of_lines(text: &str, most: usize) -> Self {
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let (mut columns, mut known) = (Vec::new(), BTreeSet::new());
        let mut rows = Vec::new();
        for (index, line) in lines.take(most) {
            let row = match exact_json::parse(line) {
                Ok(Value::Object(cells)) => {
                    columns.extend(cells.keys().filter(|name| known.insert((*name).clone())).cloned());
                    Ok(cells)
                }
                Ok(_) => Err(Problem::of_row("This is no JSON object.")
                    .hint("Each line of a JSONL file is an object: {\"question\": \"…\"}.")),
                Err(error) => Err(Problem::of_row(format!("This is not valid JSON: {error}."))),
            };
            rows.push((index + 1, row));
        }
        Self { columns, rows }
    }
}

fn delimiter(separator: char) -> Result<u8, &'static str> {
    match u8::try_from(separator) {
        Ok(b'"' | b'\r' | b'\n') => Err("it has another meaning in CSV"),
        Ok(byte) if byte.is_ascii() => Ok(byte),
        _ => Err("it is no ASCII character"),
    }
}

/// The line at which a record begins. The reader's place of it is before empty lines.
fn line_of(text: &str, place: &csv::Position) -> usize {
    let at = usize::try_from(place.byte()).unwrap_or(usize::MAX);
    let empty = text.as_bytes().iter().skip(at).take_while(|byte| matches!(byte, b'\r' | b'\n'));
    let empty = empty.filter(|byte| **byte == b'\n').count();
    usize::try_from(place.line()).unwrap_or(usize::MAX).saturating_add(empty)
}

fn cells_of(record: &csv::StringRecord, columns: &[String], dataset: &Dataset) -> Result<Cells, Problem> {
    if record.iter().any(|cell| cell.ends_with(SENTINEL)) {
        return Err(Problem::of_row("A quote in this row has no end."));
    }
    if record.len() != columns.len() {
        let message =
            format!("The row has {}, and the header {}.", counted(record.len()), counted(columns.len()));
        return Err(Problem::of_row(message).hint("Put cells with separators or line breaks in quotes."));
    }
    let cells = record.iter().zip(columns).map(|(cell, column)| {
        let value = if !dataset.json.contains(column) {
            Value::from(cell)
        } else if cell.trim().is_empty() {
            Value::Null
        } else {
            exact_json::parse(cell).map_err(|error| {
                Problem::of_row(format!("The cell of `{column}` is not valid JSON: {error}."))
            })?
        };
        Ok((column.clone(), value))
    });
    cells.collect()
}

fn counted(cells: usize) -> String {
    if cells == 1 { "1 cell".to_owned() } else { format!("{cells} cells") }
}

/// The case of a row: the template with the row's cells in the place of `{{column}}`.
fn case_of(
    template: &TestCase,
    dataset: &Dataset,
    row: &DatasetRow,
    columns: &[String],
    ids: &mut BTreeSet<String>,
) -> Result<TestCase, Problem> {
    let id = match &dataset.id {
        None => row.number.to_string(),
        Some(column) => as_text(cell(column, &row.columns, columns)?).trim().to_owned(),
    };
    if id.is_empty() {
        return Err(Problem::of_row("The cell that names the row is empty."));
    }
    let name = format!("{}/{id}", template.name);
    if name.chars().count() > MAX_NAME_CHARS {
        return Err(Problem::of_row(format!(
            "The name of the row has more than {MAX_NAME_CHARS} characters."
        )));
    }
    if !ids.insert(id) {
        return Err(Problem {
            code: codes::SUITE_DUPLICATE_CASE,
            message: format!("There are two rows `{name}`."),
            hint: None,
        });
    }
    let unreadable = |error: serde_json::Error| Problem::of_row(format!("{error}."));
    let written = TestCase { name: String::new(), dataset: None, ..template.clone() };
    let mut filled = serde_json::to_value(written).map_err(unreadable)?;
    fill(&mut filled, &row.columns, columns, false)?;
    let case = TestCase { name, ..serde_json::from_value(filled).map_err(unreadable)? };
    match bad_checks(&case.checks).into_iter().next() {
        None => Ok(case),
        Some((_, message)) => Err(Problem { code: codes::SUITE_BAD_CHECK, message, hint: None }),
    }
}

fn cell<'r>(column: &str, row: &'r Cells, columns: &[String]) -> Result<&'r Value, Problem> {
    row.get(column).ok_or_else(|| {
        if columns.iter().any(|known| known == column) {
            Problem::of_row(format!("The row has no `{column}`."))
        } else {
            unknown_column(column, columns)
        }
    })
}

fn unknown_column(column: &str, columns: &[String]) -> Problem {
    let problem = Problem {
        code: codes::SUITE_UNKNOWN_COLUMN,
        message: format!("The dataset has no column `{column}`."),
        hint: None,
    };
    problem.hint(format!("It has: {}.", columns.join(", ")))
}

/// Puts cells in the place of `{{column}}`. A text that is nothing else becomes the cell itself where any value can stand.
fn fill(value: &mut Value, row: &Cells, columns: &[String], keeps_types: bool) -> Result<(), Problem> {
    match value {
        Value::String(text) => {
            if let Some(filled) = filled(text, row, columns, keeps_types)? {
                *value = filled;
            }
            Ok(())
        }
        Value::Array(items) => items.iter_mut().try_for_each(|item| fill(item, row, columns, keeps_types)),
        Value::Object(fields) => fields.iter_mut().try_for_each(|(key, field)| {
            fill(field, row, columns, keeps_types || VALUE_KEYS.contains(&key.as_str()))
        }),
        _ => Ok(()),
    }
}

/// Nothing for a text without columns.
fn filled(text: &str, row: &Cells, columns: &[String], keeps_types: bool) -> Result<Option<Value>, Problem> {
    let mut made = String::new();
    let mut rest = text;
    while let Some((before, (column, after))) =
        rest.split_once("{{").and_then(|(before, behind)| Some((before, behind.split_once("}}")?)))
    {
        let cell = cell(column.trim(), row, columns)?;
        if keeps_types && rest.len() == text.len() && before.trim().is_empty() && after.trim().is_empty() {
            return Ok(Some(cell.clone()));
        }
        made.push_str(before);
        made.push_str(&as_text(cell));
        rest = after;
    }
    Ok((rest.len() < text.len()).then(|| Value::from(made + rest)))
}

#[cfg(test)]
mod tests;
