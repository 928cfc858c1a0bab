//! A minimal Tauri window: the reference for the start of Plait's window.

fn main() -> tauri::Result<()> {
    tauri::Builder::default().run(tauri::generate_context!())
}
