import type { ComponentProps } from "react";

/**
 * What a tab shows of a run. Positioned absolutely and contained: text that grows in it lays out and paints nothing but this, not
 * the window around it.
 */
export function RunPage(props: Omit<ComponentProps<"section">, "className">) {
  return <section {...props} className="absolute inset-0 overflow-auto p-3 contain-strict" />;
}
