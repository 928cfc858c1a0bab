//! Reads the output of a child line by line.

use std::io::{BufRead, BufReader, Read};
use std::sync::mpsc::{self, Receiver};
use std::thread;

use super::children::Group;

pub(super) struct Line {
    /// The line without its end
    pub(super) text: String,
    /// Whether it is from standard output, not from standard error
    pub(super) is_stdout: bool,
}

/// Reads both outputs to their ends, each on its own thread, so that the child never blocks on a full pipe.
pub(super) fn read_lines(child: &mut Group) -> Receiver<Line> {
    let (sender, lines) = mpsc::channel();
    let standard: Option<Box<dyn Read + Send>> = child.stdout().map(|pipe| Box::new(pipe) as _);
    let error: Option<Box<dyn Read + Send>> = child.stderr().map(|pipe| Box::new(pipe) as _);
    for (pipe, is_stdout) in [(standard, true), (error, false)] {
        let Some(pipe) = pipe else { continue };
        let sender = sender.clone();
        thread::spawn(move || {
            for line in BufReader::new(pipe).split(b'\n').map_while(Result::ok) {
                let text = String::from_utf8_lossy(&line).trim_end().to_owned();
                if sender.send(Line { text, is_stdout }).is_err() {
                    break;
                }
            }
        });
    }
    lines
}
