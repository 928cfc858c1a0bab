//! Every setting of every node type is always read, or a test says where nothing reads it.

use std::collections::BTreeSet;

use plait_nodes::registry;

/// Settings that have an effect wherever they stand, or whose combinations the check of the config refuses.
const ALWAYS_READ: &[(&str, &[&str])] = &[
    (
        "contextStart",
        &[
            "contextId",
            "conversation/maxMessages",
            "conversation/maxTokens",
            "conversation/strategy",
            "model",
            "provider",
            "systemInstructions",
        ],
    ),
    ("injectMessages", &["contextId", "messages"]),
    ("setContext", &["contextId", "model", "provider", "resetHistory", "systemInstructions"]),
    ("newContext", &["model", "provider", "systemInstructions"]),
    ("approval", &["prompt"]),
    ("manualInput", &["addToHistory", "text"]),
    ("userInput", &["addToHistory", "attachments", "prompt", "schema"]),
    (
        "chat",
        &[
            "blocks",
            "blocks/order",
            "contextWindow",
            "knowledge/bases",
            "knowledge/folder",
            "maxTokens",
            "memory",
            "memory/mode",
            "options",
            "overrideModel",
            "overrideProvider",
            "prompt",
            "responseSchema",
            "skipHistory",
            "temperature",
            "blocks/caps",
        ],
    ),
    (
        "classify",
        &[
            "classes",
            "instructions",
            "knowledge",
            "knowledge/bases",
            "knowledge/folder",
            "options",
            "other",
            "overrideModel",
            "overrideProvider",
            "pinned",
        ],
    ),
    (
        "extract",
        &[
            "contextWindow",
            "instructions",
            "knowledge",
            "knowledge/bases",
            "knowledge/folder",
            "maxRepairs",
            "maxTokens",
            "options",
            "overrideModel",
            "overrideProvider",
            "schema",
            "use_history",
        ],
    ),
    ("callTool", &["arguments", "tool"]),
    ("httpRequest", &["body", "failOnErrorStatus", "headers", "method", "query", "url"]),
    (
        "mcpServer",
        &[
            "policy",
            "policy/approval",
            "policy/attempts",
            "policy/timeoutMs",
            "prefix",
            "sendContext",
            "server",
            "tools",
        ],
    ),
    ("tools", &["http", "openapi", "openapi/document", "perTool", "tools"]),
    ("code", &["code"]),
    ("json", &["mode", "query"]),
    ("recall", &["kinds", "limit"]),
    ("remember", &["kind"]),
    ("retrieve", &["bases", "folder", "maxTokens"]),
    ("text", &["syntax", "template"]),
    ("value", &["value"]),
    ("delay", &["ms"]),
    ("join", &["names", "separator", "splitQuota"]),
    (
        "loop",
        &[
            "conversation",
            "history_management/strategy",
            "init/history",
            "init/history/start_with",
            "kind",
            "max_iterations",
        ],
    ),
    ("subflow", &["file", "flow", "inputSource"]),
    ("note", &["text"]),
    ("output", &["format", "name"]),
    ("placeholder", &["format", "inputs", "kind", "original", "outputs", "reason"]),
    ("portalIn", &["channel", "kind"]),
    ("portalOut", &["channel", "kind"]),
];

/// The settings that the node types name as unused at some place, whether or not a test sets them.
fn settings_with_conditions(source: &str) -> BTreeSet<String> {
    source.split('"').map(|text| text.rsplit('/').next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn each_setting_of_each_node_type_is_always_read_or_tested_here() {
    let tested = settings_with_conditions(include_str!("../unused_settings.rs"));
    let mut missing = Vec::new();
    for descriptor in registry().descriptors() {
        let read = ALWAYS_READ.iter().filter(|(name, _)| *name == descriptor.node_type);
        let read: BTreeSet<&str> = read.flat_map(|(_, names)| names.iter().copied()).collect();
        for (path, _) in descriptor.settings() {
            // The items of a list and the rows of a table belong to their setting.
            let pointer = path.replace('.', "/");
            if pointer.contains("[]") || pointer.contains("/NAME") {
                continue;
            }
            let last = pointer.rsplit('/').next().unwrap_or_default();
            if !read.contains(pointer.as_str()) && !tested.contains(last) {
                missing.push(format!("{}: {pointer}", descriptor.node_type));
            }
        }
    }
    assert_eq!(
        missing, [""; 0],
        "say in `NodeType::unused` when it has no effect, or list it in `ALWAYS_READ`"
    );
}
