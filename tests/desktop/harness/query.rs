//! Finds elements in the page, by CSS selector, test id, role or text, and waits for them.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use fantoccini::Locator;
use fantoccini::elements::Element;
use serde_json::Value;

use crate::{App, WAIT_TIMEOUT};

impl App {
    /// Waits for an element that matches a CSS selector.
    pub async fn wait_for(&self, css: &str) -> Result<Element> {
        self.wait_for_located(Locator::Css(css), css).await
    }

    /// Waits for the element with this `data-testid`.
    pub async fn wait_for_test_id(&self, id: &str) -> Result<Element> {
        self.wait_for(&format!("[data-testid=\"{id}\"]")).await
    }

    /// Waits for the element with this role and accessible name.
    pub async fn wait_for_role(&self, role: &str, name: &str) -> Result<Element> {
        let element = match role {
            "button" => "self::button or ",
            "link" => "self::a or ",
            "textbox" => "self::input or self::textarea or ",
            "heading" => "self::h1 or self::h2 or self::h3 or ",
            _ => "",
        };
        let name = xpath_literal(name);
        let path = format!(
            "//*[{element}@role='{role}'][@aria-label={name} or normalize-space(.)={name} \
             or @id=//label[normalize-space(.)={name}]/@for]"
        );
        self.wait_for_located(Locator::XPath(&path), &format!("{role} {name}")).await
    }

    /// Waits for an element with exactly this text.
    pub async fn wait_for_text(&self, text: &str) -> Result<Element> {
        let path = format!("//*[text()[normalize-space(.)={}]]", xpath_literal(text));
        self.wait_for_located(Locator::XPath(&path), text).await
    }

    /// The number of elements that match a CSS selector now.
    pub async fn count(&self, css: &str) -> Result<usize> {
        Ok(self.client.find_all(Locator::Css(css)).await?.len())
    }

    /// Evaluates an expression in the page.
    pub async fn evaluate(&self, expression: &str) -> Result<Value> {
        let script = format!("return ({expression})");
        self.client
            .execute(&script, Vec::new())
            .await
            .with_context(|| format!("cannot evaluate {expression}"))
    }

    /// Calls a command of the host from the page, like the editor does.
    pub async fn rpc(&self, name: &str, args: Value) -> Result<Value> {
        let script = "const [name, args, done] = arguments;
            window.__TAURI_INTERNALS__.invoke('rpc', { name, args }).then((reply) => done({ reply }), (error) => done({ error }));";
        let mut reply = self.client.execute_async(script, vec![name.into(), args]).await?;
        match reply.get_mut("reply").map(Value::take) {
            Some(reply) => Ok(reply),
            None => bail!("{name} was refused: {reply}"),
        }
    }

    /// Waits until an expression in the page is true. `what` describes it for the message.
    pub async fn wait_until(&self, what: &str, expression: &str) -> Result<()> {
        let wait = async {
            while self.evaluate(expression).await? != Value::Bool(true) {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            Ok::<_, anyhow::Error>(())
        };
        match tokio::time::timeout(WAIT_TIMEOUT, wait).await {
            Ok(done) => done,
            Err(_) => {
                bail!("waited {} s until {what}. {}", WAIT_TIMEOUT.as_secs(), self.describe_page().await)
            }
        }
    }

    /// Waits until the page contains this text.
    pub async fn wait_for_page_text(&self, text: &str) -> Result<()> {
        let wanted = Value::from(text);
        self.wait_until(
            &format!("the page shows {wanted}"),
            &format!("document.body.innerText.includes({wanted})"),
        )
        .await
    }

    async fn wait_for_located(&self, locator: Locator<'_>, what: &str) -> Result<Element> {
        let found = self
            .client
            .wait()
            .at_most(WAIT_TIMEOUT)
            .every(Duration::from_millis(50))
            .for_element(locator)
            .await;
        match found {
            Ok(element) => Ok(element),
            Err(error) => Err(error).context(format!("waited for {what}. {}", self.describe_page().await)),
        }
    }

    /// A screenshot, the page's text and the log, for messages.
    async fn describe_page(&self) -> String {
        let picture = match self.screenshot("failed").await {
            Ok(path) => format!("See {}.", path.display()),
            Err(error) => format!("No screenshot: {error:#}."),
        };
        let text = self
            .evaluate("document.querySelector('main')?.innerText.slice(0, 600)")
            .await
            .unwrap_or_default();
        format!("{picture} Text of the page: {text}\n{}", self.log())
    }
}

/// Text as an XPath literal. XPath has no escapes, so apostrophes need `concat`.
fn xpath_literal(text: &str) -> String {
    if !text.contains('\'') {
        return format!("'{text}'");
    }
    let parts: Vec<_> = text.split('\'').map(|part| format!("'{part}'")).collect();
    format!("concat({})", parts.join(", \"'\", "))
}

#[cfg(test)]
mod tests;
