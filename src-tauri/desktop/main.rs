//! hello
fn main() -> anyhow::Result<()> {
    tauri::Builder::default().plugin(tauri_plugin_dialog::init()).setup(|app| {
        tauri::WebviewWindowBuilder::new(app, "main", tauri::WebviewUrl::default()).title("Plait").inner_size(1440.0, 900.0).build()?;
        Ok(())
    }).run(tauri::generate_context!())?;
    Ok(())
}
