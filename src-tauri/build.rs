//! Checks that the editor is built, and declares the Tauri commands that the page may call. Does not build the editor.

use std::path::Path;

/// The commands that the page may call. Tauri rejects all others.
const COMMANDS: &[&str] = &[
    "rpc",
    "watch",
    "watch_runs",
    "unwatch",
    "closing",
    "opened",
    "take_requests",
    "report_files",
    "show_elsewhere",
    "new_window",
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-changed=ui/dist");
    // A development build loads the editor from Vite and embeds nothing.
    #[expect(clippy::disallowed_methods, reason = "cargo passes features in the environment")]
    let embeds_editor = std::env::var_os("CARGO_FEATURE_CUSTOM_PROTOCOL").is_some();
    if embeds_editor && !Path::new("ui/dist/index.html").is_file() {
        return Err("ui/dist/index.html is missing: the editor has not been built yet. \
                    Run `cargo xtask run`, or `npm ci && npm run build` in ui/."
            .into());
    }
    let manifest = tauri_build::AppManifest::new().commands(COMMANDS);
    tauri_build::try_build(tauri_build::Attributes::new().app_manifest(manifest))?;
    Ok(())
}
