use super::*;

#[test]
fn names_that_lead_elsewhere_are_refused() {
    for name in ["acme", "a", "7", "acme-2", "a_b", &"a".repeat(40), "default"] {
        assert_eq!(TenantName::parse(name).unwrap().as_str(), name);
    }
    for name in
        ["", ".", "..", "a/b", "a\\b", "A", "a b", "-a", "_a", "a.b", "a\"b", "a\n", &"a".repeat(41), "ü"]
    {
        assert_eq!(TenantName::parse(name).unwrap_err().code, "host.tenant_name", "{name}");
    }
}

#[test]
fn stored_names_are_checked() {
    assert_eq!(serde_json::from_str::<TenantName>("\"acme\"").unwrap().as_str(), "acme");
    assert!(serde_json::from_str::<TenantName>("\"../acme\"").is_err());
}
