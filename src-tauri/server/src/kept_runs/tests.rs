use super::*;

fn hours(hours: u64) -> KeptTime {
    KeptTime(Duration::from_hours(hours))
}

fn kept(options: &[&str]) -> KeptRuns {
    options.iter().map(|option| option.parse::<KeptFor>().unwrap()).collect::<Vec<_>>().into()
}

#[test]
fn tenant_that_is_named_has_its_own_time() {
    let (default, acme) = (TenantName::default(), TenantName::parse("acme").unwrap());
    assert_eq!(kept(&[]).of(&default), None);
    let kept = kept(&["90d", "acme=forever", "other=1h", "other=2w"]);
    assert_eq!((kept.of(&default), kept.of(&acme)), (Some(hours(90 * 24)), None));
    assert_eq!(kept.of(&TenantName::parse("other").unwrap()), Some(hours(14 * 24)));
    assert_eq!(kept.tenants().map(TenantName::as_str).collect::<Vec<_>>(), ["acme", "other"]);
}

#[test]
fn time_that_would_remove_too_much_is_refused() {
    for text in
        ["", "90", "0d", "59m", "-90d", "1mo", "1y", "always", "=90d", "Acme=90d", "acme=", "acme=90d=1d"]
    {
        assert!(text.parse::<KeptFor>().is_err(), "{text}");
    }
}
