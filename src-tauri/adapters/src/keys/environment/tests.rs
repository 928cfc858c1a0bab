use super::*;
use secrecy::ExposeSecret as _;

#[test]
fn get_returns_the_first_variable_that_is_set() {
    // Cargo sets these variables for every test process.
    let resolved =
        get("PLAIT_NO_SUCH_VARIABLE, CARGO_PKG_NAME,CARGO_PKG_VERSION").expect("read").expect("there");
    assert_eq!(resolved.key.expose_secret(), "plait-adapters");
    assert_eq!(resolved.variable.as_deref(), Some("CARGO_PKG_NAME"));
    assert_eq!(get("CARGO_PKG_DESCRIPTION").expect_err("it has spaces").code, "keys.bad_key");
    assert!(get("PLAIT_NO_SUCH_VARIABLE").expect("read").is_none());
    assert!(get(" , ").expect("read").is_none());
}
