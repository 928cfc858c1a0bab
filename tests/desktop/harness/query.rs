//! Finds things in the page and waits for them, the way a person would name them.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use fantoccini::Locator;
use fantoccini::elements::Element;
use serde_json::Value;

use crate::{App, WAIT_TIMEOUT};

impl App {
    /// The first element that matches a CSS selector, once it is there.
    pub async fn wait_for(&self, css: &str) -> Result<Element> {
        self.wait_for_located(Locator::Css(css), css).await
    }

    /// The element with this `data-testid`, once it is there.
    pub async fn test_id(&self, id: &str) -> Result<Element> {
        self.wait_for(&format!("[data-testid=\"{id}\"]")).await
    }

    /// The element of this role with this accessible name, once it is there.
    pub async fn role(&self, role: &str, name: &str) -> Result<Element> {
        let element = match role {
            "button" => "self::button or ",
            "link" => "self::a or ",
            "textbox" => "self::input or self::textarea or ",
            "heading" => "self::h1 or self::h2 or self::h3 or ",
            _ => "",
        };
        let name = quoted(name);
        let path = format!(
            "//*[{element}@role='{role}'][@aria-label={name} or normalize-space(.)={name} \
             or @id=//label[normalize-space(.)={name}]/@for]"
        );
        self.wait_for_located(Locator::XPath(&path), &format!("{role} {name}")).await
    }

    /// An element that shows exactly this text, once it is there.
    pub async fn text(&self, text: &str) -> Result<Element> {
        let path = format!("//*[text()[normalize-space(.)={}]]", quoted(text));
        self.wait_for_located(Locator::XPath(&path), text).await
    }

    /// How many elements match a CSS selector now.
    pub async fn count(&self, css: &str) -> Result<usize> {
        Ok(self.client.find_all(Locator::Css(css)).await?.len())
    }

    /// The value of an expression in the page.
    pub async fn evaluate(&self, expression: &str) -> Result<Value> {
        let script = format!("return ({expression})");
        self.client
            .execute(&script, Vec::new())
            .await
            .with_context(|| format!("cannot evaluate {expression}"))
    }

    /// What the host answers to one of Plait's commands, asked from the page as the editor asks.
    pub async fn rpc(&self, name: &str, args: Value) -> Result<Value> {
        let script = "const [name, args, done] = arguments;
            window.__TAURI_INTERNALS__.invoke('rpc', { name, args }).then((reply) => done({ reply }), (error) => done({ error }));";
        let mut said = self.client.execute_async(script, vec![name.into(), args]).await?;
        match said.get_mut("reply").map(Value::take) {
            Some(reply) => Ok(reply),
            None => bail!("{name} was refused: {said}"),
        }
    }

    /// Waits until an expression in the page is true. `what` says what is awaited, for the message.
    pub async fn until(&self, what: &str, expression: &str) -> Result<()> {
        let wait = async {
            while self.evaluate(expression).await? != Value::Bool(true) {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            Ok::<_, anyhow::Error>(())
        };
        match tokio::time::timeout(WAIT_TIMEOUT, wait).await {
            Ok(done) => done,
            Err(_) => bail!("waited {} s until {what}. {}", WAIT_TIMEOUT.as_secs(), self.state().await),
        }
    }

    /// Waits until the page shows this text somewhere.
    pub async fn shows(&self, text: &str) -> Result<()> {
        let wanted = Value::from(text);
        self.until(
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
            Err(error) => Err(error).context(format!("waited for {what}. {}", self.state().await)),
        }
    }

    /// What there is to see when something is missing: a picture and the page's text.
    async fn state(&self) -> String {
        let picture = match self.screenshot("failed").await {
            Ok(path) => format!("See {}.", path.display()),
            Err(error) => format!("No picture: {error:#}."),
        };
        let text = self
            .evaluate("document.querySelector('main')?.innerText.slice(0, 600)")
            .await
            .unwrap_or_default();
        format!("{picture} The canvas says: {text}\n{}", self.log())
    }
}

/// Text as an XPath literal; it has no escapes, so quotes of both kinds need `concat`.
fn quoted(text: &str) -> String {
    if !text.contains('\'') {
        return format!("'{text}'");
    }
    let parts: Vec<_> = text.split('\'').map(|part| format!("'{part}'")).collect();
    format!("concat({})", parts.join(", \"'\", "))
}

#[cfg(test)]
mod tests;
