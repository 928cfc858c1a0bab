use serde_json::json;

use super::*;

fn provider(group_claim: &str) -> IdentityProvider {
    let groups = [("staff", Role::Editor), ("owners of it", Role::Admin)];
    IdentityProvider {
        name: "corp".to_owned(),
        issuer: "https://login.example.com".to_owned(),
        audience: "plait".to_owned(),
        tenant: TenantName::default(),
        name_claim: "email".to_owned(),
        group_claim: group_claim.to_owned(),
        groups: groups.map(|(group, role)| (group.to_owned(), role)).into(),
        everybody: None,
    }
}

#[test]
fn role_is_the_highest_of_the_groups_of_a_token() {
    let role = |claim: &str, claims: Value| provider(claim).role(claims.as_object().unwrap());
    assert_eq!(role("groups", json!({ "groups": ["guests", "staff"] })), Some(Role::Editor));
    assert_eq!(role("groups", json!({ "groups": ["staff", "owners of it"] })), Some(Role::Admin));
    assert_eq!(role("groups", json!({ "groups": "owners of it" })), Some(Role::Admin));
    assert_eq!(role("scope", json!({ "scope": "openid staff email" })), Some(Role::Editor));
    assert_eq!(
        role("realm_access.roles", json!({ "realm_access": { "roles": ["staff"] } })),
        Some(Role::Editor)
    );
    // A name with dots is a name first.
    assert_eq!(role("https://a.b/groups", json!({ "https://a.b/groups": ["staff"] })), Some(Role::Editor));
    for none in [json!({}), json!({ "groups": ["guests"] }), json!({ "groups": { "staff": true } })] {
        assert_eq!(role("groups", none.clone()), None, "{none}");
    }
}

#[test]
fn everybody_has_a_role_where_that_was_said() {
    let provider = IdentityProvider { everybody: Some(Role::Viewer), ..provider("groups") };
    assert_eq!(provider.role(json!({ "groups": [] }).as_object().unwrap()), Some(Role::Viewer));
    assert_eq!(provider.role(json!({ "groups": ["staff"] }).as_object().unwrap()), Some(Role::Editor));
}
