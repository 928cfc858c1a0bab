import { useEffect, useLayoutEffect, useMemo, useRef } from "react";
import { CssColors } from "@/design/theme/css-colors";
import { isStill } from "@/design/theme/is-still";
import { useWorkspace } from "@/workspace/context";
import { colorOf } from "./colors";
import { drawRow, pulseAt } from "./draw";
import type { TimelineRow } from "./rows";
import type { Mark } from "./spans";

type Props = {
  rows: readonly TimelineRow[];
  /** Where the first of the rows begins, and how high each is. */
  top: number;
  height: number;
  /** Where the track begins, and what of it is drawn, in pixels. */
  label: number;
  from: number;
  to: number;
  marksIn: (row: TimelineRow) => readonly Mark[];
};

/** The marks of the rows in view, on one canvas that scrolls along with the rows. */
export function Marks({ rows, top, height, label, from, to, marksIn }: Props) {
  const workspace = useWorkspace();
  const canvas = useRef<HTMLCanvasElement>(null);
  const colors = useMemo(() => new CssColors(), []);
  const draw = () => {
    const on = canvas.current;
    const drawing = on?.getContext("2d");
    if (!on || !drawing) return;
    const resolve = colors.resolver(on);
    const dots = window.devicePixelRatio;
    const size = { width: Math.ceil((to - from) * dots), height: Math.ceil(rows.length * height * dots) };
    // Setting the size reallocates the canvas, even if it is unchanged.
    if (on.width !== size.width || on.height !== size.height) Object.assign(on, size);
    drawing.setTransform(dots, 0, 0, dots, 0, 0);
    drawing.clearRect(0, 0, to - from, rows.length * height);
    const pulse = isStill() ? 1 : pulseAt(performance.now());
    rows.forEach((row, index) => {
      const style = { pulse, colorOf: (mark: Mark) => resolve(colorOf(workspace, row, mark.span)) };
      drawRow(drawing, marksIn(row), index * height, from, style);
    });
  };
  useLayoutEffect(draw);
  const latest = useRef(draw);
  latest.current = draw;
  useEffect(() => {
    const observer = new MutationObserver(() => latest.current());
    observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    return () => observer.disconnect();
  }, []);
  return (
    <canvas
      ref={canvas}
      aria-hidden
      data-testid="timeline-marks"
      className="pointer-events-none absolute"
      style={{ left: label + from, top, width: Math.max(0, to - from), height: rows.length * height }}
    />
  );
}
