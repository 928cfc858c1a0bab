//! `plait models`: windows and prices of models that differ from the built-in tables.

use std::io::Write as _;
use std::num::NonZeroU32;

use clap::{Args, Subcommand};
use plait_api::settings::{GetSettings, SetSettings};
use plait_api::{Connection, ErrorReply};
use plait_llm::models::{ModelOverride, Price};

use crate::codes;
use crate::exit::{CliError, ExitStatus};
use crate::format::to_json;
use crate::open_app::{self, Home};
use crate::terminal::{print_error, stdout};

#[derive(Debug, Args)]
#[command(after_help = "\
A model is named as PROVIDER/MODEL or, for every provider, MODEL. What is not set comes from the built-in tables. Prices are US dollars per \
million tokens; 0 is free.

Examples:
  plait models list
  plait models set vllm/my-model --window 32768 --input 0 --output 0
  plait models unset vllm/my-model")]
pub(crate) struct ModelsArgs {
    #[command(subcommand)]
    command: ModelsCommand,
}

#[derive(Debug, Subcommand)]
enum ModelsCommand {
    /// List the models that have settings.
    List(ListArgs),
    /// Set a model's window or price.
    Set(SetArgs),
    /// Remove the settings of models.
    Unset(UnsetArgs),
}

#[derive(Debug, Args)]
struct ListArgs {
    /// Print the settings as JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct SetArgs {
    /// PROVIDER/MODEL or MODEL.
    name: String,
    /// Window in tokens of prompt and reply together.
    #[arg(long, value_name = "TOKENS")]
    window: Option<NonZeroU32>,
    /// Price of input; with `--output`.
    #[arg(long, value_name = "USD")]
    input: Option<f64>,
    /// Price of output; with `--input`.
    #[arg(long, value_name = "USD")]
    output: Option<f64>,
    /// Price of input that the provider had cached; without it, that of input.
    #[arg(long, value_name = "USD")]
    cached_input: Option<f64>,
    /// Price of input that the provider puts into its cache; without it, that of input.
    #[arg(long, value_name = "USD")]
    cache_write: Option<f64>,
    /// Whether the model takes a single prompt, and no messages before it.
    #[arg(long, value_name = "BOOL")]
    prompt_only: Option<bool>,
}

#[derive(Debug, Args)]
struct UnsetArgs {
    /// The models, as they were set.
    #[arg(required = true)]
    names: Vec<String>,
}

pub(crate) async fn execute(home: &Home, args: ModelsArgs) -> Result<ExitStatus, CliError> {
    let app = open_app::for_writing(home).await?;
    let result = match args.command {
        ModelsCommand::List(args) => list(&app, &args).await,
        ModelsCommand::Set(args) => set(&app, args).await,
        ModelsCommand::Unset(args) => unset(&app, &args).await,
    };
    app.close().await?;
    result.map(|()| ExitStatus::Success)
}

async fn list(app: &Connection, args: &ListArgs) -> Result<(), CliError> {
    let models = app.call(GetSettings {}).await?.models;
    let mut out = stdout();
    if args.json {
        writeln!(out, "{}", to_json(&models)?)?;
        return Ok(());
    }
    if models.is_empty() {
        print_error("No model has settings.\n");
    }
    for (name, model) in &models {
        writeln!(out, "{name}  {}", summary(model))?;
    }
    Ok(())
}

fn summary(model: &ModelOverride) -> String {
    let window = model.context_window.map(|window| format!("window {window}"));
    let price = model.price.as_ref().map(|price| {
        let Price { input, output, cached_input, cache_write, .. } = price;
        let further = [("cached input", cached_input), ("cache write", cache_write)];
        let further = further.into_iter().filter_map(|(name, usd)| Some(format!(", {name} ${}", (*usd)?)));
        format!("input ${input}, output ${output}{}", further.collect::<String>())
    });
    let prompt_only = model.prompt_only.then(|| "prompt only".to_owned());
    window.into_iter().chain(price).chain(prompt_only).collect::<Vec<_>>().join(", ")
}

async fn set(app: &Connection, args: SetArgs) -> Result<(), CliError> {
    let mut settings = app.call(GetSettings {}).await?;
    let mut model = settings.models.remove(&args.name).unwrap_or_default();
    let before = model.clone();
    model.context_window = args.window.or(model.context_window);
    model.prompt_only = args.prompt_only.unwrap_or(model.prompt_only);
    model.price = price(model.price.take(), &args)?;
    if model == before {
        let message = format!("Nothing of `{}` was changed.", args.name);
        return Err(ErrorReply::new(codes::SETTINGS_BAD_VALUE, message)
            .hint("Give what to set: `plait models set --help` lists it.")
            .into());
    }
    let line = format!("{}  {}", args.name, summary(&model));
    settings.models.insert(args.name, model);
    app.call(SetSettings { settings }).await?;
    writeln!(stdout(), "{line}")?;
    Ok(())
}

/// The price, changed by the arguments.
fn price(set: Option<Price>, args: &SetArgs) -> Result<Option<Price>, CliError> {
    let changes = [args.input, args.output, args.cached_input, args.cache_write];
    if changes.iter().all(Option::is_none) {
        return Ok(set);
    }
    let input = args.input.or(set.as_ref().map(|price| price.input));
    let output = args.output.or(set.as_ref().map(|price| price.output));
    let (Some(input), Some(output)) = (input, output) else {
        let message = format!("The price of `{}` needs `--input` and `--output`.", args.name);
        return Err(ErrorReply::new(codes::SETTINGS_PRICE, message)
            .hint("Both are US dollars per million tokens; 0 is free.")
            .into());
    };
    let set = set.unwrap_or_default();
    Ok(Some(Price {
        input,
        output,
        cached_input: args.cached_input.or(set.cached_input),
        cache_write: args.cache_write.or(set.cache_write),
        above: set.above,
    }))
}

async fn unset(app: &Connection, args: &UnsetArgs) -> Result<(), CliError> {
    let mut settings = app.call(GetSettings {}).await?;
    for name in &args.names {
        if settings.models.remove(name).is_none() {
            let names: Vec<&str> = settings.models.keys().map(String::as_str).collect();
            let hint = if names.is_empty() {
                "No model has settings.".to_owned()
            } else {
                format!("There are settings of: {}.", names.join(", "))
            };
            let message = format!("The model `{name}` has no settings.");
            return Err(ErrorReply::new(codes::SETTINGS_BAD_VALUE, message).hint(hint).into());
        }
    }
    app.call(SetSettings { settings }).await?;
    args.names.iter().try_for_each(|name| writeln!(stdout(), "Removed the settings of {name}."))?;
    Ok(())
}
