//! What Tauri wants at build time, and nothing of ours.

fn main() {
    tauri_build::build();
}
