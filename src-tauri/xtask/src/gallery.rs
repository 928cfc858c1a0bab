//! `target/gallery/index.html`: the pictures that the tests take of every screen, to be looked at.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::repo;

const STYLE: &str = "body { font: 14px system-ui; margin: 24px; color-scheme: light dark } \
    main { display: grid; grid-template-columns: repeat(auto-fill, minmax(420px, 1fr)); gap: 16px } \
    figure { margin: 0 } img { max-width: 100%; border: 1px solid #8888 }";

/// Writes the page from the pictures of the tests in Chromium (`target/gallery/chromium`) and of those in the real window
/// (`target/window`). Returns its path.
pub(crate) fn write() -> Result<PathBuf> {
    let gallery = repo::target().join("gallery");
    let mut folders = BTreeMap::new();
    for place in [gallery.join("chromium"), repo::target().join("window")] {
        collect(&place, &mut folders)?;
    }
    let page = gallery.join("index.html");
    fs::create_dir_all(&gallery)?;
    fs::write(&page, html(&folders)).with_context(|| format!("cannot write {}", page.display()))?;
    Ok(page)
}

/// Pictures by their folder.
type Folders = BTreeMap<PathBuf, Vec<PathBuf>>;

fn collect(folder: &Path, folders: &mut Folders) -> Result<()> {
    if !folder.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, folders)?;
        } else if path.extension().is_some_and(|extension| extension == "png") {
            folders.entry(folder.to_owned()).or_default().push(path);
        }
    }
    Ok(())
}

fn html(folders: &Folders) -> String {
    let mut page =
        format!("<!doctype html><meta charset=\"utf-8\"><title>Plait: gallery</title><style>{STYLE}</style>");
    for (folder, pictures) in folders {
        let title = folder.file_name().unwrap_or_default().to_string_lossy();
        let _ = write!(page, "<h2>{}</h2><main>", escape(&title));
        let mut pictures = pictures.clone();
        pictures.sort();
        for picture in pictures {
            let name = picture.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let address = picture.display().to_string();
            let (name, address) = (escape(&name), escape(&address));
            let _ = write!(
                page,
                "<figure><a href=\"{address}\"><img loading=\"lazy\" src=\"{address}\" alt=\"{name}\"></a><figcaption>{name}</figcaption></figure>"
            );
        }
        page.push_str("</main>");
    }
    page
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_listed_by_their_folder() {
        let folders =
            BTreeMap::from([(PathBuf::from("/a/dark & small"), vec!["/a/x.png".into(), "/a/b.png".into()])]);
        let page = html(&folders);
        assert!(page.contains("<h2>dark &amp; small</h2>"), "{page}");
        let (first, second) =
            (page.find("src=\"/a/b.png\"").unwrap(), page.find("src=\"/a/x.png\"").unwrap());
        assert!(first < second);
    }
}
