use super::*;

#[test]
fn node_versions_compare_by_number() {
    assert_eq!(parse_version("v20.19.1"), Some((20, 19)));
    assert_eq!(parse_version("20.19.1"), None);
    assert!(parse_version("v18.20.4") < Some(MIN_NODE_VERSION));
    assert!(parse_version("v20.9.0") < Some(MIN_NODE_VERSION));
    assert!(parse_version("v100.0.0") > Some(MIN_NODE_VERSION));
}

#[test]
fn every_requirement_has_a_package_in_every_linux_manager() {
    for need in REQUIREMENTS {
        for manager in [Manager::Apt, Manager::Dnf, Manager::Pacman] {
            assert!(!need.packages(manager).is_empty(), "{} with {manager:?}", need.name);
        }
    }
}
