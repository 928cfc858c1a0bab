use super::*;

#[test]
fn key_names_tenant_and_run() {
    let (tenant, root) = (TenantName::parse("acme-1").unwrap(), RunId::from(Uuid::nil().to_string()));
    let key = key_of_run(&tenant, &root);
    assert_eq!(run_of_key(&key), Some((tenant, root)));
    for key in [
        "",
        "acme",
        "acme/",
        "acme/run",
        "/00000000-0000-0000-0000-000000000000",
        "A/00000000-0000-0000-0000-000000000000",
    ] {
        assert_eq!(run_of_key(key), None, "{key}");
    }
}
