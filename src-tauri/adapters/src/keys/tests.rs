//! Session keys precede stored keys, which precede the environment, and no key is ever printed.

use keyring_core::mock;

use super::*;

/// A variable that Cargo sets for every test process, and its value.
const VARIABLE: (&str, &str) = ("CARGO_PKG_NAME", "plait-adapters");

fn secret(text: &str) -> SecretString {
    SecretString::from(text)
}

fn owner(provider: &str) -> KeyOwner {
    KeyOwner::new(provider, Some("https://api.example.com/v1"))
}

async fn lookup(keys: &KeyStore, provider: &str) -> Option<(String, KeySource)> {
    let found = keys.find(&owner(provider), Some(VARIABLE.0)).await.expect("found or not");
    found.map(|found| (found.key.expose_secret().to_owned(), found.source))
}

#[tokio::test]
async fn find_prefers_session_then_stored_then_environment() {
    let home = tempfile::tempdir().expect("folder");
    let stores = [KeyStore::in_file(home.path(), None), {
        let keychain = mock::Store::new().expect("made");
        KeyStore::in_keychain(home.path(), keychain)
    }];
    for (keys, source) in stores.into_iter().zip([KeySource::File, KeySource::Keychain]) {
        let is = |key: &str, source| Some((key.to_owned(), source));
        assert_eq!(lookup(&keys, "openai").await, is(VARIABLE.1, KeySource::Environment));
        keys.set(&owner("openai"), &secret(" stored-key\n"), KeyRetention::Stored).await.expect("stored");
        assert_eq!(lookup(&keys, "openai").await, is("stored-key", source));
        keys.set(&owner("openai"), &secret("session-key"), KeyRetention::Session).await.expect("set");
        assert_eq!(lookup(&keys, "openai").await, is("session-key", KeySource::Session));
        keys.set(&owner("openai"), &secret("newer-key"), KeyRetention::Stored).await.expect("stored");
        assert_eq!(lookup(&keys, "openai").await, is("newer-key", source));
        assert!(keys.remove(&owner("openai")).await.expect("removed"));
        assert_eq!(lookup(&keys, "openai").await, is(VARIABLE.1, KeySource::Environment));
        assert!(!keys.remove(&owner("openai")).await.expect("nothing there"));
    }
}

#[tokio::test]
async fn stored_keys_outlive_the_session() {
    let home = tempfile::tempdir().expect("folder");
    let keys = KeyStore::in_file(home.path(), None);
    keys.set(&owner("a"), &secret("stored-key"), KeyRetention::Stored).await.expect("stored");
    keys.set(&owner("b"), &secret("session-key"), KeyRetention::Session).await.expect("set");
    let again = KeyStore::in_file(home.path(), None);
    assert_eq!(again.find(&owner("a"), None).await.expect("read").expect("there").source, KeySource::File);
    assert_eq!(again.redaction().text("not stored-key!"), "not [key of a]!", "redacted once it was found");
    assert!(again.find(&owner("b"), None).await.expect("read").is_none());
    // A keychain that becomes available later does not hide them, and stores new keys.
    let keychain = mock::Store::new().expect("made");
    let with = KeyStore::in_keychain(home.path(), keychain);
    assert_eq!(with.find(&owner("a"), None).await.expect("read").expect("there").source, KeySource::File);
    with.set(&owner("a"), &secret("keychain-key"), KeyRetention::Stored).await.expect("stored");
    let file = || KeyStore::in_file(home.path(), None);
    assert!(file().find(&owner("a"), None).await.expect("read").is_none());
    // A key that is in both places, in the file from a time without a keychain, is removed from both.
    file().set(&owner("a"), &secret("file-key"), KeyRetention::Stored).await.expect("stored");
    assert!(with.remove(&owner("a")).await.expect("removed"));
    assert!(file().find(&owner("a"), None).await.expect("read").is_none());
}

#[tokio::test]
async fn find_reports_unreadable_storage_unless_there_is_a_session_key() {
    let home = tempfile::tempdir().expect("folder");
    std::fs::write(home.path().join("keys.sealed"), "not encrypted").expect("written");
    let keys = KeyStore::in_file(home.path(), None);
    let fault = keys.find(&owner("openai"), Some(VARIABLE.0)).await.expect_err("reported");
    assert_eq!(fault.code, "keys.damaged", "the environment may hold another key");
    keys.set(&owner("openai"), &secret("session-key"), KeyRetention::Session).await.expect("set");
    assert_eq!(lookup(&keys, "openai").await.expect("there").1, KeySource::Session);
    let newer = "sk-0123456789abcdef";
    assert_eq!(
        keys.set(&owner("openai"), &secret(newer), KeyRetention::Stored).await.expect_err("reported").code,
        "keys.damaged"
    );
    assert_eq!(keys.redaction().text(newer), "[key of openai]", "redacted before anything failed");
    assert_eq!(lookup(&keys, "openai").await.expect("still there").1, KeySource::Session);
    assert_eq!(keys.remove(&owner("openai")).await.expect_err("reported").code, "keys.damaged");
    assert!(keys.find(&owner("openai"), None).await.is_err(), "the session key is removed anyway");
}

