use super::*;

#[test]
fn tenants_are_folders_below_the_data_directory() {
    let home = tempfile::tempdir().unwrap();
    let (folders, name) = (TenantFolders::of(home.path()), |name: &str| TenantName::parse(name).unwrap());
    assert_eq!(folders.list().unwrap(), [TenantName::default()]);
    assert_eq!(folders.find(&TenantName::default()).unwrap(), home.path());
    assert_eq!(folders.find(&name("acme")).unwrap_err().code, "host.tenant_unknown");
    let acme = folders.add(&name("acme")).unwrap();
    assert_eq!(folders.find(&name("acme")).unwrap(), acme);
    assert_eq!(folders.add(&name("acme")).unwrap_err().code, "host.tenant_exists");
    assert_eq!(folders.add(&TenantName::default()).unwrap_err().code, "host.tenant_exists");
    folders.add(&name("a-b")).unwrap();
    // What is no tenant is none.
    std::fs::create_dir(home.path().join("tenants/Not A Tenant")).unwrap();
    std::fs::create_dir(home.path().join("tenants/default")).unwrap();
    std::fs::write(home.path().join("tenants/file"), "").unwrap();
    assert_eq!(folders.list().unwrap(), [TenantName::default(), name("a-b"), name("acme")]);
    assert_eq!(folders.find(&TenantName::default()).unwrap(), home.path());
}
