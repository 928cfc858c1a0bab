use super::*;
use crate::codes;
use proptest::prelude::*;

fn pattern(text: &str) -> GrantPattern {
    text.parse().unwrap_or_else(|problem| panic!("{problem}"))
}

fn rule(text: &str, decision: GrantDecision) -> GrantRule {
    GrantRule::new(pattern(text), decision)
}

fn allow(text: &str) -> GrantRule {
    rule(text, GrantDecision::Allow)
}

fn deny(text: &str) -> GrantRule {
    rule(text, GrantDecision::Deny)
}

fn host(name: &str) -> GrantTarget {
    GrantTarget::host(name, 443)
}

fn decision(rules: impl IntoIterator<Item = GrantRule>, target: &GrantTarget) -> GrantDecision {
    Grants::new(rules).decide(target, false).decision
}

#[test]
fn unnamed_targets_are_denied_and_unnamed_tools_that_write_ask() {
    let none = Grants::default();
    for target in
        [GrantTarget::Command("files".into()), host("example.com"), GrantTarget::Folder("/a".into())]
    {
        assert_eq!(none.decide(&target, false).decision, GrantDecision::Deny, "{target:?}");
    }
    assert_eq!(none.decide(&GrantTarget::tool("calculator"), false).decision, GrantDecision::Allow);
    assert_eq!(none.decide(&GrantTarget::server_tool("files", "move"), true).decision, GrantDecision::Ask);
}

#[test]
fn more_exact_rule_wins() {
    let rules = [deny("host=*"), allow("host=*.example.com"), deny("host=api.example.com")];
    assert_eq!(decision(rules.clone(), &host("other.org")), GrantDecision::Deny);
    assert_eq!(decision(rules.clone(), &host("www.example.com")), GrantDecision::Allow);
    assert_eq!(decision(rules.clone(), &host("api.example.com")), GrantDecision::Deny);
    assert_eq!(decision(rules, &host("example.com")), GrantDecision::Deny, "the domain is not below itself");
    let ports = [deny("host=localhost"), allow("host=localhost:8080")];
    assert_eq!(decision(ports.clone(), &GrantTarget::host("localhost", 8080)), GrantDecision::Allow);
    assert_eq!(decision(ports, &GrantTarget::host("localhost", 9090)), GrantDecision::Deny);
    let tools = [allow("tool=files/*"), deny("tool=files/move"), rule("tool=*", GrantDecision::Ask)];
    assert_eq!(decision(tools.clone(), &GrantTarget::server_tool("files", "read")), GrantDecision::Allow);
    assert_eq!(decision(tools.clone(), &GrantTarget::server_tool("files", "move")), GrantDecision::Deny);
    assert_eq!(decision(tools, &GrantTarget::tool("move")), GrantDecision::Ask);
    let folders = [allow("folder=/p/notes"), deny("folder=/p/notes/private")];
    let folder = |path: &str| GrantTarget::Folder(path.to_owned());
    assert_eq!(decision(folders.clone(), &folder("/p/notes/a/b")), GrantDecision::Allow);
    assert_eq!(decision(folders.clone(), &folder("/p/notes/private/x")), GrantDecision::Deny);
    assert_eq!(decision(folders.clone(), &folder("/p/notes2")), GrantDecision::Deny);
    assert_eq!(decision(folders, &folder("/p")), GrantDecision::Deny);
}

#[test]
fn allowance_to_read_says_nothing_about_writing() {
    let folder = GrantTarget::Folder("/p/out".to_owned());
    let grants = Grants::new([allow("folder=/p/out").read_only()]);
    assert_eq!(grants.decide(&folder, false).decision, GrantDecision::Allow);
    assert_eq!(grants.decide(&folder, true).decision, GrantDecision::Deny);
    let denied = Grants::new([deny("folder=/p/out").read_only(), allow("folder=*")]);
    assert_eq!(denied.decide(&folder, true).decision, GrantDecision::Deny, "a denial includes writing");
}

#[test]
fn unknown_host_needs_the_wildcard() {
    assert_eq!(
        decision([allow("host=a.com"), allow("host=*.b.com")], &GrantTarget::Host(None)),
        GrantDecision::Deny
    );
    assert_eq!(decision([allow("host=*")], &GrantTarget::Host(None)), GrantDecision::Allow);
}

#[test]
fn untrusted_arguments_are_allowed_by_the_deciding_rule_only() {
    let rules = parse_list("host=*.example.com+untrusted,host=api.example.com", GrantDecision::Allow, |_| {
        String::new()
    });
    let grants = Grants::new(rules.unwrap());
    assert!(grants.decide(&host("www.example.com"), true).allows_untrusted());
    assert!(!grants.decide(&host("www.example.com"), true).is_by_name());
    assert!(!grants.decide(&host("api.example.com"), true).allows_untrusted());
    assert!(grants.decide(&host("api.example.com"), true).is_by_name());
}

