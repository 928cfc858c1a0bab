//! How the page is drawn on Linux: with the graphics processor, or without one if the machine has none.
//!
//! WebKitGTK puts a page together from layers. Without a graphics processor it emulates one for that, which takes most of the
//! time of a frame: `BENCHMARKS.md` has the figures. Then the page is drawn as a single layer.

use std::fs;
use std::path::Path;

use tauri::WebviewWindow;
use webkit2gtk::{HardwareAccelerationPolicy, SettingsExt, WebViewExt};

/// Draws without layers if the machine has no graphics processor.
pub(crate) fn configure(window: &WebviewWindow) -> tauri::Result<()> {
    if has_processor(Path::new("/dev")) {
        return Ok(());
    }
    window.with_webview(|webview| {
        if let Some(settings) = webview.inner().settings() {
            settings.set_hardware_acceleration_policy(HardwareAccelerationPolicy::Never);
        }
    })
}

/// Whether `devices` has one: a render node of any driver, or a device of NVIDIA's driver or of Windows' subsystem for Linux,
/// which come without.
fn has_processor(devices: &Path) -> bool {
    let is_render_node = |entry: fs::DirEntry| entry.file_name().to_string_lossy().starts_with("renderD");
    let nodes = fs::read_dir(devices.join("dri"));
    nodes.is_ok_and(|nodes| nodes.flatten().any(is_render_node))
        || ["nvidia0", "dxg"].iter().any(|device| devices.join(device).exists())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn graphics_processor_is_found_by_its_device() {
        let devices = tempfile::tempdir().unwrap();
        assert!(!has_processor(devices.path()));
        fs::create_dir(devices.path().join("dri")).unwrap();
        // A screen without a processor.
        fs::write(devices.path().join("dri/card0"), "").unwrap();
        assert!(!has_processor(devices.path()));
        fs::write(devices.path().join("dri/renderD128"), "").unwrap();
        assert!(has_processor(devices.path()));
        let other = tempfile::tempdir().unwrap();
        fs::write(other.path().join("nvidia0"), "").unwrap();
        assert!(has_processor(other.path()));
    }
}
