//! What n8n's nodes make of values, by their versions, options and the defaults that exports leave out: tables of cases, each with the
//! value of the original. The cases of a table are branches of one workflow, which runs.

mod conditions;

use plait_core::flow::Flow;
use plait_import::import;
use serde_json::{Value, json};

use super::run_flow;
use crate::support::journal::Journal;
use crate::support::provider::{RecordingProvider, SentRequest};

/// A node of a table: its type, its version and its parameters.
type Case<'c> = (&'c str, f64, Value);

/// A workflow in which each case works on `item`. The nodes are `t0`, `t1` and so on.
fn workflow(item: &Value, cases: &[Case<'_>]) -> Value {
    let code = format!("return [{{ json: {item} }}];");
    let mut nodes = vec![
        json!({ "name": "Start", "type": "n8n-nodes-base.manualTrigger", "typeVersion": 1, "parameters": {} }),
        json!({ "name": "Make", "type": "n8n-nodes-base.code", "typeVersion": 2, "parameters": { "jsCode": code } }),
    ];
    let to = |name: &str| json!({ "node": name, "type": "main", "index": 0 });
    let mut targets = Vec::new();
    for (index, (kind, version, parameters)) in cases.iter().enumerate() {
        let name = format!("t{index}");
        nodes.push(json!({ "name": name, "type": format!("n8n-nodes-base.{kind}"), "typeVersion": version, "parameters": parameters }));
        targets.push(to(&name));
    }
    json!({ "name": "Table", "nodes": nodes, "connections": { "Start": { "main": [[to("Make")]] }, "Make": { "main": [targets] } } })
}

fn flow(document: &Value) -> Flow {
    let imported = import(&document.to_string(), None, "x").unwrap();
    for node in &imported.report.nodes {
        // Dates are in UTC, the fields of objects are sorted, and agents get no instructions that the file has not.
        let is_said = |lost: &String| {
            ["in UTC", "sorted by name", "“You are a helpful assistant”"]
                .iter()
                .any(|said| lost.contains(said))
        };
        assert!(node.lost.iter().all(is_said), "{node:?}");
    }
    imported.flow
}

async fn journal(document: &Value) -> Journal {
    run_flow(flow(document), &RecordingProvider::echo(), "hello", []).await.1
}

/// What each case of a table made.
async fn results(item: &Value, cases: &[Case<'_>]) -> Vec<Value> {
    let journal = journal(&workflow(item, cases)).await;
    (0..cases.len()).map(|index| journal.output(&format!("t{index}"), "result")).collect()
}

/// The outputs that each case of a table sent its item to.
async fn ways(item: &Value, cases: &[Case<'_>]) -> Vec<Vec<usize>> {
    let ways = |result: &Value| -> Vec<usize> {
        result.as_object().unwrap().keys().map(|key| key.parse().unwrap()).collect()
    };
    results(item, cases).await.iter().map(ways).collect()
}

fn item() -> Value {
    json!({
        "s": "Hello", "blank": "", "n": 7, "zero": 0, "text7": "7", "yes": true, "no": false, "null": null,
        "list": ["x", "Y", 3], "none": [], "o": { "k": 1 }, "e": {}, "d": "2024-01-02T00:00:00+09:00", "day": "2024-05-02",
    })
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "a table")]
async fn n8n_fields_are_set_with_the_types_of_their_version() {
    let own = json!({ "s": "x", "o": { "old": 1 }, "n": "5" });
    let assign = |name: &str, kind: &str, value: Value| json!({ "assignments": { "assignments": [{ "id": "1", "name": name, "type": kind, "value": value }] } });
    let also = |mut parameters: Value, more: Value| {
        parameters.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        parameters
    };
    let fields = |entry: Value, more: Value| also(json!({ "fields": { "values": [entry] } }), more);
    let table: Vec<(f64, Value, Value)> = vec![
        (3.4, assign("a", "string", json!("={{ $json.o }}")), json!({ "a": "{\"old\":1}" })),
        (3.4, assign("a", "string", json!("={{ $json.missing }}")), json!({ "a": null })),
        (
            3.1,
            fields(
                json!({ "name": "a", "type": "stringValue", "stringValue": "={{ $json.missing }}" }),
                json!({ "include": "none", "options": { "ignoreConversionErrors": true } }),
            ),
            json!({ "a": null }),
        ),
        (3.4, assign("a", "string", json!("=<{{ $json.missing }}|{{ $json.s }}>")), json!({ "a": "<|x>" })),
        (3.4, assign("a", "number", json!("={{ $json.n }}")), json!({ "a": 5 })),
        (3.4, assign("a", "boolean", json!("true")), json!({ "a": true })),
        (3.4, assign("a", "boolean", json!("={{ 0 }}")), json!({ "a": false })),
        (3.4, assign("a", "array", json!("[1, \"q\"]")), json!({ "a": [1, "q"] })),
        (3.4, assign("a", "object", json!("{\"k\": \"v\"}")), json!({ "a": { "k": "v" } })),
        (
            3.4,
            assign("a", "object", json!("{ k: 'it', \"l: m\": [1,], }")),
            json!({ "a": { "k": "it", "l: m": [1] } }),
        ),
        (3.4, assign("a", "array", json!("['p', 'q']")), json!({ "a": ["p", "q"] })),
        (
            3.4,
            also(assign("o", "object", json!("={{ { fresh: 2 } }}")), json!({ "includeOtherFields": true })),
            json!({ "s": "x", "o": { "fresh": 2 }, "n": "5" }),
        ),
        (
            3.4,
            also(
                assign("o.b[1].c", "number", json!(1)),
                json!({ "includeOtherFields": true, "include": "selected", "includeFields": "s, o.old" }),
            ),
            json!({ "s": "x", "old": 1, "o": { "b": [null, { "c": 1 }] } }),
        ),
        (
            3.4,
            also(assign("a.b", "number", json!(1)), json!({ "options": { "dotNotation": false } })),
            json!({ "a.b": 1 }),
        ),
        (
            3.4,
            also(
                assign("a", "number", json!("five")),
                json!({ "options": { "ignoreConversionErrors": true } }),
            ),
            json!({ "a": "five" }),
        ),
        (
            3.2,
            fields(json!({ "name": "y", "stringValue": "z" }), json!({})),
            json!({ "s": "x", "o": { "old": 1 }, "n": "5", "y": "z" }),
        ),
        (
            3.0,
            fields(
                json!({ "name": "y", "type": "numberValue", "numberValue": "7" }),
                json!({ "include": "none" }),
            ),
            json!({ "y": 7 }),
        ),
        (
            3.0,
            fields(
                json!({ "name": "y", "type": "booleanValue" }),
                json!({ "include": "except", "excludeFields": "o,n" }),
            ),
            json!({ "s": "x", "y": true }),
        ),
        (
            3.4,
            json!({ "mode": "raw", "jsonOutput": "={ \"a\": {{ $json.o }}, \"b\": \"{{ $json.s }}\" }" }),
            json!({ "a": { "old": 1 }, "b": "x" }),
        ),
        (
            3.0,
            json!({ "mode": "raw", "jsonOutput": "{\"s\": 1}", "include": "selected", "includeFields": "n" }),
            json!({ "s": 1, "n": "5" }),
        ),
        (
            1.0,
            json!({ "values": { "number": [{ "name": "a", "value": "={{ $json.n }}" }], "boolean": [{ "name": "b" }] }, "keepOnlySet": true }),
            json!({ "a": "5", "b": false }),
        ),
        (
            2.0,
            json!({ "values": { "number": [{ "name": "a", "value": "={{ $json.n }}" }], "string": [{ "name": "c.d", "value": "e" }] }, "keepOnlySet": true }),
            json!({ "a": 5, "c": { "d": "e" } }),
        ),
        (
            1.0,
            json!({ "values": { "string": [{ "name": "s", "value": "y" }] } }),
            json!({ "s": "y", "o": { "old": 1 }, "n": "5" }),
        ),
    ];
    let cases: Vec<Case<'_>> =
        table.iter().map(|(version, parameters, _)| ("set", *version, parameters.clone())).collect();
    let found = results(&own, &cases).await;
    for ((version, parameters, expected), found) in table.iter().zip(found) {
        assert_eq!(&found, expected, "{version} {parameters}");
    }
}

/// What merges of these modes make of the items of two inputs.
async fn merges(left: &Value, right: &Value, table: &[(f64, Value, Value)]) {
    let mut document = workflow(left, &[]);
    let code = |items: &Value| json!({ "jsCode": format!("return {items}.map((json) => ({{ json }}));") });
    document["nodes"][1]["parameters"] = code(left);
    let mut nodes = document["nodes"].as_array().unwrap().clone();
    nodes.push(json!({ "name": "Right", "type": "n8n-nodes-base.code", "typeVersion": 2, "parameters": code(right) }));
    let (mut one, mut other) = (vec![], vec![]);
    for (index, (version, parameters, _)) in table.iter().enumerate() {
        let name = format!("t{index}");
        nodes.push(json!({ "name": name, "type": "n8n-nodes-base.merge", "typeVersion": version, "parameters": parameters }));
        one.push(json!({ "node": name, "type": "main", "index": 0 }));
        other.push(json!({ "node": name, "type": "main", "index": 1 }));
    }
    document["nodes"] = nodes.into();
    document["connections"]["Make"] = json!({ "main": [one] });
    document["connections"]["Right"] = json!({ "main": [other] });
    let right = json!({ "node": "Right", "type": "main", "index": 0 });
    document["connections"]["Start"]["main"][0].as_array_mut().unwrap().push(right);
    let journal = journal(&document).await;
    for (index, (version, parameters, expected)) in table.iter().enumerate() {
        assert_eq!(&journal.output(&format!("t{index}"), "result"), expected, "{version} {parameters}");
    }
}

#[tokio::test]
async fn n8n_items_are_merged_by_the_mode_of_their_version() {
    let table: Vec<(f64, Value, Value)> = vec![
        (1.0, json!({}), json!([{ "a": 1, "o": { "l": 1 } }, { "a": 2, "o": { "r": 2 } }, { "a": 3 }])),
        (1.0, json!({ "mode": "mergeByIndex" }), json!({ "a": 2, "o": { "r": 2 } })),
        (
            1.0,
            json!({ "mode": "mergeByIndex", "join": "outer" }),
            json!([{ "a": 2, "o": { "r": 2 } }, { "a": 3 }]),
        ),
        (
            1.0,
            json!({ "mode": "multiplex" }),
            json!([{ "a": 2, "o": { "r": 2 } }, { "a": 3, "o": { "l": 1 } }]),
        ),
        (
            1.0,
            json!({ "mode": "passThrough", "output": "input2" }),
            json!([{ "a": 2, "o": { "r": 2 } }, { "a": 3 }]),
        ),
        (1.0, json!({ "mode": "wait" }), json!({})),
        (
            2.1,
            json!({ "mode": "combine", "combinationMode": "mergeByPosition" }),
            json!({ "a": 2, "o": { "l": 1, "r": 2 } }),
        ),
        (
            2.1,
            json!({ "mode": "combine", "combinationMode": "mergeByPosition", "options": { "includeUnpaired": true } }),
            json!([{ "a": 2, "o": { "l": 1, "r": 2 } }, { "a": 3 }]),
        ),
        (
            2.1,
            json!({ "mode": "chooseBranch", "output": "input2" }),
            json!([{ "a": 2, "o": { "r": 2 } }, { "a": 3 }]),
        ),
        (
            3.0,
            json!({ "mode": "combine", "combineBy": "combineByPosition", "options": { "clashHandling": { "values": { "resolveClash": "preferInput1", "mergeMode": "shallowMerge" } } } }),
            json!({ "a": 1, "o": { "l": 1 } }),
        ),
        (
            3.0,
            json!({ "mode": "combine", "combineBy": "combineAll" }),
            json!([{ "a": 2, "o": { "l": 1, "r": 2 } }, { "a": 3, "o": { "l": 1 } }]),
        ),
        (3.0, json!({ "mode": "chooseBranch" }), json!({ "a": 1, "o": { "l": 1 } })),
        (3.0, json!({ "mode": "chooseBranch", "output": "empty" }), json!({})),
    ];
    merges(&json!([{ "a": 1, "o": { "l": 1 } }]), &json!([{ "a": 2, "o": { "r": 2 } }, { "a": 3 }]), &table)
        .await;
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "a table")]
async fn n8n_items_are_merged_by_their_fields() {
    let left = json!([{ "id": 1, "l": "one", "o": { "x": 1 } }, { "id": 2, "l": "two" }, { "l": "none" }]);
    let right = json!([
        { "id": 2, "l": "", "r": "second" }, { "id": 1, "l": "right", "o": { "y": 2 } }, { "id": "2", "r": "text" }, { "id": 9, "r": "nine" },
    ]);
    let by_key = |mode: &str, overwrite: &str| {
        (1.0, json!({ "mode": mode, "propertyName1": "id", "propertyName2": "id", "overwrite": overwrite }))
    };
    let fields = |join: &str, from: &str, options: Value| {
        (
            3.0,
            json!({ "mode": "combine", "fieldsToMatchString": "id", "joinMode": join, "outputDataFrom": from, "options": options }),
        )
    };
    let clash = |values: Value| json!({ "clashHandling": { "values": values } });
    let (one, two) = (
        json!({ "id": 1, "l": "right", "o": { "x": 1, "y": 2 } }),
        json!({ "id": 2, "l": "", "r": "second" }),
    );
    let (third, text, nine) =
        (json!({ "l": "none" }), json!({ "id": "2", "r": "text" }), json!({ "id": 9, "r": "nine" }));
    let with = |mut json: Value, name: &str, value: Value| {
        json[name] = value;
        json
    };
    let table: Vec<((f64, Value), Value)> = vec![
        (
            by_key("mergeByKey", "always"),
            json!([{ "id": 1, "l": "right", "o": { "y": 2 } }, { "id": 2, "l": "two", "r": "text" }]),
        ),
        (by_key("mergeByKey", "blank"), json!([left[0], { "id": 2, "l": "two", "r": "text" }])),
        (by_key("mergeByKey", "undefined"), json!([left[0], { "id": 2, "l": "two", "r": "text" }])),
        (by_key("keepKeyMatches", "always"), json!([left[0], left[1]])),
        (by_key("removeKeyMatches", "always"), third.clone()),
        ((1.0, json!({ "mode": "removeKeyMatches" })), left.clone()),
        ((3.0, json!({ "mode": "combine", "fieldsToMatchString": "id" })), json!([one, two])),
        (
            (
                2.1,
                json!({ "mode": "combine", "mergeByFields": { "values": [{ "field1": "id", "field2": "id" }] } }),
            ),
            json!([one, two]),
        ),
        (
            (
                3.0,
                json!({ "mode": "combine", "combineBy": "combineByFields", "advanced": true, "mergeByFields": { "values": [{ "field1": "o.x", "field2": "id" }] } }),
            ),
            json!({ "id": 1, "l": "right", "o": { "x": 1, "y": 2 } }),
        ),
        (fields("keepMatches", "input1", json!({})), json!([left[0], left[1]])),
        (fields("keepMatches", "input2", json!({})), json!([right[0], right[1]])),
        (
            fields("keepNonMatches", "both", json!({})),
            json!([
                with(third.clone(), "_source", json!("input1")),
                with(text.clone(), "_source", json!("input2")),
                with(nine.clone(), "_source", json!("input2"))
            ]),
        ),
        (fields("keepNonMatches", "input1", json!({})), third.clone()),
        (fields("keepNonMatches", "input2", json!({ "fuzzyCompare": true })), nine.clone()),
        (fields("keepEverything", "both", json!({})), json!([one, two, third, text, nine])),
        (fields("enrichInput1", "both", json!({})), json!([one, two, third])),
        (
            fields("enrichInput2", "both", json!({})),
            json!([{ "id": 1, "l": "one", "o": { "x": 1, "y": 2 } }, { "id": 2, "l": "two", "r": "second" }, text, nine]),
        ),
        (
            fields("keepMatches", "both", json!({ "fuzzyCompare": true })),
            json!([one, two, { "id": "2", "l": "two", "r": "text" }]),
        ),
        (
            fields("keepMatches", "both", json!({ "fuzzyCompare": true, "multipleMatches": "first" })),
            json!([one, two]),
        ),
        (
            fields("keepMatches", "both", clash(json!({ "overrideEmpty": true }))),
            json!([one, { "id": 2, "l": "two", "r": "second" }]),
        ),
        (
            fields("keepMatches", "both", clash(json!({ "mergeMode": "shallowMerge" }))),
            json!([{ "id": 1, "l": "right", "o": { "y": 2 } }, two]),
        ),
        (
            fields("enrichInput1", "both", clash(json!({ "resolveClash": "addSuffix" }))),
            json!([
                { "id_1": 1, "l_1": "one", "o_1": { "x": 1 }, "id_2": 1, "l_2": "right", "o_2": { "y": 2 } },
                { "id_1": 2, "l_1": "two", "id_2": 2, "l_2": "", "r_2": "second" },
                { "l_1": "none" },
            ]),
        ),
        (
            (
                3.0,
                json!({ "mode": "combine", "combineBy": "combineByPosition", "options": clash(json!({ "resolveClash": "addSuffix", "overrideEmpty": true })) }),
            ),
            json!([
                { "id_1": 1, "l_1": "one", "o_1": { "x": 1 }, "id_2": 2, "l_2": "", "r_2": "second" },
                { "id_1": 2, "l_1": "two", "id_2": 1, "l_2": "right", "o_2": { "y": 2 } },
                { "l_1": "none", "id_2": "2", "r_2": "text" },
            ]),
        ),
    ];
    let table: Vec<_> =
        table.into_iter().map(|((version, parameters), made)| (version, parameters, made)).collect();
    merges(&left, &right, &table).await;
}

#[test]
fn n8n_items_are_never_merged_by_guess() {
    let modes = [
        (1.0, json!({ "mode": "other" })),
        (2.0, json!({ "mode": "combine" })),
        (3.0, json!({ "mode": "combine", "fieldsToMatchString": "={{ $json.name }}" })),
        (3.0, json!({ "mode": "combineBySql" })),
    ];
    for (version, parameters) in modes {
        let document = workflow(&json!({}), &[("merge", version, parameters.clone())]);
        let flow = import(&document.to_string(), None, "x").unwrap().flow;
        assert_eq!(flow.nodes["t0"].node_type, "placeholder", "{version} {parameters}");
    }
}

#[tokio::test]
async fn n8n_expressions_have_the_values_of_javascript() {
    let table: Vec<(&str, Value)> = vec![
        ("={{ $json.s || 'nothing' }}", json!("Hello")),
        ("={{ $json.missing.deeper }}", json!("")),
        ("=a{{ $json.null }}b{{ $json.no }}c{{ $json.zero }}", json!("abfalsec0")),
        ("={{ $json.list.map((one) => one + '!').join(' ') }}", json!("x! Y! 3!")),
        ("={{ $json.list.first() }}{{ $json.e.isEmpty() }}", json!("xtrue")),
        ("={{ $('Make').first().json.n + $node[\"Make\"].json.n }}", json!(14)),
        ("={{ $input.all().length }} of {{ $workflow.name }}", json!("1 of Table")),
        ("={{ `${$json.s}` + \"}\" }}", json!("Hello}")),
        ("={{ $if($json.n > 5, 'big', 'small') }}{{ $ifEmpty($json.blank, '-') }}", json!("big-")),
        ("={{ JSON.stringify($json.o) }}", json!("{\"k\":1}")),
        ("={{ $json.list[2] }}", json!(3)),
        ("={{ $now.year > 2000 }}", json!(true)),
        (
            "={{ DateTime.fromISO('2024-01-31T22:05:00Z').plus({ months: 1 }).toFormat(\"cccc d MMM yyyy, h:mm a 'o'\") }}",
            json!("Thursday 29 Feb 2024, 10:05 PM o"),
        ),
    ];
    let cases: Vec<Case<'_>> = table
        .iter()
        .map(|(text, _)| ("respondToWebhook", 1.1, json!({ "respondWith": "text", "responseBody": text })))
        .collect();
    let journal = journal(&workflow(&item(), &cases)).await;
    for (index, (text, expected)) in table.iter().enumerate() {
        assert_eq!(&journal.output(&format!("t{index}-expression"), "result"), expected, "{text}");
    }
}

/// An agent after a node that sets fields, with the message that it reads.
fn agent(text: &Value) -> Value {
    let set = json!({ "assignments": { "assignments": [
        { "id": "1", "name": "chatInput", "type": "string", "value": "=Q: {{ $json.chatInput }}" },
        { "id": "2", "name": "internal", "type": "string", "value": "private" },
    ] } });
    let to = |name: &str, kind: &str| json!({ kind: [[{ "node": name, "type": kind, "index": 0 }]] });
    json!({
        "nodes": [
            { "name": "Chat", "type": "@n8n/n8n-nodes-langchain.chatTrigger", "typeVersion": 1.1, "parameters": {} },
            { "name": "Fields", "type": "n8n-nodes-base.set", "typeVersion": 3.4, "parameters": set },
            { "name": "Agent", "type": "@n8n/n8n-nodes-langchain.agent", "typeVersion": 1.7, "parameters": text },
            { "name": "Model", "type": "@n8n/n8n-nodes-langchain.lmChatOpenAi", "typeVersion": 1, "parameters": { "model": "gpt-4o" } },
        ],
        "connections": { "Chat": to("Fields", "main"), "Fields": to("Agent", "main"), "Model": to("Agent", "ai_languageModel") },
    })
}

#[tokio::test]
async fn n8n_agent_receives_the_message_it_names_and_no_other_field() {
    for parameters in [
        json!({}),
        json!({ "promptType": "auto" }),
        json!({ "promptType": "define", "text": "={{ $json.chatInput }}" }),
        json!({ "promptType": "define", "text": "={{ $json.chatInput.trim() }}" }),
    ] {
        let (sent, _) = run_flow(flow(&agent(&parameters)), &RecordingProvider::echo(), "hello", []).await;
        assert_eq!(sent.iter().map(SentRequest::last_text).collect::<Vec<_>>(), ["Q: hello"], "{parameters}");
    }
}

#[test]
fn n8n_expression_beyond_the_sandbox_is_a_placeholder_and_no_text() {
    for expression in [
        "$now.setZone('UTC')",
        "$execution.id",
        "$json.a.toDateTime()",
        "$('Nobody').item.json.x",
        "fetch('http://127.0.0.1')",
        // No JavaScript: what stands around it would close its brackets.
        "1)), String((2",
        "$json.a.slice(0",
    ] {
        let text = json!({ "promptType": "define", "text": format!("=Say {{{{ {expression} }}}}") });
        let flow = import(&agent(&text).to_string(), None, "x").unwrap().flow;
        assert_eq!(flow.nodes["agent-expression"].node_type, "placeholder", "{expression}");
        assert!(!flow.nodes["agent"].config.contains_key("prompt"), "{expression}");
    }
}

#[tokio::test]
async fn n8n_workflow_goes_on_after_errors_where_a_node_says_so() {
    let request = |mode: &str| json!({ "name": "Ask", "type": "n8n-nodes-base.httpRequest", "typeVersion": 4.2, "parameters": { "url": "http://127.0.0.1:9/" }, "onError": mode });
    let note = |name: &str| json!({ "name": name, "type": "n8n-nodes-base.respondToWebhook", "typeVersion": 1.1, "parameters": { "respondWith": "text", "responseBody": format!("={name} {{{{ $json.error ? 'error' : 'fine' }}}}") } });
    let to = |name: &str| json!([{ "node": name, "type": "main", "index": 0 }]);
    let document = |mode: &str, targets: Value| {
        let start = json!({ "name": "Start", "type": "n8n-nodes-base.manualTrigger", "typeVersion": 1, "parameters": {} });
        json!({
            "nodes": [start, request(mode), note("Done"), note("Failed")],
            "connections": { "Start": { "main": [to("Ask")] }, "Ask": { "main": targets } },
        })
    };
    let journal_of = async |mode: &str, targets: Value| {
        let flow = import(&document(mode, targets).to_string(), None, "x").unwrap().flow;
        run_flow(flow, &RecordingProvider::echo(), "", []).await.1
    };
    let own = journal_of("continueErrorOutput", json!([to("Done"), to("Failed")])).await;
    assert_eq!(own.output("failed-expression", "result"), "Failed error");
    let regular = journal_of("continueRegularOutput", json!([to("Done")])).await;
    assert_eq!(regular.output("done-expression", "result"), "Done error");
}