#[test]
fn host_is_the_same_in_every_spelling() {
    let denied = Grants::new([
        allow("host=*"),
        deny("host=evil.test"),
        deny("host=*.bad.test"),
        deny("host=93.184.216.34"),
    ]);
    for name in [
        "evil.test",
        "evil.test.",
        "EVIL.Test.",
        "a.bad.test.",
        "93.184.216.34",
        "[::ffff:93.184.216.34]",
        "[::ffff:5db8:d822]",
    ] {
        assert_eq!(denied.decide(&host(name), false).decision, GrantDecision::Deny, "{name}");
    }
    for text in ["host=evil.test.", "host=[::ffff:93.184.216.34]:443"] {
        let target = pattern(text).to_target();
        assert_eq!(denied.decide(&target, false).decision, GrantDecision::Deny, "{text}");
    }
    assert_eq!(denied.decide(&host("evil.test.example"), false).decision, GrantDecision::Allow);
}

/// What a flow needs is kept as a pattern, and rules decide about it as about the use itself.
#[test]
fn target_survives_as_a_pattern() {
    for target in [
        GrantTarget::tool("fetch_url"),
        GrantTarget::server_tool("files", "read"),
        GrantTarget::server_tool("files", "a/b"),
        GrantTarget::Tool { server: Some("files".into()), tool: None },
        GrantTarget::Command("files".into()),
        GrantTarget::host("example.com", 8080),
        GrantTarget::Folder("/home/ada".into()),
    ] {
        assert_eq!(GrantPattern::of(&target).to_target(), target);
    }
    let all_of_server = Grants::new([allow("tool=files/*")]);
    assert!(all_of_server.decide(&pattern("tool=files/read").to_target(), true).rule.is_some());
    assert!(all_of_server.decide(&pattern("tool=other/read").to_target(), true).rule.is_none());
}

#[test]
fn newer_rules_replace_older_ones_about_the_same_target() {
    let grants = Grants::new([deny("host=a.com"), deny("host=b.com")]).with([allow("host=a.com")]);
    assert_eq!(grants.decide(&host("a.com"), false).decision, GrantDecision::Allow);
    assert_eq!(grants.decide(&host("b.com"), false).decision, GrantDecision::Deny);
}

#[test]
fn host_that_is_granted_by_a_local_name_may_have_a_local_address() {
    let grants =
        Grants::new([allow("host=localhost:8080"), allow("host=intranet.corp"), allow("host=127.0.0.1")]);
    assert!(grants.opens_local_host("localhost", 8080, false));
    assert!(grants.opens_local_host("127.0.0.1", 80, false));
    assert!(!grants.opens_local_host("localhost", 81, false));
    assert!(
        !grants.opens_local_host("intranet.corp", 443, false),
        "what a name resolves to is not its own to say"
    );
    assert!(!Grants::new([allow("host=*")]).opens_local_host("localhost", 8080, false));
}

#[test]
fn hosts_are_spelled_as_in_urls() {
    assert_eq!(pattern("host=API.Example.COM").to_string(), "host=api.example.com");
    assert_eq!(pattern("host=b\u{fc}cher.example").to_string(), "host=xn--bcher-kva.example");
    assert_eq!(pattern("host=[::1]:80").name(), "[::1]:80");
    assert_eq!(pattern("host=0x7f.1"), pattern("host=127.0.0.1"));
    assert_eq!(host_of_url("https://API.example.com/x?{{y}}"), host("api.example.com"));
    assert_eq!(host_of_url("http://[::1]:80/"), GrantTarget::host("[::1]", 80));
    for unknown in ["", "no url", "{{host}}", "file:///etc/passwd", "https://{{host}}/"] {
        assert_eq!(host_of_url(unknown), GrantTarget::Host(None), "{unknown}");
    }
}

#[test]
fn invalid_rules_are_refused() {
    let list = |text: &str| parse_list(text, GrantDecision::Allow, |path| format!("/flow/{path}"));
    for text in [
        "",
        "host",
        "host=",
        "host=a*.com",
        "host=*.*.com",
        "host=a b",
        "host=a:99999",
        "files/*",
        "tool=a*",
        "tool=/*",
        "command=a*",
        "color=red",
        "host=a,",
        "folder=",
        "folder=../../..",
    ] {
        assert!(list(text).is_err(), "{text}: {:?}", list(text));
    }
    let texts = |rules: Vec<GrantRule>| rules.iter().map(|rule| rule.target.to_string()).collect::<Vec<_>>();
    assert_eq!(
        texts(list("host=a.com,b.com, tool=files/*,folder=notes/../out,command=files").unwrap()),
        ["host=a.com", "host=b.com", "tool=files/*", "folder=/flow/out", "command=files"]
    );
    assert!(parse_list("host=a.com+untrusted", GrantDecision::Deny, |_| String::new()).is_err());
}

