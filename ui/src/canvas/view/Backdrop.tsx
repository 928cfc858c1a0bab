import { useStoreApi, ViewportPortal } from "@xyflow/react";
import { useLayoutEffect, useRef } from "react";
import { GRID } from "@/canvas/measure/geometry";
import { useWorkspace } from "@/workspace/context";
import { detailAt, isFar, unitsPerPixel } from "./detail";
import { followMotion } from "./motion";

/** Minimum distance between dots on screen. Below it, only every second dot is drawn. */
const MIN_DOT_DISTANCE_PX = 11;

/**
 * The dots behind the flow, and the `data-` attributes by which the style sheet knows the level of detail at this zoom and
 * whether the view moves. The dots are in the flow's own layer and make it opaque, so that the browser moves one finished
 * layer while the view moves. Updated outside of React.
 */
export function Backdrop() {
  return (
    <ViewportPortal>
      <Sheet />
    </ViewportPortal>
  );
}

function Sheet() {
  const workspace = useWorkspace();
  const store = useStoreApi();
  const dots = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const sheet = dots.current;
    const canvas = sheet?.closest<HTMLElement>(".canvas");
    if (!sheet || !canvas) return;
    let drawn = { left: 0, top: 0, right: 0, bottom: 0, zoom: Number.NaN };
    const draw = () => {
      const { transform, width, height } = store.getState();
      const [x, y, zoom] = transform;
      const seen = { left: -x / zoom, top: -y / zoom, right: (width - x) / zoom, bottom: (height - y) / zoom };
      if (zoom !== drawn.zoom) {
        const far = isFar(zoom);
        if (far !== workspace.canvas.state.far) workspace.canvas.set({ far });
        canvas.setAttribute("data-detail", detailAt(zoom));
        canvas.style.setProperty("--units-per-pixel", String(unitsPerPixel(Math.min(zoom, 1))));
      } else if (
        seen.left >= drawn.left &&
        seen.top >= drawn.top &&
        seen.right <= drawn.right &&
        seen.bottom <= drawn.bottom
      ) {
        return;
      }
      // One viewport of spare room on each side: the sheet moves only when the view leaves it.
      const pitch = GRID * 2 ** Math.max(0, Math.ceil(Math.log2(MIN_DOT_DISTANCE_PX / (GRID * zoom))));
      const across = Math.ceil((seen.right - seen.left) / pitch) * pitch;
      const down = Math.ceil((seen.bottom - seen.top) / pitch) * pitch;
      // A dot is in the middle of its tile: half a tile back puts it onto the grid.
      const left = (Math.floor(seen.left / pitch) - 0.5) * pitch - across;
      const top = (Math.floor(seen.top / pitch) - 0.5) * pitch - down;
      drawn = { left, top, right: left + 3 * across, bottom: top + 3 * down, zoom };
      const { style } = sheet;
      style.transform = `translate(${left}px, ${top}px)`;
      style.width = `${3 * across}px`;
      style.height = `${3 * down}px`;
      style.backgroundSize = `${pitch}px ${pitch}px`;
      style.setProperty("--dot-size", `${Math.max(0.75, 0.5 / zoom)}px`);
    };
    draw();
    const unsubscribe = store.subscribe((state, before) => {
      if (state.transform !== before.transform || state.width !== before.width || state.height !== before.height)
        draw();
    });
    const rest = followMotion(store, canvas, workspace.viewMotion);
    return () => {
      unsubscribe();
      rest();
    };
  }, [store, workspace]);
  return <div ref={dots} className="dots" aria-hidden />;
}
