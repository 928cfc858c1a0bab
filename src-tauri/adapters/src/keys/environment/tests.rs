use super::*;
use secrecy::ExposeSecret as _;

#[test]
fn the_first_variable_that_holds_a_key_counts() {
    // Variables that every test process has.
    let found =
        get("PLAIT_NO_SUCH_VARIABLE, CARGO_PKG_NAME,CARGO_PKG_VERSION").expect("read").expect("there");
    assert_eq!(found.key.expose_secret(), "plait-adapters");
    assert_eq!(found.variable.as_deref(), Some("CARGO_PKG_NAME"));
    assert_eq!(get("CARGO_PKG_DESCRIPTION").expect_err("it has spaces").code, "keys.bad_key");
    assert!(get("PLAIT_NO_SUCH_VARIABLE").expect("read").is_none());
    assert!(get(" , ").expect("read").is_none());
}
