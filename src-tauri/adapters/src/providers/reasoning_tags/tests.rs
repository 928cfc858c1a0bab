use super::*;

/// What streams and what is returned, with the text cut after each number of characters.
fn streamed(text: &str, size: usize) -> (String, String) {
    let mut stream = TagStream::default();
    let (mut reasoning, mut said) = (String::new(), String::new());
    let mut sink = |chunk| match chunk {
        Chunk::Text(text) => said.push_str(&text),
        Chunk::Reasoning(text) => reasoning.push_str(&text),
    };
    let chars: Vec<char> = text.chars().collect();
    for piece in chars.chunks(size) {
        stream.push(Chunk::Text(piece.iter().collect()), &mut sink);
    }
    stream.finish(&mut sink);
    (reasoning, said)
}

#[test]
fn tagged_beginning_is_reasoning() {
    for (text, reasoning, rest) in [
        ("<think>\nHm. 1 < 2.\n</think>\n\nHello!", "Hm. 1 < 2.", "Hello!"),
        ("\n <THINK>Hm.</Think>Hello!", "Hm.", "Hello!"),
        ("[THINK]Hm.[/THINK]Hello!", "Hm.", "Hello!"),
        ("<think></think>\n\nHello!", "", "Hello!"),
        ("<think>Hm", "Hm", ""),
    ] {
        assert_eq!(split(text), (vec![reasoning], rest), "{text:?}");
        for size in 1..text.len() {
            let (thought, said) = streamed(text, size);
            assert_eq!((thought.trim(), said.as_str()), (reasoning, rest), "{text:?} in pieces of {size}");
        }
    }
    assert_eq!(split("<think>a</think>\n<think>b</think>c"), (vec!["a", "b"], "c"));
}

#[test]
fn beginning_before_a_closing_tag_is_reasoning() {
    assert_eq!(split("Let me see.\n</think>\n\n{\"a\": 1}"), (vec!["Let me see."], "{\"a\": 1}"));
    assert_eq!(split("So `x` it is.</think>Hello!"), (vec!["So `x` it is."], "Hello!"));
}

#[test]
fn text_about_tags_stays_whole() {
    for text in [
        "Write <think> before and </think> after it.",
        "The tag `</think>` ends it.",
        "```xml\n</think>\n```",
        "{\"tag\": \"</think>\"}",
        "1 < 2",
        "<thinking>Hm.</thinking>Hello!",
        "<th",
        "",
    ] {
        assert_eq!(split(text), (vec![], text));
        for size in 1..=text.len() {
            assert_eq!(streamed(text, size), (String::new(), text.to_owned()), "{text:?}");
        }
    }
}
