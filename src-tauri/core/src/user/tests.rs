use super::UserName;

#[test]
fn names_are_short_and_on_one_line() {
    assert_eq!(UserName::parse("  Ada Lovelace ").unwrap().as_str(), "Ada Lovelace");
    for bad in ["", "   ", "a\nb", "a\u{0}b", &"x".repeat(61)] {
        assert_eq!(UserName::parse(bad).unwrap_err().code.as_str(), "user.bad_name", "{bad:?}");
    }
    assert!(UserName::parse(&"é".repeat(60)).is_ok(), "characters count, not bytes");
}

#[test]
fn default_user_is_that_of_older_journals() {
    assert!(UserName::default().is_default());
    assert!(!UserName::parse("ada").unwrap().is_default());
    assert!(UserName::parse("Ada").unwrap().resembles(&UserName::parse("ada").unwrap()));
}
