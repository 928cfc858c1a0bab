//! A Tauri window with one word in it: what the start of Plait's window is compared with.

fn main() -> tauri::Result<()> {
    tauri::Builder::default().run(tauri::generate_context!())
}
