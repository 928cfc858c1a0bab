/** Opening a large data directory, if the page's address asks for one: `?journals=1200` or, to be refused, `?journals=broken`. */
import { HostError, type OpeningProgress } from "@/ipc/host";

/** How many journals are read in each step, and how long one takes. */
const STEP = 100;
const STEP_MS = 120;

export async function mockOpening(onProgress: (progress: OpeningProgress) => void): Promise<void> {
  const asked = new URLSearchParams(window.location.search).get("journals");
  if (asked === null) return;
  if (asked === "broken") {
    throw new HostError({
      code: "store.locked",
      message: "Another process writes the data directory.",
      hint: "Close the other window, then start Plait again.",
    });
  }
  const total = Number(asked);
  for (let done = 0; done <= total; done += STEP) {
    onProgress({ done, total });
    await new Promise((resolve) => setTimeout(resolve, STEP_MS));
  }
}
