//! Generates the icons of every size from `icons/plait.svg`.
//!
//! `.ico` and `.icns` files are a table of contents followed by PNG images (since Windows Vista and macOS 10.7). This module
//! writes them; `rsvg-convert` renders the images.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::platform::which;
use crate::repo;
use crate::steps::{Step, print_note};

/// The sizes of single PNG files, in pixels, for the Linux desktop and the bundler.
const PNG_SIZES: &[u32] = &[32, 128, 256, 512];
const ICO_SIZES: &[u32] = &[16, 24, 32, 48, 64, 256];
/// Apple's type codes for PNG images of these sizes.
const ICNS_TYPES: &[(&[u8; 4], u32)] =
    &[(b"icp4", 16), (b"icp5", 32), (b"ic07", 128), (b"ic08", 256), (b"ic09", 512), (b"ic10", 1024)];

/// Generates all icon files.
pub(crate) fn draw() -> Result<()> {
    if which("rsvg-convert").is_none() {
        bail!(
            "rsvg-convert is missing; it draws the icons (packages: librsvg2-bin, librsvg2-tools, librsvg)"
        );
    }
    let home = repo::root().join("icons");
    let images = repo::target().join("icons");
    fs::create_dir_all(&images)?;
    for &size in PNG_SIZES {
        fs::copy(render(&home, &images, size)?, home.join(format!("{size}x{size}.png")))?;
    }
    let read = |size| fs::read(render(&home, &images, size)?).context("a rendered image");
    let ico: Vec<_> = ICO_SIZES.iter().map(|&size| Ok((size, read(size)?))).collect::<Result<_>>()?;
    fs::write(home.join("icon.ico"), pack_ico(&ico)?)?;
    let icns: Vec<_> =
        ICNS_TYPES.iter().map(|&(code, size)| Ok((code, read(size)?))).collect::<Result<_>>()?;
    fs::write(home.join("icon.icns"), pack_icns(&icns)?)?;
    fs::copy(home.join("plait.svg"), repo::ui().join("public/icon.svg"))?;
    print_note("Drew icons/ from icons/plait.svg");
    Ok(())
}

fn render(home: &Path, into: &Path, size: u32) -> Result<PathBuf> {
    let path = into.join(format!("{size}.png"));
    let pixels = size.to_string();
    let mut command = Command::new("rsvg-convert");
    command
        .args(["--width", &pixels, "--height", &pixels, "--output"])
        .arg(&path)
        .arg(home.join("plait.svg"));
    Step::new(format!("Draw {size} × {size}"), command).run()?;
    Ok(path)
}

fn pack_ico(images: &[(u32, Vec<u8>)]) -> Result<Vec<u8>> {
    let count = u16::try_from(images.len())?;
    let mut head = [0_u16, 1, count].map(u16::to_le_bytes).concat();
    let mut offset = u32::from(6 + 16 * count);
    let mut body = Vec::new();
    for (size, png) in images {
        // A side of 256 is written as 0.
        let side = u8::try_from(size % 256)?;
        let length = u32::try_from(png.len())?;
        head.extend([side, side, 0, 0]);
        head.extend([1_u16, 32].map(u16::to_le_bytes).concat());
        head.extend([length, offset].map(u32::to_le_bytes).concat());
        offset += length;
        body.extend(png);
    }
    Ok([head, body].concat())
}

fn pack_icns(images: &[(&[u8; 4], Vec<u8>)]) -> Result<Vec<u8>> {
    let mut body = Vec::new();
    for (code, png) in images {
        body.extend(*code);
        body.extend(u32::try_from(png.len() + 8)?.to_be_bytes());
        body.extend(png);
    }
    let length = u32::try_from(body.len() + 8)?;
    Ok([b"icns".as_slice(), &length.to_be_bytes(), &body].concat())
}

#[cfg(test)]
mod tests;
