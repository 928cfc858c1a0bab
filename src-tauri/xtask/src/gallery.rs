//! `target/gallery/index.html`: the pictures that the tests take of every screen, to be looked at. The folder can be moved.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

use anyhow::{Context, Result};

use crate::repo;

const STYLE: &str = "body { font: 14px system-ui; margin: 24px; color-scheme: light dark } \
    main { display: grid; grid-template-columns: repeat(auto-fill, minmax(420px, 1fr)); gap: 16px } \
    figure { margin: 0 } img { max-width: 100%; border: 1px solid #8888 }";

/// The folders below it: pictures of the tests in Chromium, and of those in the real window.
pub(crate) const CHROMIUM: &str = "chromium";
pub(crate) const WINDOW: &str = "window";

/// Removes the pictures of earlier tests from a folder.
pub(crate) fn clear(folder: &str) -> Result<()> {
    let folder = root().join(folder);
    match fs::remove_dir_all(&folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot empty {}", folder.display()))
        }
        _ => Ok(()),
    }
}

/// Writes the page from the pictures that are there. It names them by their place beside it, so that the folder can be moved.
/// Returns its path.
pub(crate) fn write() -> Result<PathBuf> {
    let gallery = root();
    fs::create_dir_all(&gallery)?;
    let page = gallery.join("index.html");
    fs::write(&page, html(&pictures_in(&gallery)?))
        .with_context(|| format!("cannot write {}", page.display()))?;
    Ok(page)
}

fn root() -> PathBuf {
    repo::target().join("gallery")
}

/// Pictures by their folder. All paths are relative to the gallery.
type Folders = BTreeMap<PathBuf, Vec<PathBuf>>;

fn pictures_in(gallery: &Path) -> Result<Folders> {
    let mut folders = Folders::new();
    for folder in [CHROMIUM, WINDOW] {
        collect(gallery, Path::new(folder), &mut folders)?;
    }
    Ok(folders)
}

fn collect(gallery: &Path, folder: &Path, folders: &mut Folders) -> Result<()> {
    let place = gallery.join(folder);
    if !place.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(&place).with_context(|| format!("cannot read {}", place.display()))? {
        let entry = entry?;
        let path = folder.join(entry.file_name());
        if entry.path().is_dir() {
            collect(gallery, &path, folders)?;
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
        let _ = write!(page, "<h2>{}</h2><main>", escape(&folder.display().to_string()));
        let mut pictures = pictures.clone();
        pictures.sort();
        for picture in pictures {
            let name = picture.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let (name, address) = (escape(&name), escape(&address_of(&picture)));
            let _ = write!(
                page,
                "<figure><a href=\"{address}\"><img loading=\"lazy\" src=\"{address}\" alt=\"{name}\"></a><figcaption>{name}</figcaption></figure>"
            );
        }
        page.push_str("</main>");
    }
    page
}

/// A path beside the page, as an address.
fn address_of(path: &Path) -> String {
    let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
    parts.join("/").replace('%', "%25").replace('#', "%23").replace('?', "%3F")
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_names_the_pictures_beside_it() {
        let gallery = tempfile::tempdir().unwrap();
        let dark = gallery.path().join("chromium/dark & 200 %");
        fs::create_dir_all(&dark).unwrap();
        for picture in ["x.png", "b.png", "notes.txt"] {
            fs::write(dark.join(picture), "").unwrap();
        }
        fs::create_dir_all(gallery.path().join("window")).unwrap();
        fs::write(gallery.path().join("window/opens.png"), "").unwrap();
        let page = html(&pictures_in(gallery.path()).unwrap());
        assert!(page.contains("<h2>chromium/dark &amp; 200 %</h2>"), "{page}");
        let sources: Vec<_> =
            page.split("src=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        assert_eq!(
            sources,
            ["chromium/dark &amp; 200 %25/b.png", "chromium/dark &amp; 200 %25/x.png", "window/opens.png"]
        );
    }
}
