//! What a child says, line by line, from both of its outputs.

use std::io::{BufRead, BufReader, Read};
use std::sync::mpsc::{self, Receiver};
use std::thread;

use super::children::Group;

/// One line.
pub(super) struct Line {
    /// The line without its end
    pub(super) text: String,
    /// Whether it came from the standard output, not from the error output
    pub(super) standard: bool,
}

/// Reads both outputs to their ends, on threads of their own, so that a child never waits for us.
pub(super) fn of(child: &mut Group) -> Receiver<Line> {
    let (sender, lines) = mpsc::channel();
    let standard: Option<Box<dyn Read + Send>> = child.stdout().map(|pipe| Box::new(pipe) as _);
    let error: Option<Box<dyn Read + Send>> = child.stderr().map(|pipe| Box::new(pipe) as _);
    for (pipe, standard) in [(standard, true), (error, false)] {
        let Some(pipe) = pipe else { continue };
        let sender = sender.clone();
        thread::spawn(move || {
            for line in BufReader::new(pipe).split(b'\n').map_while(Result::ok) {
                let text = String::from_utf8_lossy(&line).trim_end().to_owned();
                if sender.send(Line { text, standard }).is_err() {
                    break;
                }
            }
        });
    }
    lines
}
