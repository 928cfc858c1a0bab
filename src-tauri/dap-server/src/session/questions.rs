//! Questions of the run to the person at the editor.

use plait_api::ErrorReply;
use plait_api::runs::answers::{Answers, Questions, asker};
use plait_api::runs::{AnswerRun, EndPause};
use plait_core::id::Activation;
use plait_journal::view::{Asker, OpenPause};
use serde_json::{Value, json};

use super::Session;
use crate::codes;
use crate::protocol::requests::AnswerArguments;

impl Session {
    /// Answers an open question of an idle run, if an answer was given with the settings; otherwise the console shows what is asked.
    pub(super) async fn look_at_questions(&mut self) {
        let Some(debuggee) = &mut self.debuggee else { return };
        let Some(outline) = debuggee.tree.as_ref().and_then(crate::tree::Tree::outline) else { return };
        if outline.whole_stop().is_some() || debuggee.idle_at.is_none_or(|at| at > outline.next_seq) {
            return;
        }
        debuggee.idle_at = None;
        let questions = Questions { outline, first_asker: None };
        let taken = debuggee.answers.take(questions).map(|(pause, value)| (pause.clone(), value));
        if let Some((pause, value)) = taken {
            if let Err(error) = self.send_answer(&pause, value).await {
                self.print_error(&error);
                self.show_questions();
            }
            return;
        }
        self.show_questions();
    }

    fn show_questions(&mut self) {
        let Some(debuggee) = &mut self.debuggee else { return };
        let Some(tree) = &debuggee.tree else { return };
        let Some(outline) = tree.outline() else { return };
        let questions = Questions { outline, first_asker: None };
        let several = outline.pauses.len() > 1;
        let mut texts = Vec::new();
        for pause in questions.in_order() {
            let Asker { run, node, epoch } = asker(&tree.root, pause);
            if !debuggee.shown_questions.insert((run, Activation { node, epoch })) {
                continue;
            }
            let address = if several { format!("{}=", questions.address(pause)) } else { String::new() };
            let answer = if pause.tool.is_some() { "yes|no|JSON" } else { "TEXT" };
            texts.push(format!(
                "{} asks: {}\n  Type here: answer {address}{answer}",
                questions.address(pause),
                pause.prompt.trim()
            ));
        }
        for text in texts {
            self.print("important", text);
        }
    }

    /// `plait/answer`.
    pub(super) async fn answer(&mut self, arguments: AnswerArguments) -> Result<Value, ErrorReply> {
        let node = self.answer_text(arguments.answer).await?;
        Ok(json!({ "node": node }))
    }

    /// Answers an open question. Replies with the node that asked. `dap.no_question`, and the errors of `run.answer`.
    pub(super) async fn answer_text(&mut self, text: String) -> Result<String, ErrorReply> {
        let debuggee = self.running()?;
        let Some(outline) = debuggee.tree.as_ref().and_then(crate::tree::Tree::outline) else {
            return Err(no_question(&text));
        };
        let questions = Questions { outline, first_asker: None };
        let mut typed = Answers::read(vec![text.clone()], debuggee.nodes.clone())?;
        let taken = typed.take(questions).map(|(pause, value)| (pause.clone(), value));
        let Some((pause, value)) = taken else { return Err(no_question(&text)) };
        let node = pause.node.to_string();
        self.send_answer(&pause, value).await?;
        Ok(node)
    }

    /// Ends the only question, without an answer.
    pub(super) async fn end_question(&mut self) -> Result<(), ErrorReply> {
        let debuggee = self.running()?;
        let pause = debuggee.tree.as_ref().and_then(|tree| match &tree.outline()?.pauses[..] {
            [only] => Some(asker(&tree.root, only)),
            _ => None,
        });
        let Some(Asker { run, node, epoch }) = pause else {
            return Err(ErrorReply::new(
                codes::DAP_NO_QUESTION,
                "The run does not ask exactly one question.",
            )
            .hint("Answer it in place of that."));
        };
        debuggee.app.call(EndPause { run, node, epoch }).await
    }

    async fn send_answer(&mut self, pause: &OpenPause, value: Value) -> Result<(), ErrorReply> {
        let debuggee = self.running()?;
        let Some(root) = debuggee.tree.as_ref().map(|tree| tree.root.clone()) else { return Ok(()) };
        let Asker { run, node, epoch } = asker(&root, pause);
        debuggee
            .shown_questions
            .remove(&(run.clone(), Activation { node: node.clone(), epoch: epoch.clone() }));
        debuggee.app.call(AnswerRun { run, node, epoch, value, attachments: Vec::new() }).await
    }
}

fn no_question(text: &str) -> ErrorReply {
    ErrorReply::new(codes::DAP_NO_QUESTION, format!("The run asks nothing that `{text}` answers."))
        .hint("The console shows what is asked. A question about a tool takes `yes`, `no` or JSON.")
}
