//! `plait providers add`.

use std::io::Write as _;

use clap::Args;
use plait_api::providers::{ListPresets, ProviderPreset, ProviderSettings};
use plait_api::settings::{GetSettings, SetSettings};
use plait_api::{Connection, ErrorReply};

use super::fields::FieldArgs;
use crate::codes;
use crate::exit::{CliError, ExitStatus};
use crate::terminal::stdout;

#[derive(Debug, Args)]
#[command(after_help = "\
Without `--kind`, the ready-made settings of that name are used (`plait providers presets`); options change them. The key is \
no option: store it with `plait keys set NAME`, or name an environment variable with `--key-env`.

Examples:
  plait providers add groq
  plait providers add azure --url https://my-resource.openai.azure.com/openai/v1
  plait providers add second-groq --preset groq --key-env OTHER_GROQ_KEY
  plait providers add mine --kind openai-chat --url https://models.example.com/v1 --key-env MY_KEY")]
pub(super) struct AddArgs {
    /// Name of the provider, which flows use.
    name: String,
    /// Ready-made settings to begin with; by default those of the provider's name.
    #[arg(long, value_name = "PRESET", conflicts_with = "kind")]
    preset: Option<String>,
    #[command(flatten)]
    fields: FieldArgs,
    /// Replace a provider of the same name.
    #[arg(long)]
    replace: bool,
}

pub(super) async fn execute(app: &Connection, args: AddArgs) -> Result<ExitStatus, CliError> {
    let AddArgs { name, preset, fields, replace } = args;
    check_name(&name)?;
    let mut settings = app.call(GetSettings {}).await?;
    if settings.providers.contains_key(&name) && !replace {
        let message = format!("There is a provider `{name}` already.");
        return Err(ErrorReply::new(codes::PROVIDER_EXISTS, message)
            .hint(format!("Change it with `plait providers set {name}`, or replace it with --replace."))
            .into());
    }
    let presets = app.call(ListPresets {}).await?;
    let (mut provider, used) = match (fields.kind, preset) {
        (Some(kind), _) => (ProviderSettings::of(kind.into()), None),
        (None, preset) => {
            let preset = find_preset(&presets, preset.as_deref().unwrap_or(&name))?;
            (preset.settings.clone(), Some(preset))
        }
    };
    if let Some(word) = used.and_then(|used| used.placeholders().next().filter(|_| fields.url.is_none())) {
        let url = provider.base_url.unwrap_or_default();
        let message = format!(
            "The base URL of {} is your own: `{word}` in {url} has to be replaced.",
            used.map_or("", |used| &used.title)
        );
        return Err(ErrorReply::new(codes::PROVIDER_BAD_SETTINGS, message)
            .hint(format!("Give it with --url, such as --url {}", url.replace(word, &word.to_lowercase())))
            .into());
    }
    fields.apply(&mut provider);
    settings.providers.insert(name.clone(), provider.clone());
    app.call(SetSettings { settings }).await?;
    let mut out = stdout();
    writeln!(out, "Added {name} at {}.", provider.base_url.as_deref().unwrap_or_default())?;
    if let Some(note) = used.and_then(|used| used.note.as_deref()) {
        writeln!(out, "{note}")?;
    }
    if let Some(variables) = &provider.key_env {
        writeln!(out, "Store its key with `plait keys set {name}`, or set {variables}.")?;
    }
    writeln!(out, "Test it with `plait providers test {name}`.")?;
    Ok(ExitStatus::Success)
}

fn find_preset<'a>(presets: &'a [ProviderPreset], name: &str) -> Result<&'a ProviderPreset, ErrorReply> {
    presets.iter().find(|preset| preset.name == name).ok_or_else(|| {
        let names: Vec<&str> = presets.iter().map(|preset| preset.name.as_str()).collect();
        ErrorReply::new(codes::PROVIDER_UNKNOWN_PRESET, format!("There are no ready-made settings `{name}`."))
            .hint(format!("There are: {}. For another server give --kind and --url.", names.join(", ")))
    })
}

/// Flows, keys and the command line name a provider, so its name is a plain word.
fn check_name(name: &str) -> Result<(), ErrorReply> {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_' | '.');
    if !name.is_empty() && name.chars().all(is_plain) {
        return Ok(());
    }
    Err(ErrorReply::new(codes::PROVIDER_BAD_SETTINGS, format!("`{name}` is no name of a provider."))
        .hint("Use letters, digits, dots, dashes and underscores."))
}
