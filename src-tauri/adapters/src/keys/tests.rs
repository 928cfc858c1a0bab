//! Session before stored before environment, and no key in anything that is printed.

use keyring_core::mock;

use super::*;

/// A variable that every test process has, with its value.
const VARIABLE: (&str, &str) = ("CARGO_PKG_NAME", "plait-adapters");

fn secret(text: &str) -> SecretString {
    SecretString::from(text)
}

async fn found(keys: &KeyStore, provider: &str) -> Option<(String, KeySource)> {
    let found = keys.find(provider, Some(VARIABLE.0)).await.expect("found or not");
    found.map(|found| (found.key.expose_secret().to_owned(), found.source))
}

#[tokio::test]
async fn the_sessions_goes_before_the_stored_one_and_that_before_the_environments() {
    let home = tempfile::tempdir().expect("folder");
    let stores = [KeyStore::in_file(home.path(), None), {
        let keychain = mock::Store::new().expect("made");
        KeyStore::in_keychain(home.path(), keychain)
    }];
    for (keys, source) in stores.into_iter().zip([KeySource::File, KeySource::Keychain]) {
        let is = |key: &str, source| Some((key.to_owned(), source));
        assert_eq!(found(&keys, "openai").await, is(VARIABLE.1, KeySource::Environment));
        keys.set("openai", &secret(" stored-key\n"), Keep::Stored).await.expect("kept");
        assert_eq!(found(&keys, "openai").await, is("stored-key", source));
        keys.set("openai", &secret("session-key"), Keep::Session).await.expect("given");
        assert_eq!(found(&keys, "openai").await, is("session-key", KeySource::Session));
        keys.set("openai", &secret("newer-key"), Keep::Stored).await.expect("kept");
        assert_eq!(found(&keys, "openai").await, is("newer-key", source));
        assert!(keys.remove("openai").await.expect("removed"));
        assert_eq!(found(&keys, "openai").await, is(VARIABLE.1, KeySource::Environment));
        assert!(!keys.remove("openai").await.expect("nothing there"));
    }
}

#[tokio::test]
async fn stored_keys_outlive_the_process_and_the_sessions_do_not() {
    let home = tempfile::tempdir().expect("folder");
    let keys = KeyStore::in_file(home.path(), None);
    keys.set("a", &secret("stored-key"), Keep::Stored).await.expect("kept");
    keys.set("b", &secret("session-key"), Keep::Session).await.expect("given");
    let again = KeyStore::in_file(home.path(), None);
    assert_eq!(again.find("a", None).await.expect("read").expect("there").source, KeySource::File);
    assert_eq!(again.redaction().text("not stored-key!"), "not [key of a]!", "known once it was found");
    assert!(again.find("b", None).await.expect("read").is_none());
    // A keychain that has come since does not hide them, and takes over what is set from now on.
    let keychain = mock::Store::new().expect("made");
    let with = KeyStore::in_keychain(home.path(), keychain);
    assert_eq!(with.find("a", None).await.expect("read").expect("there").source, KeySource::File);
    with.set("a", &secret("keychain-key"), Keep::Stored).await.expect("kept");
    let file = || KeyStore::in_file(home.path(), None);
    assert!(file().find("a", None).await.expect("read").is_none());
    // One that stands in both places, the file's from a time without the keychain, is forgotten in both.
    file().set("a", &secret("file-key"), Keep::Stored).await.expect("kept");
    assert!(with.remove("a").await.expect("removed"));
    assert!(file().find("a", None).await.expect("read").is_none());
}

#[tokio::test]
async fn a_place_that_cannot_be_read_is_told_unless_the_session_has_a_key() {
    let home = tempfile::tempdir().expect("folder");
    std::fs::write(home.path().join("keys.sealed"), "not sealed").expect("written");
    let keys = KeyStore::in_file(home.path(), None);
    let fault = keys.find("openai", Some(VARIABLE.0)).await.expect_err("told");
    assert_eq!(fault.code, "keys.damaged", "the environment's might be another's");
    keys.set("openai", &secret("session-key"), Keep::Session).await.expect("given");
    assert_eq!(found(&keys, "openai").await.expect("there").1, KeySource::Session);
    let newer = "sk-0123456789abcdef";
    assert_eq!(
        keys.set("openai", &secret(newer), Keep::Stored).await.expect_err("told").code,
        "keys.damaged"
    );
    assert_eq!(keys.redaction().text(newer), "[key of openai]", "known before anything failed");
    assert_eq!(found(&keys, "openai").await.expect("still there").1, KeySource::Session);
    assert_eq!(keys.remove("openai").await.expect_err("told").code, "keys.damaged");
    assert!(keys.find("openai", None).await.is_err(), "the session's is forgotten all the same");
}

#[tokio::test]
async fn what_is_no_key_is_refused_without_repeating_it() {
    let keys = KeyStore::in_memory();
    for wrong in ["", "  ", "two words", "two\nlines", "quoted\"", "schlüssel"] {
        let fault = keys.set("openai", &secret(wrong), Keep::Session).await.expect_err("refused");
        assert_eq!(fault.code, "keys.bad_key");
        assert!(wrong.trim().is_empty() || !format!("{fault:?}").contains(wrong), "{fault:?}");
    }
    assert_eq!(
        keys.set("openai", &secret("k"), Keep::Stored).await.expect_err("nowhere").code,
        "keys.nowhere"
    );
}

#[tokio::test]
async fn nothing_prints_a_key() {
    let keys = KeyStore::in_memory();
    let key = "sk-0123456789abcdef";
    keys.set("openai", &secret(key), Keep::Session).await.expect("given");
    let found = keys.find("openai", None).await.expect("read").expect("there");
    assert!(!format!("{found:?}").contains("0123"));
    assert_eq!(found.ending().as_deref(), Some("cdef"));
    let short = FoundKey::new(secret("short"), KeySource::Session);
    assert_eq!(short.ending(), None);
    assert_eq!(keys.redaction().text(&format!("not {key}!")), "not [key of openai]!");
}
