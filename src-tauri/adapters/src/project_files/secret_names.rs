//! Files that hold secrets by their name, in any case. The list follows what the tools that own these files document; it is no
//! promise that other files hold none.

use std::path::Path;

use crate::redaction::is_invisible;

/// Folders of keys and credentials. `.git` holds the addresses of remotes, often with a token.
const FOLDERS: &[&str] =
    &[".aws", ".azure", ".docker", ".git", ".gnupg", ".kube", ".password-store", ".ssh", "gcloud"];

/// Names of files.
const NAMES: &[&str] = &[
    ".dockercfg",
    ".dockerconfigjson",
    ".envrc",
    ".git-credentials",
    ".htpasswd",
    ".my.cnf",
    ".netrc",
    ".npmrc",
    ".pgpass",
    ".pypirc",
    ".terraformrc",
    ".vault-token",
    ".yarnrc.yml",
    "_netrc",
    "application_default_credentials.json",
    "credentials",
    "credentials.json",
    "credentials.toml",
    "id_dsa",
    "id_ecdsa",
    "id_ecdsa_sk",
    "id_ed25519",
    "id_ed25519_sk",
    "id_rsa",
    "keys.sealed",
    "keys.secret",
    "kubeconfig",
    "secrets.json",
    "secrets.toml",
    "secrets.yaml",
    "secrets.yml",
    "service-account.json",
    "service_account.json",
    "terraform.tfstate",
    "terraform.tfstate.backup",
];

/// Beginnings of names: variables, and the client secrets that Google hands out.
const BEGINNINGS: &[&str] = &["client_secret", ".env."];

/// Endings of names: private keys, key stores, variables, histories of shells.
const ENDINGS: &[&str] = &[
    ".env",
    ".jks",
    ".kdbx",
    ".key",
    ".keystore",
    ".p12",
    ".p8",
    ".pem",
    ".pfx",
    ".pkcs12",
    ".ppk",
    ".tfvars",
    "_history",
];

/// Endings of files that look like one of these and document it.
const EXAMPLES: &[&str] = &[".example", ".sample", ".template", ".dist"];

/// Whether a file of this path holds secrets by its name, or by that of a folder it is in.
pub(super) fn is_secret_name(path: &Path) -> bool {
    // Some file systems ignore invisible characters in names.
    let visible = |name: &str| name.chars().filter(|char| !is_invisible(*char)).collect::<String>();
    let mut parts: Vec<String> = path
        .components()
        .map(|part| part.as_os_str().to_string_lossy())
        .map(|name| visible(&name).to_lowercase())
        .collect();
    // Windows opens `name.` and `name::$DATA` as `name`.
    let Some(file) = parts.pop() else { return false };
    let file = file.split(':').next().unwrap_or_default().trim_end_matches(['.', ' ']);
    if parts.iter().any(|folder| FOLDERS.contains(&folder.as_str())) {
        return true;
    }
    !EXAMPLES.iter().any(|end| file.ends_with(end))
        && (NAMES.contains(&file)
            || BEGINNINGS.iter().any(|beginning| file.starts_with(beginning))
            || ENDINGS.iter().any(|ending| file.ends_with(ending)))
}
