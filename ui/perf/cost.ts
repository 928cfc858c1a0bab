/** What frames cost the processor, which another program on the same machine does not change as it changes the frame rate. */
import type { Browser, CDPSession, Page } from "@playwright/test";

export type Cost = {
  /** Processor time of the page's main thread, milliseconds a frame. */
  mainMs: number;
  /** Of that: scripts, style, layout. */
  scriptMs: number;
  styleMs: number;
  layoutMs: number;
  /** Processor time of all of the browser's page processes (painting and compositing with it), milliseconds a frame. */
  pagesMs: number;
  /** Processor time of the process that puts layers together, milliseconds a frame. */
  gpuMs: number;
};

type Reading = { main: number; script: number; style: number; layout: number; pages: number; gpu: number };

/** Measures from now until `stop`, which receives the number of frames. */
export async function recordCost(browser: Browser, page: Page): Promise<{ stop(frames: number): Promise<Cost> }> {
  const session = await page.context().newCDPSession(page);
  const whole = await browser.newBrowserCDPSession();
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const before = await read(session, whole);
  return {
    stop: async (frames) => {
      const after = await read(session, whole);
      await session.detach();
      await whole.detach();
      const each = (of: keyof Reading) => Math.round(((after[of] - before[of]) * 100_000) / Math.max(1, frames)) / 100;
      return {
        mainMs: each("main"),
        scriptMs: each("script"),
        styleMs: each("style"),
        layoutMs: each("layout"),
        pagesMs: each("pages"),
        gpuMs: each("gpu"),
      };
    },
  };
}

/** Seconds, since the page and the browser began. */
async function read(session: CDPSession, whole: CDPSession): Promise<Reading> {
  const { metrics } = await session.send("Performance.getMetrics");
  const { processInfo } = await whole.send("SystemInfo.getProcessInfo");
  const metric = (name: string) => metrics.find((one) => one.name === name)?.value ?? 0;
  const spent = (type: string) =>
    processInfo.filter((one) => one.type === type).reduce((sum, one) => sum + one.cpuTime, 0);
  return {
    main: metric("TaskDuration"),
    script: metric("ScriptDuration"),
    style: metric("RecalcStyleDuration"),
    layout: metric("LayoutDuration"),
    pages: spent("renderer"),
    gpu: spent("GPU"),
  };
}
