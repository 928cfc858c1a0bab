//! `plait providers`: lists and tests the model providers.

use std::io::{self, Write as _};
use std::path::Path;

use plait_api::providers::FoundServer;
use plait_api::providers::{
    DetectProviders, GetProviderStatus, ListModels, ProvidersStatus, TestProvider, TestReport, Tested,
};
use plait_api::{ErrorReply, Options, Plait};

use crate::args::{ProvidersArgs, ProvidersCommand};
use crate::failure::{Ending, Failure, error_text, say};
use crate::keys;
use crate::table::{duration, table};

pub(crate) async fn providers(home: &Path, args: ProvidersArgs) -> Result<Ending, Failure> {
    let app = Plait::open(Options::new(home))?;
    let ending = match args.command {
        ProvidersCommand::List { json } => {
            let found = app.call(DetectProviders {}).await?;
            list(&app.call(GetProviderStatus {}).await?, &found, json)?;
            Ending::Finished
        }
        ProvidersCommand::Test { provider, model, json } => {
            let report = app.call(TestProvider { provider: provider.clone(), model: model.clone() }).await?;
            tell(&provider, model.as_deref(), &report, json)?
        }
        ProvidersCommand::Models { provider, json } => {
            let models = app.call(ListModels { provider, refresh: false }).await?.models;
            let mut out = io::stdout().lock();
            if json {
                writeln!(out, "{}", serde_json::json!(models))?;
            } else {
                models.iter().try_for_each(|model| writeln!(out, "{model}"))?;
            }
            Ending::Finished
        }
    };
    app.close().await?;
    Ok(ending)
}

fn list(status: &ProvidersStatus, found: &[FoundServer], json: bool) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    if json {
        writeln!(out, "{}", serde_json::json!({ "providers": status.providers, "found": found }))?;
        return Ok(());
    }
    let mut table = table(&["Provider", "Where", "Key from", ""]);
    for one in &status.providers {
        let running = found.iter().find(|server| server.providers.contains(&one.name));
        table.add_row([
            one.name.clone(),
            one.settings.base_url.clone().unwrap_or_else(|| "a simulator; no key, no network".to_owned()),
            keys::from(one, &status.key_place),
            running
                .map(|server| format!("running: {}, {}", server.software, count(&server.models)))
                .unwrap_or_default(),
        ]);
    }
    writeln!(out, "{}", table.trim_fmt())?;
    for server in found.iter().filter(|server| server.providers.is_empty()) {
        let at = server.settings.base_url.as_deref().unwrap_or_default();
        say(&format!(
            "{} runs at {at} ({}), and no provider leads there.\n",
            server.software,
            count(&server.models)
        ));
    }
    Ok(())
}

fn tell(provider: &str, model: Option<&str>, report: &TestReport, json: bool) -> Result<Ending, Failure> {
    let ending = if report.fault.is_none() { Ending::Finished } else { Ending::Failed };
    let mut out = io::stdout().lock();
    if json {
        let text = serde_json::to_string(report).map_err(|error| {
            ErrorReply::new("output.failed", format!("The outcome could not be written: {error}."))
        })?;
        writeln!(out, "{text}")?;
        return Ok(ending);
    }
    let took = duration(report.took_ms);
    match &report.fault {
        Some(fault) => say(&error_text(&ErrorReply::from(fault.clone()))),
        None => match report.tested {
            Tested::Models => {
                let models = report.models.as_deref().unwrap_or_default();
                writeln!(out, "{provider} answers: {}, after {took}.", count(models))?;
            }
            Tested::Call => {
                writeln!(out, "{provider} answers with {}, after {took}.", model.unwrap_or_default())?;
            }
        },
    }
    Ok(ending)
}

fn count(models: &[String]) -> String {
    match models.len() {
        1 => "1 model".to_owned(),
        other => format!("{other} models"),
    }
}
