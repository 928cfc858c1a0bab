//! Images and files on `attach`, in replies, in the history, and refusals before the call.

use std::sync::Arc;

use serde_json::json;

use super::{main, prompt};
use crate::codes;
use crate::testing::{NodeHarness, NodeRun};
use plait_core::attachment;
use plait_core::attachment::{Attachment, AttachmentStore as _, inspect};
use plait_journal::{CallEvent, Event, NodeEvent};
use plait_llm::context::{Content, Role};
use plait_llm::prompt_record::PromptPart;
use plait_llm::provider::ModelReply;
use plait_llm::tool::ToolSpec;
use plait_testing::{PIXEL, ScriptedReply};

/// Stores a file and returns its reference.
fn stored(harness: &NodeHarness, name: &str, bytes: &[u8]) -> Attachment {
    let found = inspect(name, bytes.into()).unwrap();
    let data = found.data.clone().unwrap();
    futures::executor::block_on(harness.attachments.put(&found.hash, data)).unwrap();
    Attachment { data: None, ..found }
}

fn send(harness: &mut NodeHarness, attachments: &[Attachment]) -> NodeRun {
    let inputs = [
        ("context", main()),
        ("message", json!("What is this?")),
        ("attach", attachment::to_values(attachments)),
    ];
    harness.run("chat", json!({}), &inputs)
}

/// Name and bytes of what request `index` has in its last message.
fn sent(harness: &NodeHarness, index: usize) -> Vec<(String, Vec<u8>)> {
    let requests = harness.provider.requests();
    let last = requests[index].messages.last().unwrap();
    let bytes = |attachment: &Attachment| attachment.data.as_deref().unwrap_or_default().to_vec();
    last.content.attachments().map(|attachment| (attachment.name.clone(), bytes(attachment))).collect()
}

#[test]
fn provider_receives_the_bytes_and_the_journal_the_reference() {
    let mut harness = NodeHarness::new();
    let photo = stored(&harness, "photo.png", PIXEL);
    let notes = stored(&harness, "notes.txt", b"Milk.\n");
    let run = send(&mut harness, &[photo.clone(), notes]);
    assert_eq!(sent(&harness, 0), [("photo.png".to_owned(), PIXEL.to_vec())]);
    let text = "What is this?\n\n----- Begin of file notes.txt\nMilk.\n----- End of file notes.txt";
    assert_eq!(harness.provider.requests()[0].messages[0].content.text(), text);

    let record = prompt(&run);
    let [
        PromptPart::Message { text: own, tokens, .. },
        PromptPart::Attachments { attachments, tokens: of_image, .. },
    ] = &record.parts[..]
    else {
        panic!("{:?}", record.parts);
    };
    assert_eq!((own.as_str(), attachments, *of_image), (text, &vec![photo.clone()], 1));
    assert_eq!(record.counted(), tokens + of_image);
    assert!(
        run.events.iter().all(|event| !format!("{event:?}").contains("data: Some")),
        "no event has bytes"
    );
    // The conversation keeps it, and sends it with the next call.
    let history = harness.context("main").message_history.clone();
    assert_eq!(history.iter().next().unwrap().content.attachments().collect::<Vec<_>>(), [&photo]);
    send(&mut harness, &[]);
    let first = &harness.provider.requests()[1].messages[0];
    assert!(first.content.attachments().all(|attachment| attachment.data.as_deref() == Some(PIXEL)));
}

#[test]
fn missing_bytes_and_other_values_fail_before_the_call() {
    let mut harness = NodeHarness::new();
    let photo = Attachment { data: None, ..inspect("photo.png", PIXEL.into()).unwrap() };
    // A model with a price.
    let config = json!({ "overrideProvider": "openai", "overrideModel": "gpt-4o" });
    let inputs = [("context", main()), ("message", json!("?")), ("attach", attachment::to_value(&photo))];
    let run = harness.run("chat", config, &inputs);
    let names = run.event_names();
    assert!(!names.iter().any(|name| name == "model.failed"), "nothing was sent: {names:?}");
    let fault = run.result.unwrap_err();
    assert_eq!(fault.code, codes::ATTACHMENT_MISSING);
    assert!(fault.message.contains("`photo.png`"), "{}", fault.message);
    let inputs = [("context", main()), ("message", json!("?")), ("attach", json!("photo.png"))];
    assert_eq!(harness.run("chat", json!({}), &inputs).code(), "attachment.bad_value");
    assert!(harness.provider.requests().is_empty());
}

#[test]
fn protocol_that_has_no_form_for_a_type_refuses_before_the_call() {
    let mut harness = NodeHarness::new();
    harness.provider.refuse_attachments("image/png");
    let photo = stored(&harness, "photo.png", PIXEL);
    let fault = send(&mut harness, &[photo]).result.unwrap_err();
    assert_eq!(fault.code, codes::ATTACHMENT_UNSUPPORTED);
    assert!(fault.message.contains("image `photo.png`") && fault.message.contains("`offline`"), "{fault}");
    assert!(harness.provider.requests().is_empty());
}

