//! Keys stored in the encrypted file can be read back, and no failure loses them.

use proptest::prelude::*;

use super::*;

fn secret(text: &str) -> SecretString {
    SecretString::from(text)
}

fn expose(found: Option<SecretString>) -> Option<String> {
    found.map(|key| key.expose_secret().to_owned())
}

fn code<T>(result: Result<T, Fault>) -> String {
    let fault = result.err().expect("a fault");
    assert!(fault.hint.is_some(), "{fault} has a hint");
    fault.code.to_string()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn encrypted_file_round_trips(keys in proptest::collection::btree_map(".{0,12}", ".{0,40}", 0..5)) {
        let home = tempfile::tempdir().expect("folder");
        for (name, key) in &keys {
            EncryptedFile::new(home.path(), None).set(name, &secret(key)).expect("stored");
        }
        let file = EncryptedFile::new(home.path(), None);
        for (name, key) in &keys {
            prop_assert_eq!(expose(file.get(name).expect("read")), Some(key.clone()));
            prop_assert!(file.remove(name).expect("removed"));
            prop_assert_eq!(expose(file.get(name).expect("read")), None);
        }
    }
}

#[test]
fn encrypted_file_is_created_by_the_first_key() {
    let home = tempfile::tempdir().expect("folder");
    let file = EncryptedFile::new(home.path(), None);
    assert_eq!(expose(file.get("openai").expect("nothing")), None);
    assert!(!file.remove("openai").expect("nothing"));
    assert_eq!(fs::read_dir(home.path()).expect("folder").count(), 0);
    let nowhere = home.path().join("new/home");
    EncryptedFile::new(&nowhere, None).set("openai", &secret("k")).expect("stored");
    assert_eq!(
        expose(EncryptedFile::new(&nowhere, None).get("openai").expect("stored")).as_deref(),
        Some("k")
    );
}

#[cfg(unix)]
#[test]
fn encrypted_file_is_readable_by_its_owner_only() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = tempfile::tempdir().expect("folder");
    let file = EncryptedFile::new(home.path(), None);
    file.set("openai", &secret("sk-0123456789")).expect("stored");
    let mode = |name: &str| fs::metadata(home.path().join(name)).expect("there").permissions().mode() & 0o777;
    assert_eq!((mode("keys.sealed"), mode("keys.secret")), (0o600, 0o600));
    fs::set_permissions(home.path().join("keys.secret"), fs::Permissions::from_mode(0o644))
        .expect("opened up");
    file.get("openai").expect("read");
    assert_eq!(mode("keys.secret"), 0o600, "restricted again");
}

#[test]
fn encrypted_file_that_cannot_be_decrypted_is_kept() {
    let home = tempfile::tempdir().expect("folder");
    let (sealed, key_file) = (home.path().join("keys.sealed"), home.path().join("keys.secret"));
    let file = EncryptedFile::new(home.path(), None);
    file.set("openai", &secret("sk-0123456789")).expect("stored");
    let whole = fs::read(&sealed).expect("there");
    let check_damaged = |bytes: &[u8], expected: &[&str]| {
        fs::write(&sealed, bytes).expect("written");
        let codes = [
            code(file.get("openai")),
            code(file.set("other", &secret("k"))),
            code(file.remove("openai").map(|_| ())),
        ];
        assert!(codes.iter().all(|code| expected.contains(&code.as_str())), "{codes:?}");
        assert_eq!(fs::read(&sealed).expect("there"), bytes, "the file is unchanged");
    };
    for length in [0, 1, 9, 49, 50, 60, whole.len() - 1] {
        check_damaged(&whole[..length], &["keys.damaged"]);
    }
    for bit in (0..whole.len() * 8).step_by(3) {
        let mut changed = whole.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        check_damaged(&changed, &["keys.damaged", "keys.newer", "keys.passphrase_missing"]);
    }
    fs::write(&sealed, &whole).expect("written");
    let key = fs::read(&key_file).expect("there");
    fs::write(&key_file, &key[1..]).expect("written");
    assert_eq!(code(file.get("openai")), "keys.damaged");
    fs::remove_file(&key_file).expect("removed");
    assert_eq!(code(file.get("openai")), "keys.secret_missing");
    fs::write(&key_file, &key).expect("written");
    assert_eq!(expose(file.get("openai").expect("whole again")).as_deref(), Some("sk-0123456789"));
}

#[test]
fn passphrase_replaces_the_key_file() {
    let home = tempfile::tempdir().expect("folder");
    let plain = EncryptedFile::new(home.path(), None);
    plain.set("openai", &secret("sk-0123456789")).expect("stored");
    let locked = EncryptedFile::new(home.path(), Some(secret("correct horse")));
    assert_eq!(expose(locked.get("openai").expect("by the key file")).as_deref(), Some("sk-0123456789"));
    locked.set("other", &secret("k-0123456789")).expect("encrypted again");
    assert!(!home.path().join("keys.secret").exists(), "it decrypts nothing anymore");
    assert_eq!(expose(locked.get("openai").expect("by the passphrase")).as_deref(), Some("sk-0123456789"));
    assert_eq!(code(plain.get("openai")), "keys.passphrase_missing");
    assert_eq!(code(plain.set("openai", &secret("k"))), "keys.passphrase_missing");
    let wrong = EncryptedFile::new(home.path(), Some(secret("wrong")));
    assert_eq!(code(wrong.set("openai", &secret("k"))), "keys.wrong_passphrase");
    assert_eq!(expose(locked.get("openai").expect("stored")).as_deref(), Some("sk-0123456789"));
}

#[cfg(unix)]
#[test]
fn encrypted_file_reports_an_unwritable_folder() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = tempfile::tempdir().expect("folder");
    // A link that leads nowhere: no folder can be made in its place.
    std::os::unix::fs::symlink(home.path().join("missing"), home.path().join("link")).expect("linked");
    let file = EncryptedFile::new(&home.path().join("link"), None);
    assert_eq!(code(file.set("openai", &secret("k"))), "keys.unwritable");
    let existing = EncryptedFile::new(home.path(), None);
    existing.set("openai", &secret("first")).expect("stored");
    // A read-only file, because folder permissions do not restrict root.
    fs::set_permissions(home.path().join("keys.sealed"), fs::Permissions::from_mode(0o400)).expect("shut");
    assert_eq!(code(existing.set("openai", &secret("second"))), "keys.unwritable");
    assert_eq!(expose(existing.get("openai").expect("stored")).as_deref(), Some("first"));
}