#[test]
fn rules_survive_json() {
    let rules = vec![
        allow("host=*.example.com").read_only(),
        deny("folder=/a b"),
        GrantRule { untrusted: true, seen: Some("npx files".to_owned()), ..allow("command=files") },
    ];
    let grants = Grants::new(rules);
    let text = serde_json::to_string(&grants).unwrap();
    assert_eq!(serde_json::from_str::<Grants>(&text).unwrap(), grants, "{text}");
    assert!(serde_json::from_str::<GrantRule>(r#"{"target":"host=*.*","decision":"allow"}"#).is_err());
}

#[test]
fn call_that_asks_goes_on_when_approved() {
    let grants =
        CallGrants::new(Some(std::sync::Arc::new(Grants::new([rule("host=a.com", GrantDecision::Ask)]))));
    assert_eq!(grants.check(&host("a.com"), false).unwrap_err().code, codes::GRANT_ASKS);
    assert_eq!(grants.check(&host("b.com"), false).unwrap_err().code, codes::GRANT_MISSING);
    let approved = grants.approved(true);
    approved.check(&host("a.com"), false).unwrap();
    assert_eq!(approved.check(&host("b.com"), false).unwrap_err().code, codes::GRANT_MISSING);
    CallGrants::default().check(&host("b.com"), true).unwrap();
}

/// The patterns that are about a host, from the most exact to the least.
fn candidates(name: &str, port: u16) -> Vec<String> {
    let mut all = vec![format!("host={name}:{port}"), format!("host={name}")];
    let mut rest = name;
    while let Some((_, domain)) = rest.split_once('.') {
        all.push(format!("host=*.{domain}"));
        rest = domain;
    }
    all.push("host=*".to_owned());
    all
}

fn some_rule() -> impl Strategy<Value = GrantRule> {
    let targets = [
        "host=*",
        "host=*.com",
        "host=*.a.com",
        "host=a.com",
        "host=b.a.com",
        "host=b.a.com:443",
        "host=b.a.com:80",
        "host=c.b.a.com",
        "folder=/a",
        "folder=/a/b",
        "folder=*",
        "tool=t",
        "tool=s/t",
        "tool=s/*",
        "tool=*",
        "command=s",
    ];
    let decisions = [GrantDecision::Allow, GrantDecision::Ask, GrantDecision::Deny];
    (
        prop::sample::select(targets.to_vec()),
        prop::sample::select(decisions.to_vec()),
        any::<bool>(),
        any::<bool>(),
    )
        .prop_map(|(target, decision, write, untrusted)| GrantRule {
            write,
            untrusted,
            ..rule(target, decision)
        })
}

fn some_host() -> impl Strategy<Value = (&'static str, u16)> {
    (
        prop::sample::select(&["a.com", "b.a.com", "c.b.a.com", "com", "d.org"][..]),
        prop::sample::select(&[80, 443, 8080][..]),
    )
}

proptest! {
    /// Against a second implementation: the first pattern that any rule has decides, by its strictest rule.
    #[test]
    fn decisions_equal_those_of_a_search_from_exact_to_general(
        rules in prop::collection::vec(some_rule(), 0..12), (name, port) in some_host(), write: bool,
    ) {
        let is_usable = |rule: &&GrantRule| rule.write || !write || rule.decision != GrantDecision::Allow;
        let strictest = |pattern: &String| {
            rules.iter().filter(|rule| rule.target.to_string() == *pattern).filter(is_usable).map(|rule| rule.decision).max()
        };
        let expected = candidates(name, port).iter().find_map(strictest).unwrap_or(GrantDecision::Deny);
        let grants = Grants::new(rules.clone());
        prop_assert_eq!(grants.decide(&GrantTarget::host(name, port), write).decision, expected);
    }

    #[test]
    fn order_of_rules_means_nothing(
        rules in prop::collection::vec(some_rule(), 0..12), (name, port) in some_host(), write: bool, turn in 0_usize..12,
    ) {
        let mut turned = rules.clone();
        turned.rotate_left(turn % rules.len().max(1));
        let (one, other) = (Grants::new(rules), Grants::new(turned));
        let target = GrantTarget::host(name, port);
        let (one, other) = (one.decide(&target, write), other.decide(&target, write));
        prop_assert_eq!(one.decision, other.decision);
        prop_assert_eq!(one.allows_untrusted(), other.allows_untrusted());
    }

    #[test]
    fn denial_of_a_target_always_holds(
        rules in prop::collection::vec(some_rule(), 0..12), (name, port) in some_host(), write: bool,
    ) {
        let denial = deny(&format!("host={name}:{port}"));
        let grants = Grants::new(rules.into_iter().chain([denial]));
        prop_assert_eq!(grants.decide(&GrantTarget::host(name, port), write).decision, GrantDecision::Deny);
    }

    /// A rule never matches a target of another kind.
    #[test]
    fn rules_about_one_kind_do_not_touch_another(rules in prop::collection::vec(some_rule(), 0..12)) {
        let hosts = Grants::new(rules.iter().filter(|rule| rule.target.kind() == GrantKind::Host).cloned());
        for target in [GrantTarget::Command("s".into()), GrantTarget::Folder("/a/b".into()), GrantTarget::tool("t")] {
            prop_assert!(hosts.decide(&target, true).rule.is_none());
        }
    }
}
