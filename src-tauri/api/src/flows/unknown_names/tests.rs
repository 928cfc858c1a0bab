use super::*;
use plait_core::diagnostic::Severity;
use plait_core::flow;
use serde_json::json;

const KNOWN: &str = "mine";

fn found_in(document: &Value) -> Vec<Diagnostic> {
    let flow = flow::read(&document.to_string()).unwrap();
    let tools = BTreeSet::from(["calculator".to_owned()]);
    unknown_names(&flow, &plait_nodes::registry(), &Installed::with_names(&[KNOWN]), &tools)
}

fn places_of(found: &[Diagnostic]) -> Vec<(&str, &str)> {
    found.iter().map(|one| (one.pointer.as_str(), one.message.as_str())).collect()
}

/// The settings of a schema that name something: path, as [`NodeDescriptor::settings`] writes it, and kind.
fn naming_settings() -> Vec<(String, String, NameKind)> {
    let mut all = Vec::new();
    for descriptor in plait_nodes::registry().descriptors() {
        for (path, schema) in descriptor.settings() {
            let listed = schema.get("items").map(|items| (format!("{path}[]"), items.clone()));
            for (path, schema) in std::iter::once((path, schema.clone())).chain(listed) {
                let format = schema["format"].as_str().unwrap_or_default();
                if let Some((_, kind)) = NameKind::FORMATS.iter().find(|(name, _)| *name == format) {
                    all.push((descriptor.node_type.clone(), path, *kind));
                }
            }
        }
    }
    all
}

/// A config in which only this setting is set, and the pointer to it.
fn config_with(path: &str, name: &str) -> (Value, String) {
    let parts: Vec<&str> = path.split('.').flat_map(|part| part.split_inclusive("[]")).collect();
    let (mut config, mut pointer) = (json!(name), String::new());
    for part in parts.iter().rev() {
        let (key, is_list) = part.strip_suffix("[]").map_or((*part, false), |key| (key, true));
        if is_list {
            config = json!([config]);
            pointer = format!("/0{pointer}");
        }
        config = json!({ key: config });
        pointer = format!("/{key}{pointer}");
    }
    (config, pointer)
}

#[test]
fn each_setting_that_names_something_is_checked_in_each_node_type() {
    let settings = naming_settings();
    for (node_type, path, kind) in &settings {
        let document = |name: &str| json!({ "version": 1, "nodes": { "n": { "type": node_type, "config": config_with(path, name).0 } } });
        let pointer = format!("/nodes/n/config{}", config_with(path, "").1);
        let found = found_in(&document("nosuch"));
        assert_eq!(
            found.iter().filter(|one| one.pointer == pointer).count(),
            1,
            "{node_type} {path}: {found:?}"
        );
        assert!(found.iter().all(|one| one.node.as_ref().is_some_and(|node| node.as_str() == "n")));
        let known = match kind {
            NameKind::Tool => "calculator",
            NameKind::Provider | NameKind::McpServer | NameKind::KnowledgeBase => KNOWN,
        };
        assert_eq!(found_in(&document(known)), [], "{node_type} {path}");
    }
    let kinds: BTreeSet<NameKind> = settings.iter().map(|(_, _, kind)| *kind).collect();
    assert_eq!(kinds.len(), NameKind::FORMATS.len(), "{settings:?}");
}

/// A setting without its format would not be checked.
#[test]
fn settings_that_are_called_like_names_say_what_they_name() {
    for descriptor in plait_nodes::registry().descriptors() {
        for (path, schema) in descriptor.settings() {
            let last = path.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
            let expected = match last.as_str() {
                last if last.ends_with("provider") => "provider",
                last if last.ends_with("server") => "mcpServer",
                "bases" => "knowledgeBase",
                "tool" => "tool",
                _ => continue,
            };
            let own = [&schema["format"], &schema["items"]["format"]];
            assert!(own.contains(&&json!(expected)), "{} {path}: {schema}", descriptor.node_type);
        }
    }
}

#[test]
fn names_in_settings_and_limits_are_checked() {
    let fallback =
        json!({ "tokens": 5, "onExceeded": "fallback", "fallback": { "provider": "nosuch", "model": "m" } });
    let found = found_in(&json!({
        "version": 1,
        "nodes": {
            "limited": { "type": "chat", "limits": { "quota": fallback } },
            "summary": { "type": "chat", "config": { "memory": { "summarizer": { "provider": "away" } } } },
            "data": { "type": "constant", "config": { "value": { "provider": "no provider" } } },
        },
        "settings": {
            "memory": { "summarizer": { "provider": "gone" } },
            "quotas": { "run": fallback },
            "config": { "agent.provider": "lost" },
        },
    }));
    let places: BTreeSet<&str> = found.iter().map(|one| one.pointer.as_str()).collect();
    let expected = [
        "/nodes/limited/limits/quota/fallback/provider",
        "/nodes/summary/config/memory/summarizer/provider",
        "/settings/config/agent.provider",
        "/settings/memory/summarizer/provider",
        "/settings/quotas/run/fallback/provider",
    ];
    assert_eq!(places, BTreeSet::from(expected), "{found:?}");
    let is_warning =
        |one: &Diagnostic| one.severity == Severity::Warning && one.code == codes::PROVIDER_UNKNOWN;
    assert!(found.iter().all(is_warning), "{found:?}");
    assert!(found[0].hint.as_ref().unwrap().contains("plait providers add"), "{found:?}");
}

#[test]
fn tools_that_an_edge_may_bring_are_not_checked() {
    let found = found_in(&json!({
        "version": 1,
        "nodes": {
            "auto": { "type": "tools" },
            "some": { "type": "tools", "config": { "tools": ["calculator", "calulator", ""] } },
            "wrong": { "type": "callTool", "config": { "tool": "gone" } },
            "fed": { "type": "callTool", "config": { "tool": "of_a_server" } },
        },
        "edges": { "e": { "source": "some", "sourceOutput": "tools", "target": "fed", "targetInput": "tools" } },
    }));
    let expected = [
        ("/nodes/some/config/tools/1", "There is no tool `calulator`."),
        ("/nodes/some/config/tools/2", "This entry names no tool."),
        ("/nodes/wrong/config/tool", "There is no tool `gone`."),
    ];
    assert_eq!(places_of(&found), expected);
    assert!(found.iter().all(|one| one.code == codes::TOOLS_UNKNOWN && one.node.is_some()), "{found:?}");
}

/// The body of a disabled loop does not run, so it keeps no run from starting.
#[test]
fn nodes_that_do_not_run_are_not_checked() {
    let document = json!({
        "version": 1,
        "nodes": {
            "off": { "type": "loop", "disabled": true },
            "inner": { "type": "loop", "parent": "off" },
            "body": { "type": "callTool", "parent": "inner", "config": { "tool": "gone" } },
            "own": { "type": "callTool", "disabled": true, "config": { "tool": "gone" } },
        },
    });
    assert_eq!(found_in(&document), []);
    let flow = flow::read(&document.to_string()).unwrap();
    assert_eq!(crate::attachments::takers(&flow).len(), 0);
}
