//! The data of the first render, written into the page itself: the page requests nothing before it is drawn, and the
//! shell that is shown before any script has the chosen colors. A page that loads before the application is open, or
//! from Vite, requests the data.

use std::borrow::Cow;

use plait_api::{Plait, to_window_json};
use serde_json::{Map, Value};
use tauri::http::Response;
use tauri::http::header::CONTENT_TYPE;
use tauri::{AppHandle, Manager};

use crate::startup::Startup;

/// The commands with replies in the page. They have no arguments, and read memory or one small file.
const COMMANDS: [&str; 3] = ["settings.get", "nodes.list", "users.list"];

/// The element with the replies, by the names of their commands: `FIRST_REPLIES` of `ui/src/ipc/first-replies.ts`.
const ELEMENT: &str = "first-replies";

/// Adds the state to a response of the page. Leaves scripts, images and other responses as they are.
pub(crate) fn add_to(app: &AppHandle, response: &mut Response<Cow<'static, [u8]>>) {
    let content_type = response.headers().get(CONTENT_TYPE);
    if !content_type.is_some_and(|value| value.as_bytes().starts_with(b"text/html")) {
        return;
    }
    let Some(plait) = app.try_state::<Startup>().and_then(|startup| startup.opened()) else { return };
    let replies = tokio::task::block_in_place(|| tauri::async_runtime::block_on(first_replies(&plait)));
    let page = std::str::from_utf8(response.body()).ok().and_then(|page| with_replies(page, &replies));
    if let Some(page) = page {
        *response.body_mut() = Cow::Owned(page.into_bytes());
    }
}

/// The page requests missing replies, and reports their errors.
async fn first_replies(plait: &Plait) -> Map<String, Value> {
    let mut replies = Map::new();
    for name in COMMANDS {
        if let Ok(reply) = plait_api::dispatch(plait, name, Value::Null).await {
            replies.insert(name.to_owned(), reply);
        }
    }
    replies
}

/// The page with the replies as a block of data, and the chosen theme. None if they cannot be written.
fn with_replies(page: &str, replies: &Map<String, Value>) -> Option<String> {
    // No text in it may end the block.
    let json = to_window_json(replies).ok()?.replace('<', r"\u003c");
    let block = format!(r#"<script type="application/json" id="{ELEMENT}">{json}</script></body>"#);
    let page = page.replacen("</body>", &block, 1);
    match replies.get("settings.get").and_then(|settings| settings["theme"].as_str()) {
        Some(theme @ ("dark" | "light")) => {
            Some(page.replacen("<html ", &format!(r#"<html data-theme="{theme}" "#), 1))
        }
        _ => Some(page),
    }
}

#[cfg(test)]
mod tests;
