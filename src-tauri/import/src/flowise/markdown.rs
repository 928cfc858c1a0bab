//! Texts of Flowise's editor: HTML, which Flowise turns into Markdown before a node reads it.

use std::fmt::Write as _;

/// What a text begins with that Flowise takes for HTML. Other tags are a part of the text.
const BLOCKS_AT_START: [&str; 13] =
    ["p", "div", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "blockquote", "pre", "table"];
/// Elements that stand on lines of their own.
const BLOCKS: [&str; 22] = [
    "p",
    "div",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "ul",
    "ol",
    "li",
    "blockquote",
    "pre",
    "table",
    "thead",
    "tbody",
    "tr",
    "td",
    "th",
    "section",
    "article",
    "hr",
];
/// Elements without an end.
const VOID: [&str; 3] = ["br", "hr", "img"];
/// Elements inside of more others count as their content.
const MAX_DEPTH: usize = 64;

/// A text as Flowise reads it. One that is no HTML stays as it is.
pub(super) fn plain_text(text: &str) -> String {
    if is_html(text) { markdown(text) } else { text.to_owned() }
}

fn is_html(text: &str) -> bool {
    let Some(rest) = text.trim_start().strip_prefix('<') else { return false };
    let name: String = rest.chars().take_while(char::is_ascii_alphanumeric).collect();
    BLOCKS_AT_START.contains(&name.to_ascii_lowercase().as_str())
}

/// An element that is open.
struct Element {
    name: String,
    attributes: String,
    content: String,
    /// How many items of a list have ended.
    items: usize,
}

impl Element {
    fn new(name: &str, attributes: &str) -> Self {
        Self { name: name.to_owned(), attributes: attributes.to_owned(), content: String::new(), items: 0 }
    }

    fn is_block(&self) -> bool {
        self.name.is_empty() || BLOCKS.contains(&self.name.as_str())
    }
}

/// The open elements, outermost first.
struct Writer {
    open: Vec<Element>,
}

fn markdown(html: &str) -> String {
    let mut writer = Writer { open: vec![Element::new("", "")] };
    let mut rest = html;
    while let Some(start) = rest.find('<') {
        writer.text(&rest[..start]);
        let tag = &rest[start + 1..];
        let (is_end, tag) = tag.strip_prefix('/').map_or((false, tag), |tag| (true, tag));
        let length = end_of_tag(tag).filter(|_| tag.starts_with(|one: char| one.is_ascii_alphabetic()));
        let Some(length) = length else {
            writer.text("<");
            rest = &rest[start + 1..];
            continue;
        };
        let inner = tag[..length].trim_end_matches('/').trim();
        let (name, attributes) = inner.split_once(char::is_whitespace).unwrap_or((inner, ""));
        let name = name.to_ascii_lowercase();
        if is_end {
            writer.end(&name);
        } else {
            writer.begin(&name, attributes);
        }
        rest = &tag[length + 1..];
    }
    writer.text(rest);
    while writer.open.len() > 1 {
        writer.close();
    }
    let content = writer.open.pop().map(|root| root.content).unwrap_or_default();
    content.trim_start_matches(['\t', '\r', '\n']).trim_end().to_owned()
}

/// Where a tag ends. A `>` in quotes is a part of it.
fn end_of_tag(tag: &str) -> Option<usize> {
    let mut quote = None;
    for (at, one) in tag.char_indices() {
        match (quote, one) {
            (None, '>') => return Some(at),
            (None, '"' | '\'') => quote = Some(one),
            (Some(open), one) if open == one => quote = None,
            _ => {}
        }
    }
    None
}

impl Writer {
    fn top(&mut self) -> Option<&mut Element> {
        self.open.last_mut()
    }

    fn is_in(&self, name: &str) -> bool {
        self.open.iter().any(|element| element.name == name)
    }

    /// Adds text. Outside of `pre`, blanks are one space, and none at the beginning of a line.
    fn text(&mut self, text: &str) {
        let text = decoded(text);
        if self.is_in("pre") {
            if let Some(top) = self.top() {
                top.content.push_str(&text);
            }
            return;
        }
        let mut ends_with_blank = self.is_after_blank();
        let Some(top) = self.top() else { return };
        for one in text.chars() {
            let is_blank = matches!(one, ' ' | '\t' | '\r' | '\n');
            if !(is_blank && ends_with_blank) {
                top.content.push(if is_blank { ' ' } else { one });
            }
            ends_with_blank = is_blank;
        }
    }

    /// Whether a blank has no effect here: the text before ends with one, or the line is empty.
    fn is_after_blank(&self) -> bool {
        for element in self.open.iter().rev() {
            match element.content.chars().next_back() {
                Some(last) => return matches!(last, ' ' | '\n'),
                None if element.is_block() => return true,
                None => {}
            }
        }
        true
    }

    fn begin(&mut self, name: &str, attributes: &str) {
        if VOID.contains(&name) {
            self.open.push(Element::new(name, attributes));
            self.close();
        } else if self.open.len() < MAX_DEPTH {
            self.open.push(Element::new(name, attributes));
        }
    }

