use super::*;

#[test]
fn node_versions_compare_by_number() {
    assert_eq!(parse_version("v20.19.1"), Some((20, 19)));
    assert_eq!(parse_version("20.19.1"), None);
    assert!(parse_version("v18.20.4") < Some(NODE));
    assert!(parse_version("v20.9.0") < Some(NODE));
    assert!(parse_version("v100.0.0") > Some(NODE));
}

#[test]
fn on_linux_every_need_has_a_package_in_every_manager() {
    for need in NEEDS {
        for manager in [Manager::Apt, Manager::Dnf, Manager::Pacman] {
            assert!(!need.packages(manager).is_empty(), "{} with {manager:?}", need.name);
        }
    }
}
