//! What a person or a log sees of a step: a spinner in a terminal, a line now and then elsewhere.

use std::cell::Cell;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// Without a terminal, a sign of life this often.
const SIGN_OF_LIFE: Duration = Duration::from_secs(30);

/// The showing of one step.
pub(super) struct Progress {
    title: String,
    start: Instant,
    spinner: Option<ProgressBar>,
    aloud: bool,
    last: Cell<Duration>,
}

impl Progress {
    /// Begins. `aloud` steps show their own output, so they get a heading instead of a spinner.
    pub(super) fn start(title: &str, aloud: bool) -> Self {
        let spinner = (!aloud && std::io::stdout().is_terminal()).then(|| spinner(title));
        if spinner.is_none() {
            println!("▸ {title}");
        }
        Self { title: title.to_owned(), start: Instant::now(), spinner, aloud, last: Cell::default() }
    }

    /// The program said something.
    pub(super) fn line(&self, line: &str) {
        if self.aloud {
            println!("{line}");
        } else if let Some(spinner) = &self.spinner {
            spinner.set_message(line.trim().to_owned());
        }
    }

    /// Time passes.
    pub(super) fn tick(&self) {
        let elapsed = self.start.elapsed();
        if self.spinner.is_none() && !self.aloud && elapsed > self.last.get() + SIGN_OF_LIFE {
            self.last.set(elapsed);
            println!("  … {} ({})", self.title, seconds(elapsed));
        }
    }

    pub(super) fn done(self) {
        self.end('✔');
    }

    pub(super) fn failed(self) {
        self.end('✘');
    }

    fn end(self, mark: char) {
        if let Some(spinner) = self.spinner {
            spinner.finish_and_clear();
        }
        println!("{mark} {} ({})", self.title, seconds(self.start.elapsed()));
    }
}

/// Tells the person something that is not a step.
pub(crate) fn note(text: &str) {
    println!("· {text}");
}

/// A duration as people read it: `4.2 s`, `3 min 07 s`.
pub(crate) fn seconds(time: Duration) -> String {
    let whole = time.as_secs();
    if whole < 60 {
        format!("{:.1} s", time.as_secs_f64())
    } else {
        format!("{} min {:02} s", whole / 60, whole % 60)
    }
}

fn spinner(title: &str) -> ProgressBar {
    let style = ProgressStyle::with_template("{spinner} {prefix} ({elapsed}) {wide_msg:.dim}");
    let spinner = ProgressBar::new_spinner()
        .with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()))
        .with_prefix(title.to_owned());
    spinner.enable_steady_tick(Duration::from_millis(100));
    spinner
}
