use super::*;
use keyring_core::mock;

fn keychains() -> (Keychain, Keychain) {
    let store = mock::Store::new().expect("made");
    (Keychain::new(store.clone(), Path::new("/one")), Keychain::new(store, Path::new("/two")))
}

#[test]
fn keychain_separates_data_directories() {
    let (one, two) = keychains();
    one.set("openai", &SecretString::from("sk-1")).expect("stored");
    assert_eq!(one.get("openai").expect("read").expect("there").expose_secret(), "sk-1");
    assert!(two.get("openai").expect("read").is_none());
    assert!(one.get("other").expect("read").is_none());
    assert!(!two.remove("openai").expect("nothing"));
    assert!(one.remove("openai").expect("removed"));
    assert!(one.get("openai").expect("read").is_none());
}

#[test]
fn to_fault_contains_no_key() {
    let locked = to_fault(&Error::NoStorageAccess("dismissed".into()), "openai");
    assert_eq!(locked.code, "keys.locked");
    let binary = to_fault(&Error::BadEncoding(b"sk-secret".to_vec()), "openai");
    assert_eq!(binary.code, "keys.keychain_failed");
    assert!(!format!("{binary:?}").contains("sk-secret"));
}