    /// Ends an element, and those inside of it that have no end.
    fn end(&mut self, name: &str) {
        if let Some(at) = self.open.iter().rposition(|element| element.name == name).filter(|&at| at > 0) {
            while self.open.len() > at {
                self.close();
            }
        }
    }

    /// Writes the innermost element into the one around it.
    fn close(&mut self) {
        let Some(element) = self.open.pop() else { return };
        let is_in_pre = self.is_in("pre");
        let Some(parent) = self.open.last_mut() else { return };
        if is_in_pre {
            parent.content.push_str(&element.content);
            return;
        }
        if element.is_block() && parent.content.ends_with(' ') && !parent.content.ends_with("  ") {
            parent.content.pop();
        }
        match element.name.as_str() {
            "br" => parent.content.push_str("  \n"),
            "hr" => add_block(&mut parent.content, "* * *"),
            "img" => {
                if let Some(source) = attribute(&element.attributes, "src") {
                    let name = attribute(&element.attributes, "alt").unwrap_or_default();
                    let _ = write!(parent.content, "![{name}]({source})");
                }
            }
            "li" => {
                parent.items += 1;
                let mark = if parent.name == "ol" {
                    let first = attribute(&parent.attributes, "start").and_then(|start| start.parse().ok());
                    format!("{}.  ", first.unwrap_or(1_usize) + parent.items - 1)
                } else {
                    "*   ".to_owned()
                };
                let content = element.content.trim_start_matches('\n');
                let inner = content.trim_end_matches('\n');
                let end = if inner.len() < content.len() { "\n    " } else { "" };
                let item = format!("{mark}{}{end}", inner.replace('\n', "\n    "));
                if !parent.content.is_empty() {
                    parent.content.push('\n');
                }
                parent.content.push_str(&item);
            }
            "ul" | "ol" if parent.name == "li" => {
                let _ = write!(parent.content, "\n{}", element.content);
            }
            "h1" | "h2" => {
                let text = element.content.trim_matches('\n');
                let line = if element.name == "h1" { "=" } else { "-" };
                if !text.is_empty() {
                    add_block(&mut parent.content, &format!("{text}\n{}", line.repeat(text.chars().count())));
                }
            }
            "h3" | "h4" | "h5" | "h6" => {
                let level = element.name[1..].parse().unwrap_or(3);
                add_block(&mut parent.content, &format!("{} {}", "#".repeat(level), element.content));
            }
            "blockquote" => {
                let lines = element.content.trim_matches('\n').lines();
                let quoted: Vec<String> = lines.map(|line| format!("> {line}")).collect();
                add_block(&mut parent.content, &quoted.join("\n"));
            }
            "pre" => {
                let code = element.content.trim_end_matches('\n');
                add_block(&mut parent.content, &format!("    {}", code.replace('\n', "\n    ")));
            }
            "strong" | "b" => add_inline(&mut parent.content, &element.content, "**"),
            "em" | "i" => add_inline(&mut parent.content, &element.content, "_"),
            "code" => add_inline(&mut parent.content, &element.content, "`"),
            "a" => match attribute(&element.attributes, "href") {
                Some(address) => {
                    let _ = write!(parent.content, "[{}]({address})", element.content);
                }
                None => parent.content.push_str(&element.content),
            },
            _ if element.is_block() => add_block(&mut parent.content, &element.content),
            _ => parent.content.push_str(&element.content),
        }
    }
}

/// Adds a block, with an empty line before it.
fn add_block(text: &mut String, block: &str) {
    let block = block.trim_start_matches('\n');
    let kept = text.trim_end_matches('\n').len();
    text.truncate(kept);
    if !text.is_empty() {
        text.push_str("\n\n");
    }
    // A line break of its own stays, as the blanks before it say.
    text.push_str(block.strip_suffix(' ').filter(|rest| !rest.ends_with(' ')).unwrap_or(block));
    text.truncate(text.trim_end_matches('\n').len());
    text.push_str("\n\n");
}

/// Adds a text between marks. Blanks at its ends stay outside of them.
fn add_inline(text: &mut String, inner: &str, mark: &str) {
    let trimmed = inner.trim_matches(' ');
    if trimmed.is_empty() {
        text.push_str(inner);
        return;
    }
    let start = inner.len() - inner.trim_start_matches(' ').len();
    let _ = write!(text, "{}{mark}{trimmed}{mark}{}", &inner[..start], &inner[start + trimmed.len()..]);
}

/// The value of an attribute in quotes.
fn attribute(attributes: &str, name: &str) -> Option<String> {
    let quoted = |quote: char| {
        let start = attributes.find(&format!("{name}={quote}"))? + name.len() + 2;
        attributes[start..].split(quote).next().map(decoded)
    };
    quoted('"').or_else(|| quoted('\''))
}

fn decoded(text: &str) -> String {
    let known = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&nbsp;", "\u{a0}")];
    let text = known.iter().fold(text.to_owned(), |text, (name, letter)| text.replace(name, letter));
    text.replace("&amp;", "&")
}

#[cfg(test)]
mod tests;