#[tokio::test]
async fn set_rejects_invalid_keys_without_repeating_them() {
    let keys = KeyStore::in_memory();
    for wrong in ["", "  ", "two words", "two\nlines", "quoted\"", "schlüssel"] {
        let fault =
            keys.set(&owner("openai"), &secret(wrong), KeyRetention::Session).await.expect_err("refused");
        assert_eq!(fault.code, "keys.bad_key");
        assert!(wrong.trim().is_empty() || !format!("{fault:?}").contains(wrong), "{fault:?}");
    }
    assert_eq!(
        keys.set(&owner("openai"), &secret("k"), KeyRetention::Stored).await.expect_err("nowhere").code,
        "keys.nowhere"
    );
}

#[tokio::test]
async fn debug_output_contains_no_key() {
    let keys = KeyStore::in_memory();
    let key = "sk-0123456789abcdef";
    keys.set(&owner("openai"), &secret(key), KeyRetention::Session).await.expect("set");
    let found = keys.find(&owner("openai"), None).await.expect("read").expect("there");
    assert!(!format!("{found:?}").contains("0123"));
    assert_eq!(found.ending().as_deref(), Some("cdef"));
    let short = ResolvedKey::new(secret("short"), KeySource::Session);
    assert_eq!(short.ending(), None);
    assert_eq!(keys.redaction().text(&format!("not {key}!")), "not [key of openai]!");
}

#[tokio::test]
async fn key_of_one_host_is_not_found_for_another() {
    let home = tempfile::tempdir().expect("folder");
    for keys in [KeyStore::in_file(home.path(), None), KeyStore::in_memory()] {
        let retention =
            if keys.0.persistent.is_some() { KeyRetention::Stored } else { KeyRetention::Session };
        let at = |url: &str| KeyOwner::new("openai", Some(url));
        keys.set(&at("https://api.example.com/v1"), &secret("the-key-of-example"), retention)
            .await
            .expect("set");
        let found = async |url: &str| keys.find(&at(url), None).await.expect("read").is_some();
        assert!(found("https://api.example.com/v2").await, "another path is the same host");
        for other in
            ["https://example.com/v1", "http://api.example.com/v1", "https://api.example.com:8443/v1"]
        {
            assert!(!found(other).await, "{other}");
        }
    }
}

#[tokio::test]
async fn stored_keys_are_redacted_before_they_are_used() {
    let home = tempfile::tempdir().expect("folder");
    let key = "stored-and-not-used-yet";
    KeyStore::in_file(home.path(), None)
        .set(&owner("a"), &secret(key), KeyRetention::Stored)
        .await
        .expect("set");
    let again = KeyStore::in_file(home.path(), None);
    assert_eq!(again.redaction().text(key), key, "nothing was read yet");
    assert_eq!(again.redaction_with_stored_keys().await.text(key), "[key of a]");
    // The variable of a provider, with any name.
    again.set_owners([(owner("d"), Some(VARIABLE.0.to_owned()))].into());
    assert_eq!(again.redaction_with_stored_keys().await.text(VARIABLE.1), "[key of d]");
    // A keychain may ask for a password, so it is read silently only once it is unlocked.
    let keychain = mock::Store::new().expect("made");
    let first = KeyStore::in_keychain(home.path(), keychain.clone());
    for (provider, key) in [("b", "the-first-of-two-keys"), ("c", "the-second-of-two-keys")] {
        first.set(&owner(provider), &secret(key), KeyRetention::Stored).await.expect("set");
    }
    let again = KeyStore::in_keychain(home.path(), keychain);
    again.set_owners([(owner("b"), None), (owner("c"), None)].into());
    let second = "the-second-of-two-keys";
    assert_eq!(again.redaction_with_stored_keys().await.text(second), second);
    assert!(again.find(&owner("b"), None).await.expect("read").is_some());
    assert_eq!(again.redaction_with_stored_keys().await.text(second), "[key of c]");
}
