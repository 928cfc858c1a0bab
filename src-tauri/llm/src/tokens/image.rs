//! The tokens of an image: an estimate from its size in pixels, by the rule that its vendor documents.
//!
//! - OpenAI, "Images and vision", high detail: scaled to fit 2,048 × 2,048 and then to a shortest side of 768 pixels, a
//!   base plus an amount per 512-pixel tile; for the small models 32-pixel patches, at most 1,536, times a factor.
//! - Anthropic, "Vision": scaled to a longest side of 1,568 pixels, then width × height / 750, at most 1,600.
//! - Google, "Understand and count tokens": 258 up to 384 × 384 pixels, else 258 for each 768-pixel tile; 1,120 for
//!   Gemini 3 at its default resolution.
//!
//! Every other model is counted by Anthropic's rule, which is in the middle of what open-weights models need. An image
//! of unreadable size counts as the maximum: too little history is better than a rejected prompt.

/// The tokens of an image with this width and height in pixels, which are at least 1.
pub(super) fn count(model: &str, size: Option<(u64, u64)>) -> u64 {
    let model = model.to_lowercase();
    let name = model.rsplit('/').next().unwrap_or(&model);
    if name.starts_with("gpt-") || name.starts_with("o1") || name.starts_with("o3") || name.starts_with("o4")
    {
        count_openai(name, size)
    } else if name.starts_with("gemini") {
        count_google(name, size)
    } else {
        count_by_area(size)
    }
}

/// The maximum by area, also for images of unknown size.
const MAX_TOKENS_BY_AREA: u64 = 1_600;

fn count_by_area(size: Option<(u64, u64)>) -> u64 {
    let Some(size) = size else { return MAX_TOKENS_BY_AREA };
    let (width, height) = scale_to_fit(size, 1_568);
    (width * height).div_ceil(750).clamp(1, MAX_TOKENS_BY_AREA)
}

fn count_openai(name: &str, size: Option<(u64, u64)>) -> u64 {
    let by_patches = [
        ("gpt-4.1-mini", 162),
        ("gpt-4.1-nano", 246),
        ("gpt-5-mini", 162),
        ("gpt-5-nano", 246),
        ("o4-mini", 172),
    ];
    if let Some((_, percent)) = by_patches.iter().find(|(model, _)| name.starts_with(model)) {
        let patches = size.map_or(1_536, |(width, height)| {
            width.div_ceil(32).saturating_mul(height.div_ceil(32)).min(1_536)
        });
        return (patches * percent).div_ceil(100);
    }
    let (base, tile) = match name {
        name if name.starts_with("gpt-4o-mini") => (2_833, 5_667),
        name if name.starts_with("gpt-5") => (70, 140),
        name if name.starts_with('o') => (75, 150),
        _ => (85, 170),
    };
    // Unknown: the largest size after scaling, 2,048 × 768.
    let (width, height) = size.map_or((2_048, 768), |size| {
        let (width, height) = scale_to_fit(size, 2_048);
        let shortest = width.min(height);
        if shortest > 768 { (width * 768 / shortest, height * 768 / shortest) } else { (width, height) }
    });
    base + tile * width.div_ceil(512) * height.div_ceil(512)
}

fn count_google(name: &str, size: Option<(u64, u64)>) -> u64 {
    if name.starts_with("gemini-3") {
        return 1_120;
    }
    match size {
        Some((width, height)) if width <= 384 && height <= 384 => 258,
        Some(size) => {
            // Prevents overflow; no real image is larger.
            let (width, height) = scale_to_fit(size, 16_384);
            258 * width.div_ceil(768) * height.div_ceil(768)
        }
        None => 258 * 6,
    }
}

/// Scales down to a longest side, in proportion.
fn scale_to_fit((width, height): (u64, u64), longest: u64) -> (u64, u64) {
    let side = width.max(height);
    if side <= longest {
        return (width, height);
    }
    let scaled = |length: u64| {
        u64::try_from(u128::from(length) * u128::from(longest) / u128::from(side)).unwrap_or(longest)
    };
    (scaled(width).max(1), scaled(height).max(1))
}

#[cfg(test)]
mod tests;
