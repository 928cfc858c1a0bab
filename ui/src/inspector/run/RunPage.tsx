import type { ComponentProps } from "react";

type Props = Omit<ComponentProps<"section">, "className" | "aria-label"> & {
  /** Its title, for screen readers. */
  label: string;
};

/**
 * A tab about a run. Positioned absolutely and contained: growing text in it lays out and paints this element only, and
 * not the window around it.
 */
export function RunPage({ label, ...props }: Props) {
  return (
    <section
      {...props}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
      tabIndex={0}
      aria-label={label}
      // The focus ring is inside, where nothing clips it.
      className="-outline-offset-2 absolute inset-0 overflow-auto p-3 contain-strict"
    />
  );
}
