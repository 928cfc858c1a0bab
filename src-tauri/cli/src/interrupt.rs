//! Ctrl+C, heard from the moment one listens: what is pressed while something else is done is not lost.

use std::io;

#[cfg(unix)]
type Heard = tokio::signal::unix::Signal;
#[cfg(windows)]
type Heard = tokio::signal::windows::CtrlC;

/// Whoever presses Ctrl+C.
pub(crate) struct Interrupt(Heard);

impl Interrupt {
    /// From now on Ctrl+C no longer ends the process by itself.
    pub(crate) fn listen() -> io::Result<Self> {
        #[cfg(unix)]
        let heard = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt())?;
        #[cfg(windows)]
        let heard = tokio::signal::windows::ctrl_c()?;
        Ok(Self(heard))
    }

    /// Resolves when it was pressed since the last time.
    pub(crate) async fn pressed(&mut self) {
        if self.0.recv().await.is_none() {
            // Nobody can press it any more.
            std::future::pending::<()>().await;
        }
    }
}
