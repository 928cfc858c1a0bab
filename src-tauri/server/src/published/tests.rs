use super::*;

#[test]
fn versions_stay_and_one_is_served() {
    let home = tempfile::tempdir().unwrap();
    let published = Published::of(home.path());
    let flow = |name: &str| Flow { name: name.to_owned(), ..Flow::default() };
    for version in 1..=10 {
        let about = published.publish("greet", flow(&format!("v{version}")), None, "ann").unwrap();
        assert_eq!(about.version, version);
    }
    assert_eq!(published.current("greet").unwrap().flow.name, "v10");
    published.roll_back("greet", 2).unwrap();
    assert_eq!(published.list().unwrap()[0].title, "v2");
    assert_eq!(published.roll_back("greet", 11).unwrap_err().code, "published.unknown");
    assert_eq!(published.current("greet").unwrap().flow.name, "v2");
    published.remove("greet").unwrap();
    assert_eq!(published.current("greet").unwrap_err().code, "published.unknown");
    assert_eq!(published.versions("greet").unwrap().len(), 10);
    assert_eq!(published.publish("greet", flow("v11"), None, "ann").unwrap().version, 11);
}

#[test]
fn names_that_lead_elsewhere_are_refused() {
    let home = tempfile::tempdir().unwrap();
    let published = Published::of(home.path());
    for name in ["", "..", ".hidden", "a/b", "A", "a b", &"a".repeat(65), "ü"] {
        assert_eq!(published.current(name).unwrap_err().code, "published.bad_name", "{name}");
    }
}
