import type { Page } from "@playwright/test";

export type Frames = { frames: number; fps: number; p95Ms: number; worstMs: number; over50Ms: number };

/** Notes the time between frames until `stop`. */
export async function recordFrames(page: Page): Promise<{ stop(): Promise<Frames> }> {
  await page.evaluate(() => {
    const gaps: number[] = [];
    let last = performance.now();
    let going = true;
    const next = (now: number) => {
      gaps.push(now - last);
      last = now;
      if (going) requestAnimationFrame(next);
    };
    requestAnimationFrame((now) => {
      last = now;
      requestAnimationFrame(next);
    });
    Object.assign(window, {
      stopFrames: () => {
        going = false;
        return gaps;
      },
    });
  });
  return {
    stop: async () => {
      const gaps = await page.evaluate(() => (window as unknown as { stopFrames(): number[] }).stopFrames());
      return summarize(gaps);
    },
  };
}

function summarize(gaps: number[]): Frames {
  const sorted = [...gaps].sort((a, b) => a - b);
  const total = gaps.reduce((sum, gap) => sum + gap, 0);
  const round = (value: number) => Math.round(value * 10) / 10;
  return {
    frames: gaps.length,
    fps: round((1000 * gaps.length) / total),
    p95Ms: round(sorted[Math.floor(sorted.length * 0.95)] ?? 0),
    worstMs: round(sorted.at(-1) ?? 0),
    over50Ms: gaps.filter((gap) => gap > 50).length,
  };
}
