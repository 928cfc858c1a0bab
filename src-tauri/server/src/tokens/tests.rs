use std::fs;

use super::*;

#[test]
fn token_is_known_by_its_hash_until_it_is_revoked() {
    let home = tempfile::tempdir().unwrap();
    let file = TokenFile::of(home.path());
    let token = file.add("ann", Role::Runner, None, TenantName::default(), None).unwrap();
    let stored = fs::read_to_string(home.path().join("host/tokens.json")).unwrap();
    assert!(!stored.contains(token.rsplit_once('_').unwrap().1), "the token itself is stored");
    // Another process reads it.
    let other = TokenFile::of(home.path());
    assert_eq!(other.authenticate(&token).unwrap().role, Role::Runner);
    let mut changed = token.clone();
    changed.pop();
    for wrong in ["", "plait_", "plait__", &changed, &format!("{token}x")] {
        assert_eq!(other.authenticate(wrong).unwrap_err().code, "host.unauthorized", "{wrong}");
    }
    assert_eq!(
        file.add("ann", Role::Admin, None, TenantName::default(), None).unwrap_err().code,
        "host.token_name"
    );
    file.revoke("ann").unwrap();
    assert_eq!(other.authenticate(&token).unwrap_err().code, "host.unauthorized");
    assert_eq!(file.revoke("ann").unwrap_err().code, "host.token_unknown");
}

#[test]
fn expired_token_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let file = TokenFile::of(home.path());
    let token = file.add("ann", Role::Viewer, None, TenantName::default(), Some("30d")).unwrap();
    let days = file.list().unwrap()[0].expires_at.unwrap().duration_since(Timestamp::now()).as_hours();
    assert!((719..=720).contains(&days));
    file.authenticate(&token).unwrap();
    file.0
        .change(|tokens| {
            tokens[0].expires_at = Some(Timestamp::now());
            Ok(())
        })
        .unwrap();
    assert_eq!(file.authenticate(&token).unwrap_err().code, "host.unauthorized");
    for wrong in ["", "soon", "-1d", "0d", "99999999d"] {
        assert_eq!(
            file.add("bob", Role::Viewer, None, TenantName::default(), Some(wrong)).unwrap_err().code,
            "host.token_expiry",
            "{wrong}"
        );
    }
}

#[test]
fn unreadable_file_lets_nobody_in_and_is_not_overwritten() {
    let home = tempfile::tempdir().unwrap();
    let file = TokenFile::of(home.path());
    let token = file.add("ann", Role::Viewer, None, TenantName::default(), None).unwrap();
    fs::write(home.path().join("host/tokens.json"), "[{").unwrap();
    assert_eq!(file.authenticate(&token).unwrap_err().code, "host.tokens");
    assert_eq!(
        file.add("bob", Role::Viewer, None, TenantName::default(), None).unwrap_err().code,
        "host.tokens"
    );
    assert_eq!(fs::read_to_string(home.path().join("host/tokens.json")).unwrap(), "[{");
}
