//! Takes the pictures of the guide and of the README again: the tests of the real window take them while they check
//! them.

use anyhow::{Result, bail};

use crate::editor;
use crate::requirements::{self, Purpose};
use crate::steps::{Step, print_note};
use crate::test::window;

/// The variable that asks the tests for the pictures.
const WRITE_IMAGES: &str = "PLAIT_WRITE_IMAGES";

/// Builds the window, and takes the pictures.
pub(crate) fn write() -> Result<()> {
    if !cfg!(target_os = "linux") {
        bail!("this system's webview cannot be driven, so the window is driven on Linux only");
    }
    requirements::ensure_installed(&[Purpose::Window, Purpose::Editor, Purpose::Driver])?;
    editor::build()?;
    window::compile()?;
    let mut tests = window::tests();
    tests.env(WRITE_IMAGES, "1");
    Step::new("Take the pictures", tests).run_with_output()?;
    print_note("The pictures are in docs/images. Look at them before you commit them.");
    Ok(())
}
