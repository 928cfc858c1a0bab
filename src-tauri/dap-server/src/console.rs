//! What a person types into the console of the editor, beside expressions.

/// A word that does something. Anything else is an expression in CEL.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ConsoleCommand {
    /// Answers a question: `TEXT`, or `NODE=TEXT`.
    Answer(String),
    /// Ends a question without an answer.
    End,
    /// Passes over the node that is held before its start.
    Skip,
    /// Takes another way.
    Force(String),
    Help,
}

pub(crate) const HELP: &str = "\
Anything but these words is an expression in CEL over value, inputs, outputs, error, iteration, attempt, tokens, cost, trimmed and nodes.NAME.PORT.
  answer TEXT        answer the question of the run; answer NODE=TEXT where several are open
  end                end the question without an answer
  skip               before a node: go on without running it
  force PORT         after a switch or the like: take another way
";

impl ConsoleCommand {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        match (word, rest.trim()) {
            ("answer", answer) => Some(Self::Answer(answer.to_owned())),
            ("end", "") => Some(Self::End),
            ("skip", "") => Some(Self::Skip),
            ("force", port) if !port.is_empty() && !port.contains(char::is_whitespace) => {
                Some(Self::Force(port.to_owned()))
            }
            ("help", "") => Some(Self::Help),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_console_are_no_expressions() {
        assert_eq!(
            ConsoleCommand::parse(" answer  a=b c "),
            Some(ConsoleCommand::Answer("a=b c".to_owned()))
        );
        assert_eq!(ConsoleCommand::parse("force good"), Some(ConsoleCommand::Force("good".to_owned())));
        assert_eq!(ConsoleCommand::parse("skip"), Some(ConsoleCommand::Skip));
        for expression in ["skip == 1", "force", "force a b", "answers", "value.end", "", "end > 2"] {
            assert_eq!(ConsoleCommand::parse(expression), None, "{expression}");
        }
    }
}
