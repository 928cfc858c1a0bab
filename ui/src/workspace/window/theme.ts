/** The theme and reduced motion, and what sets them on the document, where the tokens read them. */
import { useCallback, useLayoutEffect, useSyncExternalStore } from "react";
import { useSettings } from "@/workspace/context";

const query = (text: string) => window.matchMedia(text);

function useMedia(text: string): boolean {
  // The same at each render: what subscribes first hears first, and that must be `ApplyTheme`.
  const subscribe = useCallback(
    (changed: () => void) => {
      const media = query(text);
      media.addEventListener("change", changed);
      return () => media.removeEventListener("change", changed);
    },
    [text],
  );
  return useSyncExternalStore(subscribe, () => query(text).matches);
}

/** The theme in force. */
export function useTheme(): "light" | "dark" {
  const chosen = useSettings((settings) => settings.theme);
  const systemIsLight = useMedia("(prefers-color-scheme: light)");
  return chosen === "system" ? (systemIsLight ? "light" : "dark") : chosen;
}

/** Whether nothing may move. */
export function useReducedMotion(): boolean {
  const chosen = useSettings((settings) => settings.reducedMotion);
  const system = useMedia("(prefers-reduced-motion: reduce)");
  return chosen || system;
}

/** Before the first paint: without a theme the tokens are dark. Before all else in the window, which may paint with the colors. */
export function ApplyTheme(): null {
  const theme = useTheme();
  const still = useReducedMotion();
  useLayoutEffect(() => {
    document.documentElement.dataset.theme = theme;
  }, [theme]);
  useLayoutEffect(() => {
    document.documentElement.toggleAttribute("data-reduced-motion", still);
  }, [still]);
  return null;
}
