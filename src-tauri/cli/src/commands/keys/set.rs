//! `plait keys set`.
use std::io::{self, Read as _, Write as _};

use clap::Args;
use plait_api::keys::{KeyRetention, KeySource};
use plait_api::providers::{GetProviderStatus, ProviderStatus, ProvidersStatus, RemoveKey, SetKey};
use plait_api::{Connection, ErrorReply};
use secrecy::SecretString;
use secrecy::zeroize::Zeroizing;

use super::storage_name;
use crate::codes;
use crate::exit::CliError;
use crate::terminal::{is_interactive, print_error};

/// The longest key that is read, in bytes. Bounds the damage of a wrong file on standard input.
const MAX_KEY_BYTES: u64 = 64 << 10;

#[derive(Debug, Args)]
pub(super) struct SetArgs {
    /// Provider name.
    provider: String,
}

pub(super) async fn execute(app: &Connection, args: SetArgs) -> Result<(), CliError> {
    let SetArgs { provider } = args;
    // Fails before a person enters a key: removing one reports why the provider takes none.
    let status = app.call(GetProviderStatus {}).await?;
    if !status.providers.iter().any(|known| known.name == provider && known.takes_key) {
        app.call(RemoveKey { provider: provider.clone() }).await?;
    }
    let name = provider.clone();
    let key = tokio::task::spawn_blocking(move || read_secret(&format!("Key of {name}")))
        .await
        .unwrap_or_else(|error| Err(io::Error::other(error)))
        .map_err(|error| ErrorReply::new(codes::USAGE_INPUT, format!("Could not read the key: {error}.")))?;
    let set = SetKey { provider, key: key.into(), keep: KeyRetention::Stored };
    let ProviderStatus { name, key, .. } = app.call(set).await?;
    let ProvidersStatus { key_place, .. } = app.call(GetProviderStatus {}).await?;
    let storage =
        key.source.map_or_else(String::new, |source| format!(" in {}", storage_name(source, &key_place)));
    print_error(&format!("Stored the key of {name}{storage}.\n"));
    if key.source == Some(KeySource::File) && !key_place.passphrase {
        print_error(
            "  note: The file can be decrypted with `keys.secret` in the same directory. Set PLAIT_KEYS_PASSPHRASE to \
             encrypt it with a passphrase instead.\n",
        );
    }
    Ok(())
}

/// Reads a secret from a hidden prompt or, without a terminal, from standard input.
pub(crate) fn read_secret(prompt: &str) -> io::Result<SecretString> {
    if is_interactive() {
        let mut err = io::stderr();
        write!(err, "{prompt} (hidden): ")?;
        err.flush()?;
        return console::Term::stderr().read_secure_line().map(SecretString::from);
    }
    let mut text = Zeroizing::new(String::new());
    io::stdin().lock().take(MAX_KEY_BYTES).read_to_string(&mut text)?;
    Ok(SecretString::from(text.trim()))
}
