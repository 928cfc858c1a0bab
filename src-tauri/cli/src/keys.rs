//! `plait keys`: sets, removes and lists the keys of providers. Shows none, and takes none from the command line.

use std::io::{self, Read as _, Write as _};
use std::path::Path;

use plait_api::keys::{Keep, KeyPlace, KeySource};
use plait_api::providers::{
    GetProviderStatus, KeyStatus, ProviderStatus, ProvidersStatus, RemoveKey, SetKey,
};
use plait_api::{ErrorReply, Options, Plait};
use secrecy::SecretString;
use secrecy::zeroize::Zeroizing;

use crate::args::{KeysArgs, KeysCommand};
use crate::failure::{Ending, Failure, say};
use crate::table::table;
use crate::terminal;

/// No key is longer; a file given by mistake is not read to its end.
const MAX_BYTES: u64 = 64 << 10;

pub(crate) async fn keys(home: &Path, args: KeysArgs) -> Result<Ending, Failure> {
    let app = Plait::open(Options::new(home))?;
    match args.command {
        KeysCommand::Set { provider } => set(&app, provider).await?,
        KeysCommand::Rm { provider } => remove(&app, provider).await?,
        KeysCommand::List { json } => list(&app.call(GetProviderStatus {}).await?, json)?,
    }
    app.close().await?;
    Ok(Ending::Finished)
}

async fn set(app: &Plait, provider: String) -> Result<(), Failure> {
    // Before anybody types a key in vain. What can take none has none to remove, and says which it is.
    let known = app.call(GetProviderStatus {}).await?;
    if !known.providers.iter().any(|one| one.name == provider && one.takes_key) {
        app.call(RemoveKey { provider: provider.clone() }).await?;
    }
    let name = provider.clone();
    let key = tokio::task::spawn_blocking(move || read(&name))
        .await
        .unwrap_or_else(|error| Err(io::Error::other(error)))
        .map_err(|error| ErrorReply::new("usage.input", format!("No key could be read: {error}.")))?;
    let set = SetKey { provider, key: key.into(), keep: Keep::Stored };
    let ProviderStatus { name, key, .. } = app.call(set).await?;
    let ProvidersStatus { key_place, .. } = app.call(GetProviderStatus {}).await?;
    let at = key.source.map_or_else(String::new, |source| format!(" in {}", stored(source, &key_place)));
    say(&format!("The key of {name} is kept{at}.\n"));
    if key.source == Some(KeySource::File) && !key_place.passphrase {
        say(
            "  note: `keys.secret` beside it opens that file. With a passphrase in PLAIT_KEYS_PASSPHRASE nothing else does.\n",
        );
    }
    Ok(())
}

/// The key: asked for without showing it where a person is there, else all of standard input.
fn read(provider: &str) -> io::Result<SecretString> {
    if terminal::is_interactive() {
        let mut err = io::stderr();
        write!(err, "Key of {provider} (it is not shown): ")?;
        err.flush()?;
        return console::Term::stderr().read_secure_line().map(SecretString::from);
    }
    let mut text = Zeroizing::new(String::new());
    io::stdin().lock().take(MAX_BYTES).read_to_string(&mut text)?;
    Ok(SecretString::from(text.trim()))
}

async fn remove(app: &Plait, providers: Vec<String>) -> Result<(), Failure> {
    let known = app.call(GetProviderStatus {}).await?;
    for provider in providers {
        let before = known.providers.iter().find(|one| one.name == provider).map(|one| one.key.source);
        let after = app.call(RemoveKey { provider: provider.clone() }).await?;
        let had_one = !matches!(before, Some(None | Some(KeySource::Environment)));
        say(&match (had_one, after.key.variable) {
            (true, None) => format!("The key of {provider} is removed.\n"),
            (true, Some(variable)) => {
                format!("The key of {provider} is removed; from now on it comes from {variable}.\n")
            }
            (false, None) => format!("There was no key of {provider}.\n"),
            (false, Some(variable)) => {
                format!(
                    "Plait keeps no key of {provider}; it comes from {variable}, which only you can change.\n"
                )
            }
        });
    }
    Ok(())
}

fn list(status: &ProvidersStatus, json: bool) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let with_key = status.providers.iter().filter(|one| one.takes_key);
    if json {
        let all: Vec<_> = with_key
            .map(|one| serde_json::json!({ "provider": one.name, "needsKey": one.needs_key, "key": one.key }))
            .collect();
        writeln!(out, "{}", serde_json::Value::Array(all))?;
        return Ok(());
    }
    let mut table = table(&["Provider", "Key", "From"]);
    for one in with_key {
        table.add_row([one.name.clone(), ending(&one.key), from(one, &status.key_place)]);
    }
    writeln!(out, "{}", table.trim_fmt())?;
    for fault in status.providers.iter().filter_map(|one| one.key.problem.as_ref()).take(1) {
        say(&crate::failure::error_text(&ErrorReply::from(fault.clone())));
    }
    Ok(())
}

fn ending(key: &KeyStatus) -> String {
    match (&key.source, &key.ending) {
        (None, _) => String::new(),
        (Some(_), Some(ending)) => format!("…{ending}"),
        (Some(_), None) => "set".to_owned(),
    }
}

/// Where a provider's key comes from, in words.
pub(crate) fn from(one: &ProviderStatus, place: &KeyPlace) -> String {
    match (&one.key.source, &one.key.problem) {
        (_, Some(fault)) => fault.code.clone(),
        (Some(KeySource::Environment), _) => one.key.variable.clone().unwrap_or_default(),
        (Some(source), _) => stored(*source, place),
        (None, _) if one.needs_key => {
            format!("none; looked for in {}", one.settings.key_env.as_deref().unwrap_or_default())
        }
        (None, _) if one.takes_key => "none, and none needed".to_owned(),
        (None, _) => String::new(),
    }
}

fn stored(source: KeySource, place: &KeyPlace) -> String {
    match source {
        KeySource::Session => "memory".to_owned(),
        KeySource::Keychain => "the keychain".to_owned(),
        KeySource::File => place.file.clone().unwrap_or_else(|| "the encrypted file".to_owned()),
        KeySource::Environment => "the environment".to_owned(),
    }
}