#[test]
fn model_that_takes_no_images_is_not_called() {
    let mut harness = NodeHarness::new();
    let photo = stored(&harness, "photo.png", PIXEL);
    let config = json!({ "overrideProvider": "openai", "overrideModel": "o3-mini" });
    let inputs = [("context", main()), ("message", json!("?")), ("attach", attachment::to_value(&photo))];
    let run = harness.run("chat", config, &inputs);
    assert_eq!(run.code(), "attachment.unsupported");
    let message = run.result.unwrap_err().message;
    assert!(message.contains("`o3-mini`") && message.contains("image `photo.png`"), "{message}");
    assert!(harness.provider.requests().is_empty());
}

#[test]
fn image_of_a_reply_is_stored_journaled_and_an_output() {
    let mut harness = NodeHarness::new();
    let image = inspect("image-1.png", PIXEL.into()).unwrap();
    let reply = ModelReply { attachments: vec![image.clone()], ..ModelReply::default() };
    harness.provider.push_replies([ScriptedReply::Reply(reply)]);
    let run = send(&mut harness, &[]);
    let reference = Attachment { data: None, ..image };
    assert_eq!(run.output("attachments"), Some(&attachment::to_values(std::slice::from_ref(&reference))));
    let replied = run.events.iter().find_map(|event| match event {
        Event::Call(_, CallEvent::ModelReplied { reply, .. }) => Some(reply.attachments.clone()),
        _ => None,
    });
    assert_eq!(replied, Some(vec![reference.clone()]));
    assert_eq!(harness.attachments.stored.lock().get(&reference.hash), Some(&Arc::from(PIXEL)));
    let last = harness.context("main").message_history.last().unwrap().content.clone();
    assert_eq!(last, Content::with_attachments(String::new(), [reference]));
}

/// A round in which the tool `photo` returns a text and an image.
fn call_photo(harness: &mut NodeHarness) -> NodeRun {
    stored(harness, "photo.png", PIXEL);
    harness
        .provider
        .push_replies([ScriptedReply::calls(&[("photo", json!({}))]), ScriptedReply::text("A pixel.")]);
    let photo = ToolSpec::new("photo", "Takes a photo.", json!({ "type": "object" }), "native");
    let inputs = [("context", main()), ("message", json!("Look.")), ("tools", json!([[photo]]))];
    harness.run("chat", json!({}), &inputs)
}

#[test]
fn images_of_tools_reach_models_that_take_images() {
    let mut harness = NodeHarness::new();
    let run = call_photo(&mut harness);
    assert_eq!(run.output("response"), Some(&json!("A pixel.")));
    assert_eq!(sent(&harness, 1), [("photo.png".to_owned(), PIXEL.to_vec())]);
    let request = &harness.provider.requests()[1];
    let roles: Vec<_> = request.messages.iter().map(|message| message.role).collect();
    assert_eq!(roles, [Role::User, Role::Assistant, Role::Tool, Role::User]);
    assert!(request.messages[2].content.text().contains("image/png"), "the result says what it is");
    let mut prompts = run.events.iter().filter_map(|event| match event {
        Event::Call(_, CallEvent::PromptRendered { prompt, .. }) => Some(Arc::clone(prompt)),
        _ => None,
    });
    let record = prompts.next_back().unwrap();
    let Some(PromptPart::Step { count, rejection, images, .. }) = record.parts.last() else {
        panic!("{:?}", record.parts)
    };
    assert_eq!((*count, rejection, images.len()), (3, &None, 1));
    assert_eq!(
        harness.context("main").message_history.len(),
        2,
        "the conversation keeps question and answer"
    );
}

#[test]
fn images_of_tools_are_only_described_to_other_models() {
    let mut harness = NodeHarness::new();
    harness.provider.refuse_attachments("image/png");
    let run = call_photo(&mut harness);
    assert_eq!(run.output("response"), Some(&json!("A pixel.")));
    let request = &harness.provider.requests()[1];
    assert_eq!(request.messages.len(), 3);
    assert!(request.messages[2].content.text().contains("image/png"));
}

#[test]
fn text_file_in_another_encoding_is_read_with_a_notice() {
    let mut harness = NodeHarness::new();
    let old = stored(&harness, "old.txt", b"Gr\xf6\xdfe");
    let marked = stored(&harness, "marked.txt", "\u{feff}Milch".as_bytes());
    let run = send(&mut harness, &[old, marked]);
    let text = harness.provider.requests()[0].messages[0].content.text();
    assert!(text.contains("file old.txt\nGröße\n") && text.contains("file marked.txt\nMilch\n"), "{text}");
    let notices = run.events.iter().filter_map(|event| match event {
        Event::Node(_, NodeEvent::Noticed { notice }) => Some(notice),
        _ => None,
    });
    let notices: Vec<_> = notices.collect();
    assert_eq!(notices.len(), 1, "{notices:?}");
    assert_eq!(notices[0].code, codes::ATTACHMENT_OTHER_ENCODING);
    assert!(notices[0].message.contains("`old.txt`") && notices[0].message.contains("Windows-1252"));
}
