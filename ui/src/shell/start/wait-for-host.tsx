import type { Root } from "react-dom/client";
import { applySystemTheme } from "@/design/theme/system-theme";
import { type Host, HostError, type OpeningProgress } from "@/ipc";
import { Opening } from "./Opening";

/** A host that is open sooner is not announced, so that nothing flickers. */
const QUIET_MS = 300;

/** Resolves when the host is open, and shows how far that is if it takes long. Whether it opened at all. */
export async function waitForHost(host: Host, root: Root): Promise<boolean> {
  let progress: OpeningProgress | undefined;
  let visible = false;
  const draw = () => root.render(<Opening progress={progress} />);
  const timer = setTimeout(() => {
    visible = true;
    applySystemTheme();
    draw();
  }, QUIET_MS);
  try {
    await host.opened((latest) => {
      progress = latest;
      if (visible) draw();
    });
    return true;
  } catch (thrown) {
    applySystemTheme();
    root.render(<Opening error={HostError.from(thrown)} />);
    return false;
  } finally {
    clearTimeout(timer);
  }
}
