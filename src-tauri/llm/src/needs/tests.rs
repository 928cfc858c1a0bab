//! What flows need, and whether rules decide about it.

use std::collections::BTreeMap;

use serde_json::json;

use super::*;
use crate::tool::{KnownTool, ServerAddress, ToolEffect};
use plait_core::flow::FolderAccess;

fn pattern(text: &str) -> GrantPattern {
    text.parse().unwrap_or_else(|problem| panic!("{problem}"))
}

fn catalog() -> NeedCatalog {
    let spec = |name: &str, effect| {
        let mut spec = ToolSpec::new(name, "", json!({}), "native");
        spec.effect = effect;
        spec
    };
    let stdio = KnownServer { address: ServerAddress::Command("npx files".to_owned()), tools: None };
    let tool = |name: &str, effect| (name.to_owned(), KnownTool { name: name.to_owned(), effect });
    let tools = BTreeMap::from([tool("search", ToolEffect::Read), tool("send", ToolEffect::Write)]);
    let remote = KnownServer {
        address: ServerAddress::Url("https://mcp.example.com/mcp".to_owned()),
        tools: Some(tools),
    };
    NeedCatalog {
        tools: vec![
            spec("calculator", ToolEffect::Read),
            spec("fetch_url", ToolEffect::Read),
            spec("read_file", ToolEffect::Read),
            spec("write_file", ToolEffect::Write),
        ],
        servers: BTreeMap::from([("files".to_owned(), stdio), ("mail".to_owned(), remote)]),
    }
}

fn collect(needs: &[NodeNeed], folders: &[FolderAccess]) -> Vec<Need> {
    let (catalog, node) = (catalog(), NodeId::from("n"));
    let mut collector = NeedCollector::new(&catalog);
    collector.add_folders(Some("/p"), folders, None);
    let place = NodePlace { node: &node, title: Some("Node"), folder: Some("/p"), folders, flow: None };
    collector.add_node(place, needs);
    collector.finish()
}

fn targets(needs: &[NodeNeed], folders: &[FolderAccess]) -> Vec<(String, bool)> {
    collect(needs, folders).iter().map(|need| (need.target.to_string(), need.write)).collect()
}

fn request(url: Option<&str>, method: HttpMethod) -> NodeNeed {
    NodeNeed::Request { url: url.map(str::to_owned), method, tool: None }
}

fn server(name: &str, tools: &[&str]) -> NodeNeed {
    NodeNeed::Server { name: name.to_owned(), tools: tools.iter().map(|&tool| tool.to_owned()).collect() }
}

#[test]
fn requests_need_their_host_and_unknown_ones_the_wildcard() {
    let api = Some("https://api.example.com/a/{{b}}");
    let both =
        [request(api, HttpMethod::Get), request(api, HttpMethod::Post), request(None, HttpMethod::Get)];
    assert_eq!(
        targets(&both, &[]),
        [("host=*".to_owned(), false), ("host=api.example.com".to_owned(), true)]
    );
    let uses = &collect(&both, &[])[1].uses;
    assert_eq!(uses.iter().map(|one| one.what.as_str()).collect::<Vec<_>>(), ["GET", "POST"]);
    assert_eq!(uses[0].title.as_deref(), Some("Node"));
}

#[test]
fn servers_need_their_command_or_host_and_tools_that_change_something() {
    assert_eq!(
        targets(&[server("files", &[]), server("mail", &[])], &[]),
        [
            ("command=files".to_owned(), false),
            ("host=mcp.example.com".to_owned(), true),
            ("tool=mail/send".to_owned(), true),
            ("tool=files/*".to_owned(), true),
        ]
        .into_iter()
        .collect::<std::collections::BTreeSet<_>>()
        .into_iter()
        .collect::<Vec<_>>()
    );
    assert_eq!(collect(&[server("files", &[])], &[])[0].seen.as_deref(), Some("npx files"));
    assert_eq!(
        targets(&[server("files", &["move"]), server("mail", &["search"])], &[]),
        [
            ("command=files".to_owned(), false),
            ("host=mcp.example.com".to_owned(), true),
            ("tool=files/move".to_owned(), true)
        ]
    );
}

#[test]
fn file_tools_need_the_declared_folders_or_that_of_the_flow() {
    let tools = |names: &[&str]| NodeNeed::Tools(names.iter().map(|&name| name.to_owned()).collect());
    assert_eq!(targets(&[tools(&["read_file"])], &[]), [("folder=/p".to_owned(), false)]);
    assert_eq!(
        targets(&[NodeNeed::ReadingTools], &[]),
        [("host=*".to_owned(), false), ("folder=/p".to_owned(), false)]
    );
    let folders = [
        FolderAccess { path: "in".to_owned(), write: false },
        FolderAccess { path: "../out".to_owned(), write: true },
    ];
    assert_eq!(
        targets(&[tools(&["write_file", "read_file"])], &folders),
        [
            ("folder=/out".to_owned(), true),
            ("folder=/p/in".to_owned(), false),
            ("tool=write_file".to_owned(), true)
        ]
    );
    assert_eq!(
        targets(&[], &folders),
        [("folder=/out".to_owned(), true), ("folder=/p/in".to_owned(), false)],
        "declared folders are needed, also unused ones"
    );
    assert_eq!(
        targets(&[NodeNeed::Documents("docs".to_owned())], &[]),
        [("folder=/p/docs".to_owned(), false)]
    );
}

