//! Agents that call tools in one conversation share their final replies, never their tool messages.

use plait_core::flow;
use plait_core::flow::Flow;
use plait_llm::context::{Role, ToolCall};
use plait_llm::provider::{ModelReply, StopReason};
use serde_json::json;

use crate::support::app::App;
use crate::support::provider::{RecordingProvider, SentRequest, assistant, text, user};

fn two_agents() -> Flow {
    let edge = |source: &str, output: &str, target: &str, input: &str| json!({ "source": source, "sourceOutput": output, "target": target, "targetInput": input });
    let flow = json!({
        "version": 1,
        "name": "Two agents",
        "nodes": {
            "start": { "type": "contextStart", "config": { "provider": "offline", "model": "echo" } },
            "tools": { "type": "tools" },
            "first": { "type": "chat", "config": { "prompt": "Add." } },
            "second": { "type": "chat", "config": { "prompt": "Multiply." } },
            "closing": { "type": "chat", "config": { "prompt": "Sum up." } },
        },
        "edges": {
            "1": edge("start", "context", "first", "context"),
            "2": edge("first", "context", "second", "context"),
            "3": edge("second", "context", "closing", "context"),
            "4": edge("tools", "tools", "first", "tools"),
            "5": edge("tools", "tools", "second", "tools"),
        },
    });
    flow::read(&flow.to_string()).unwrap()
}

fn calls(expressions: &[&str]) -> ModelReply {
    let call = |(index, expression): (usize, &&str)| ToolCall {
        id: format!("c{index}"),
        name: "calculator".to_owned(),
        arguments: json!({ "expression": expression }),
    };
    ModelReply {
        text: "Let me see.".to_owned(),
        tool_calls: expressions.iter().enumerate().map(call).collect(),
        stop_reason: StopReason::ToolCalls,
        ..ModelReply::default()
    }
}

#[tokio::test]
async fn agents_share_only_their_final_replies() {
    let results =
        |sent: &SentRequest| sent.messages.iter().rev().take_while(|(role, _)| *role != Role::User).count();
    let provider = RecordingProvider::with_rule(move |sent, _| {
        let asked = sent.messages.iter().rev().find(|(role, _)| *role == Role::User).unwrap().1.clone();
        Ok(match (asked.as_str(), results(sent)) {
            ("Add.", 0) => calls(&["1 + 2", "3 + 4"]),
            ("Add.", 3) => calls(&["3 + 7"]),
            ("Add.", _) => text("It is 10."),
            ("Multiply.", 0) => calls(&["10 * 10"]),
            ("Multiply.", _) => text("It is 100."),
            _ => text("10, then 100."),
        })
    });
    let journal = App::with(&provider).run(&two_agents(), [""; 0]).await;

    let shared = [
        user("Add."),
        assistant("It is 10."),
        user("Multiply."),
        assistant("It is 100."),
        user("Sum up."),
        assistant("10, then 100."),
    ];
    assert_eq!(journal.history("main"), shared);
    // The last model sees the final replies and nothing else.
    let sent = provider.sent();
    assert_eq!(sent.len(), 6);
    assert_eq!(sent[5].messages, shared[..5]);
    assert!(sent[5].tools.is_empty());
    assert_eq!(sent[3].messages, shared[..3], "and the second agent none of the first one's tools");
    // Results follow their calls.
    let tool = |text: &str| (Role::Tool, text.to_owned());
    assert_eq!(
        sent[2].messages,
        [user("Add."), assistant("Let me see."), tool("3"), tool("7"), assistant("Let me see."), tool("10"),]
    );

    // The node's own record has the whole trace.
    let view = journal.view();
    let trace = |node: &str| -> Vec<String> {
        let shown = view.nodes[node].shown().unwrap();
        assert!(shown.tools.iter().all(|tool| tool.ended_at.is_some()));
        shown
            .tools
            .iter()
            .map(|tool| format!("{} = {}", tool.call.arguments["expression"], tool.result.clone().unwrap()))
            .collect()
    };
    assert_eq!(trace("first"), ["\"1 + 2\" = 3", "\"3 + 4\" = 7", "\"3 + 7\" = 10"]);
    assert_eq!(trace("second"), ["\"10 * 10\" = 100"]);
    assert_eq!(view.nodes["first"].shown().unwrap().calls.len(), 3);
    assert!(view.contexts["main"].record.message_history.iter().all(|message| message.tool_calls.is_empty()));
}
