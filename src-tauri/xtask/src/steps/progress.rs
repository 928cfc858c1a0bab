//! The progress display of a step: a spinner in a terminal, otherwise a line at intervals.

use std::cell::Cell;
use std::io::IsTerminal;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

/// The interval of progress lines without a terminal.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(30);

/// The spinners of all steps: two may run side by side.
static SPINNERS: LazyLock<MultiProgress> = LazyLock::new(MultiProgress::new);

/// The progress display of one step.
pub(super) struct Progress {
    title: String,
    start: Instant,
    spinner: Option<ProgressBar>,
    shows_output: bool,
    last: Cell<Duration>,
}

impl Progress {
    /// Starts the display. A step that shows its output gets a heading instead of a spinner.
    pub(super) fn start(title: &str, shows_output: bool) -> Self {
        let spinner = (!shows_output && std::io::stdout().is_terminal()).then(|| spinner(title));
        if spinner.is_none() {
            println!("▸ {title}");
        }
        Self { title: title.to_owned(), start: Instant::now(), spinner, shows_output, last: Cell::default() }
    }

    /// Handles a line of output.
    pub(super) fn line(&self, line: &str) {
        if self.shows_output {
            println!("{line}");
        } else if let Some(spinner) = &self.spinner {
            spinner.set_message(line.trim().to_owned());
        }
    }

    /// Called at each poll.
    pub(super) fn tick(&self) {
        let elapsed = self.start.elapsed();
        if self.spinner.is_none() && !self.shows_output && elapsed > self.last.get() + HEARTBEAT_INTERVAL {
            self.last.set(elapsed);
            println!("  … {} ({})", self.title, format_duration(elapsed));
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
        SPINNERS.suspend(|| println!("{mark} {} ({})", self.title, format_duration(self.start.elapsed())));
    }
}

/// Prints a note that is not a step.
pub(crate) fn print_note(text: &str) {
    SPINNERS.suspend(|| println!("· {text}"));
}

/// Formats a duration: `4.2 s`, `3 min 07 s`.
pub(crate) fn format_duration(time: Duration) -> String {
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
    let spinner = SPINNERS.add(spinner);
    spinner.enable_steady_tick(Duration::from_millis(100));
    spinner
}