#[test]
fn rule_about_all_tools_of_a_server_decides_about_each() {
    let grants = Grants::new([GrantRule::allow(pattern("tool=mail/*")), GrantRule::allow(pattern("host=*"))]);
    let needs = collect(&[server("mail", &["send"])], &[]);
    assert_eq!(needs.len(), 2);
    for need in needs {
        assert_eq!(need.state(&grants), NeedState::Decided, "{}", need.target);
    }
    let other = Grants::new([GrantRule::allow(pattern("tool=files/*"))]);
    let needs = collect(&[server("mail", &["send"])], &[]);
    assert!(needs.iter().all(|need| need.state(&other) == NeedState::New));
}

#[test]
fn changed_need_is_undecided_again() {
    let need = &collect(&[request(Some("https://a.com"), HttpMethod::Get)], &[])[0];
    let grants = Grants::new([need.to_rule(GrantDecision::Allow)]);
    assert_eq!(need.state(&grants), NeedState::Decided);
    let more = &collect(&[request(Some("https://a.com"), HttpMethod::Post)], &[])[0];
    assert_eq!(more.state(&grants), NeedState::Changed, "it changes something now");
    let other = &collect(&[request(Some("https://b.com"), HttpMethod::Get)], &[])[0];
    assert_eq!(other.state(&grants), NeedState::New);
    assert_eq!(
        other.state(&Grants::new([GrantRule::new(pattern("host=*"), GrantDecision::Deny)])),
        NeedState::Decided
    );

    let command = &collect(&[server("files", &["x"])], &[])[0];
    let granted = Grants::new([command.to_rule(GrantDecision::Allow)]);
    assert_eq!(command.state(&granted), NeedState::Decided);
    let moved = Need { seen: Some("rm -rf /".to_owned()), ..command.clone() };
    assert_eq!(moved.state(&granted), NeedState::Changed, "another command stands behind the name");
    assert_eq!(moved.state(&Grants::new([GrantRule::allow(pattern("command=files"))])), NeedState::Decided);
}

#[test]
fn rule_holds_for_the_whole_that_the_person_saw() {
    let need = collect(&[request(Some("https://a.com/"), HttpMethod::Get)], &[]).remove(0);
    let seen = Need { needs_hash: Some("one".to_owned()), ..need };
    let everything = GrantRule { needs_hash: seen.needs_hash.clone(), ..GrantRule::allow(pattern("host=*")) };
    for rule in [seen.to_rule(GrantDecision::Allow), everything] {
        let grants = Grants::new([rule]);
        assert_eq!(seen.state(&grants), NeedState::Decided);
        let changed = Need { needs_hash: Some("two".to_owned()), ..seen.clone() };
        assert_eq!(changed.state(&grants), NeedState::Changed, "the flow needs something else as well");
    }
}

#[test]
fn calls_use_hosts_and_folders() {
    let targets = |tool: &ToolSpec, arguments: &serde_json::Value| {
        let accesses = targets_of_call(tool, arguments, Some("/p/flows"), &[]);
        accesses.iter().map(|one| (GrantPattern::of(&one.target).to_string(), one.write)).collect::<Vec<_>>()
    };
    let native = |name: &str| ToolSpec::new(name, "", json!({}), "native");
    let read = |text: &str| (text.to_owned(), false);
    assert_eq!(
        targets(&native("fetch_url"), &json!({ "url": "https://user@Example.com:8443/x" })),
        [read("tool=fetch_url"), read("host=example.com:8443")]
    );
    assert_eq!(
        targets(&native("read_file"), &json!({ "path": "notes/a/../b.md" })),
        [read("tool=read_file"), read("folder=/p/flows/notes")]
    );
    assert_eq!(
        targets(&native("read_file"), &json!({ "path": "b.md" })),
        [read("tool=read_file"), read("folder=/p/flows")]
    );
    let outside = json!({ "path": "../b.md" });
    assert_eq!(targets(&native("read_file"), &outside), [read("tool=read_file")], "the tool refuses it");
    assert_eq!(targets(&native("calculator"), &json!({})), [read("tool=calculator")]);
    let mut post = ToolSpec::new("order", "", json!({}), "http");
    (post.effect, post.binding) = (ToolEffect::Write, json!({ "url": "https://shop.example/orders/{{id}}" }));
    assert_eq!(targets(&post, &json!({})), [read("tool=order"), ("host=shop.example".to_owned(), true)]);
    let mut remote = ToolSpec::new("fs_move", "", json!({}), "mcp:files");
    (remote.effect, remote.binding) = (ToolEffect::Write, json!({ "tool": "move" }));
    assert_eq!(targets(&remote, &json!({})), [("tool=files/move".to_owned(), true)]);
}
