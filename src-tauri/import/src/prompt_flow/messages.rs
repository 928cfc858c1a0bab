//! The messages that a template of Prompt Flow is split into: each begins behind a line with its role.

use super::super::chat_call::Author;

/// A template, split into messages.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Messages {
    pub(super) messages: Vec<(Author, String)>,
    /// Whether a loop over the earlier turns was taken out of it.
    pub(super) has_history: bool,
}

/// Splits a template. `histories` are the variables with the earlier turns of a chat: a loop over one of them is taken out. The error
/// says why that is not possible.
pub(super) fn split(template: &str, histories: &[&str]) -> Result<Messages, &'static str> {
    let (template, has_history) = without_history(&trimmed_blocks(template), histories);
    let mut preamble = String::new();
    let mut messages: Vec<(Author, String)> = Vec::new();
    let mut depth = 0_usize;
    for line in template.lines() {
        depth = depth_after(line, depth);
        let text = messages.last_mut().map_or(&mut preamble, |(_, text)| text);
        // Tags and comments leave nothing behind, so a role may follow them in its line.
        let role = role(&without_tags(&without_comments(line)));
        if role.is_some() {
            text.extend(tags(line).map(|(at, length, _)| &line[at..at + length]));
        }
        match role {
            Some(_) if depth > 0 => {
                return Err(
                    "Its template decides how many messages there are. A program and injected messages can do the same.",
                );
            }
            Some(Role::Function) => return Err("It has messages of functions that were called."),
            Some(Role::Of(author)) => messages.push((author, String::new())),
            None => {
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    let preamble = without_comments(&preamble);
    let statements: String = tags(&preamble).map(|(at, length, _)| &preamble[at..at + length]).collect();
    let is_silent = without_tags(&preamble).trim().is_empty();
    if messages.is_empty() || !is_silent {
        return Err("Its template does not begin with the role of a message, such as `system:`.");
    }
    for (_, text) in &mut messages {
        *text = format!("{statements}{}", text.trim());
    }
    Ok(Messages { messages, has_history })
}

/// Prompt Flow drops the line end after a tag.
pub(super) fn trimmed_blocks(template: &str) -> String {
    template.replace("\r\n", "\n").replace("%}\n", "%}").replace("#}\n", "#}")
}

enum Role {
    Of(Author),
    Function,
}

/// The role that a line is.
fn role(line: &str) -> Option<Role> {
    let name = line.trim().trim_start_matches('#').trim().strip_suffix(':')?.trim().to_ascii_lowercase();
    match name.as_str() {
        "system" => Some(Role::Of(Author::System)),
        "user" => Some(Role::Of(Author::User)),
        "assistant" => Some(Role::Of(Author::Assistant)),
        "function" | "tool" => Some(Role::Function),
        _ => None,
    }
}

/// The tags of statements: where each begins, how long it is, and its words.
fn tags(text: &str) -> impl Iterator<Item = (usize, usize, &str)> {
    text.match_indices("{%").filter_map(|(at, _)| {
        let length = text[at..].find("%}")? + 2;
        let words = text[at + 2..at + length - 2].trim_matches('-').trim();
        Some((at, length, words))
    })
}

fn without_tags(text: &str) -> String {
    let mut rest = String::new();
    let mut end = 0;
    for (at, length, _) in tags(text) {
        rest.push_str(text.get(end..at).unwrap_or_default());
        end = at + length;
    }
    rest + &text[end..]
}

fn without_comments(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{#") {
        kept.push_str(before);
        rest = after.split_once("#}").map_or("", |(_, after)| after);
    }
    kept + rest
}

/// How deep a line ends inside of blocks.
fn depth_after(line: &str, depth: usize) -> usize {
    tags(line).fold(depth, |depth, (_, _, words)| {
        let word = words.split_whitespace().next().unwrap_or_default();
        match word {
            "for" | "if" | "filter" | "macro" | "call" | "raw" | "with" | "autoescape" => depth + 1,
            "set" if !words.contains('=') => depth + 1,
            word if word.starts_with("end") => depth.saturating_sub(1),
            _ => depth,
        }
    })
}

/// The template without its loops over earlier turns.
fn without_history(template: &str, histories: &[&str]) -> (String, bool) {
    let over = |words: &str| {
        let mut words = words.split_whitespace();
        words.next() == Some("for")
            && words.find(|word| *word == "in").is_some()
            && words
                .next()
                .is_some_and(|name| histories.contains(&name.split(['[', '|']).next().unwrap_or(name)))
    };
    let mut kept = String::new();
    let mut end = 0;
    let mut open = 0_usize;
    let mut has_history = false;
    for (at, length, words) in tags(template) {
        let word = words.split_whitespace().next().unwrap_or_default();
        if open > 0 {
            open = match word {
                "for" => open + 1,
                "endfor" => open - 1,
                _ => open,
            };
            if open == 0 {
                end = at + length;
                kept.push('\n');
            }
        } else if over(words) {
            kept.push_str(&template[end..at]);
            (open, has_history) = (1, true);
        }
    }
    if open > 0 {
        // It does not end, which the check of the template says.
        return (template.to_owned(), false);
    }
    (kept + &template[end..], has_history)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHAT: &str = "{# A chat #}\nsystem:\nYou help {{name}}.\n\n{% for item in chat_history %}\nuser:\n{{item.inputs.question}}\nassistant:\n{{item.outputs.answer}}\n{% endfor %}\n\n# User:\n{% if short %}\nBriefly: {% endif %}{{question}}\n";

    #[test]
    fn template_is_split_at_its_roles_and_gives_its_history_away() {
        let found = split(CHAT, &["chat_history"]).unwrap();
        let expected = [
            (Author::System, "You help {{name}}."),
            (Author::User, "{% if short %}Briefly: {% endif %}{{question}}"),
        ];
        assert_eq!(found.messages, expected.map(|(author, text)| (author, text.to_owned())));
        assert!(found.has_history);
    }

    #[test]
    fn messages_that_a_template_decides_about_are_refused() {
        assert!(split(CHAT, &[]).unwrap_err().contains("how many messages"));
        assert!(split("Just a text", &[]).unwrap_err().contains("does not begin"));
        assert!(split("function:\nname:\nf", &[]).is_err());
        assert!(split("", &[]).is_err());
    }

    #[test]
    fn statements_before_the_first_role_count_for_each_message() {
        let found = split("{% set a = 1 %}\nsystem:\nA{{a}}\nuser:\nB{{a}}", &[]).unwrap();
        assert_eq!(found.messages[1], (Author::User, "{% set a = 1 %}B{{a}}".to_owned()));
    }
}
