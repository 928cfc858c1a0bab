//! The editor in Chromium and in the real window.

use super::{Limit, Measurements, RELATIVE_NOISE, Target, ratio, target};

pub(super) fn editor(measured: Measurements<'_>) -> Vec<Target> {
    let paint = ratio(measured.figure("first-paint", "editor"), measured.figure("first-paint", "empty"));
    let slow_frames = measured.total("events-slow-frames");
    let empty_page = measured.total("events-slow-frames-empty-page");
    let mut targets = vec![
        target("first paint of the editor compared with an empty window", paint, Limit::AtMost(1.5), "×"),
        target(
            "worst frame during 10,000 events per second",
            measured.largest("events-worst-frame"),
            Limit::AtMost(50.0),
            "ms",
        ),
        target(
            "longest task during 10,000 events per second, ms of processor",
            measured.largest("events-longest-task"),
            Limit::AtMost(50.0),
            "ms",
        ),
        target(
            "frames above 50 ms during these, compared with an empty page",
            slow_frames,
            Limit::AtMost(empty_page.unwrap_or_default()),
            "frames",
        ),
        target(
            "first look at the past of a run of 100,000 events, ms of processor",
            measured.largest("time-travel-first"),
            Limit::AtMost(500.0),
            "ms",
        ),
        target(
            "worst of 60 other positions in it, ms of processor",
            measured.largest("time-travel-worst"),
            Limit::AtMost(50.0),
            "ms",
        ),
    ];
    targets.push(target(
        "opening 5,000 nodes in chromium",
        measured.figure("open-chromium", "5000 nodes"),
        Limit::AtMost(2_000.0),
        "ms",
    ));
    for nodes in [1_000, 5_000] {
        let group = format!("pan-chromium-{nodes}");
        for (by, what) in [("far", "idle"), ("farStreaming", "streaming")] {
            let rate = ratio(measured.figure(&group, by), measured.figure(&group, "bareFar"));
            let what = format!(
                "frame rate of panning {nodes} nodes at 30 % in chromium, {what}, compared with bare React Flow"
            );
            targets.push(target(what, rate, Limit::AtLeast(1.0 - RELATIVE_NOISE), "×"));
        }
    }
    for webview in ["chromium", "window"] {
        for nodes in [1_000, 5_000] {
            let group = format!("pan-{webview}-{nodes}");
            for by in ["idle", "streaming"] {
                let what = format!(
                    "frame rate of panning {nodes} nodes in {webview}, {by}, compared with bare React Flow"
                );
                let rate = ratio(measured.figure(&group, by), measured.figure(&group, "bare"));
                targets.push(target(what, rate, Limit::AtLeast(1.0 - RELATIVE_NOISE), "×"));
            }
        }
    }
    targets
}
