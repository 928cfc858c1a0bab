use super::*;
use keyring_core::mock;

fn keychains() -> (Keychain, Keychain) {
    let store = mock::Store::new().expect("made");
    (Keychain::of(store.clone(), Path::new("/one")), Keychain::of(store, Path::new("/two")))
}

#[test]
fn a_key_is_kept_for_its_data_directory_alone() {
    let (one, two) = keychains();
    one.set("openai", &SecretString::from("sk-1")).expect("kept");
    assert_eq!(one.get("openai").expect("read").expect("there").expose_secret(), "sk-1");
    assert!(two.get("openai").expect("read").is_none());
    assert!(one.get("other").expect("read").is_none());
    assert!(!two.remove("openai").expect("nothing"));
    assert!(one.remove("openai").expect("removed"));
    assert!(one.get("openai").expect("read").is_none());
}

#[test]
fn errors_are_coded_and_hold_no_key() {
    let locked = told(&Error::NoStorageAccess("dismissed".into()), "openai");
    assert_eq!(locked.code, "keys.locked");
    let binary = told(&Error::BadEncoding(b"sk-secret".to_vec()), "openai");
    assert_eq!(binary.code, "keys.keychain_failed");
    assert!(!format!("{binary:?}").contains("sk-secret"));
}
