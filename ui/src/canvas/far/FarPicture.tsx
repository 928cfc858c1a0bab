import { type ReactFlowState, type Transform, useStoreApi } from "@xyflow/react";
import { useEffect, useLayoutEffect, useMemo, useRef } from "react";
import { useTracedNodes } from "@/canvas/lineage-lights";
import { TEXTS } from "@/canvas/texts";
import { MANY_NODES } from "@/canvas/view/view";
import { CssColors } from "@/design/theme/css-colors";
import { type Box, overlaps } from "@/flow/align/align";
import { displayedFlow } from "@/flow/document/flow-state";
import type { CanvasEdge, CanvasNode, FrameNode } from "@/workspace/canvas-store";
import { useCanvas, useFlow, useNodeTypes, useWorkspace } from "@/workspace/context";
import { useUntrustedPath } from "@/workspace/run-hooks";
import { useTheme } from "@/workspace/window/theme";
import { FarEdges } from "./far-edges";
import { useIconPaths } from "./icon-paths";
import { type Painting, paintContainerTitle, paintTile } from "./paint-tiles";
import { tileAt } from "./tile-at";
import { tileState } from "./tile-states";
import { tilesOf } from "./tiles";

/** A run changes many nodes one after the other: so long passes between two pictures of it, in milliseconds. */
const RUN_INTERVAL_MS = 100;
/** How much of the view is painted beyond each of its sides, as a share of it: so far the view moves without another picture. */
const SPARE = 0.25;
/** Screen pixels around what is painted: outlines, and titles above their containers. */
const MARGIN = 20;

type Elements = { nodes: readonly CanvasNode[]; frames: readonly FrameNode[]; edges: readonly CanvasEdge[] };

/**
 * All that is seen of the flow from far away, painted on one canvas behind the elements of the page: thousands of cards would be
 * a few pixels high, and the fewer that can be read would still have to be drawn whole.
 */
export function FarPicture(elements: Elements) {
  const far = useCanvas((state) => state.far === true);
  return far ? <Picture {...elements} /> : null;
}

function Picture({ nodes, frames, edges }: Elements) {
  const workspace = useWorkspace();
  const { canvas, activeRun, epochChoice } = workspace;
  const types = useNodeTypes((all) => all);
  const theme = useTheme();
  const colors = useMemo(() => new CssColors(), []);
  const store = useStoreApi();
  const flow = useFlow(displayedFlow);
  const untrusted = useUntrustedPath((marked) => marked);
  const traced = useTracedNodes();
  const litWay = useCanvas((state) => state.litWay);
  const dropTarget = useCanvas((state) => state.dropTarget);
  const renaming = useCanvas((state) => state.renaming);
  const tiles = useMemo(() => tilesOf(types, nodes, frames), [types, nodes, frames]);
  const lines = useMemo(() => new FarEdges(nodes, frames, edges), [nodes, frames, edges]);
  const names = useMemo(() => [...new Set(tiles.flatMap(({ icon }) => icon ?? []))].sort(), [tiles]);
  const { paths, icons } = useIconPaths(names);
  const picture = useRef<HTMLCanvasElement>(null);
  const isMany = nodes.length + frames.length > MANY_NODES;

  // biome-ignore lint/correctness/useExhaustiveDependencies: another theme has other colors, another flow other stale nodes.
  useLayoutEffect(() => {
    let frame: number | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let painted: { transform: Transform; width: number; height: number } | undefined;
    const paint = () => {
      frame = undefined;
      const { current } = picture;
      const pen = current?.getContext("2d");
      if (!current || !pen) return;
      const { transform, width: viewWidth, height: viewHeight } = store.getState();
      painted = { transform, width: viewWidth, height: viewHeight };
      const spare = { x: Math.round(SPARE * viewWidth), y: Math.round(SPARE * viewHeight) };
      const [width, height] = [viewWidth + 2 * spare.x, viewHeight + 2 * spare.y];
      const zoom = transform[2];
      const [x, y] = [transform[0] + spare.x, transform[1] + spare.y];
      fitTo(current, pen, width, height);
      current.style.translate = `${-spare.x}px ${-spare.y}px`;
      current.style.transform = "";
      const ratio = window.devicePixelRatio || 1;
      const painting: Painting = {
        pen,
        zoom,
        resolve: colors.resolver(current),
        fontFamily: getComputedStyle(current).fontFamily,
        icons: paths,
        hasRun: (activeRun.shown?.fold.nodes.size ?? 0) > 0,
        widthOf: (text) => canvas.titleWidths.widthOf(text),
      };
      const view = { x: -MARGIN, y: -MARGIN, width: width + 2 * MARGIN, height: height + 2 * MARGIN };
      const area = {
        x: (view.x - x) / zoom,
        y: (view.y - y) / zoom,
        width: view.width / zoom,
        height: view.height / zoom,
      };
      const seen = tiles
        .filter(({ box }) => overlaps(box, area))
        .map((tile) => ({ tile, at: onScreen(tile.box, x, y, zoom) }));
      const draw = ({ tile, at }: (typeof seen)[number]) =>
        paintTile(painting, tile, at, {
          ...tileState(workspace, tile.element),
          untrusted: untrusted?.nodes.has(tile.id) ?? false,
          traced: traced.has(tile.id),
          target: dropTarget === tile.id,
          lit: litWay === undefined || litWay.nodes.has(tile.id) || tile.kind !== "card",
        });
      const isContainer = ({ tile: { kind } }: (typeof seen)[number]) => kind === "loop" || kind === "frame";
      const containers = seen.filter(isContainer);
      // A large comment lies behind what it is about, and behind the edges there.
      const isBehind = (one: (typeof seen)[number]) => isContainer(one) || one.tile.kind === "comment";
      for (const one of seen) if (isBehind(one)) draw(one);
      pen.setTransform(ratio * zoom, 0, 0, ratio * zoom, ratio * x, ratio * y);
      lines.paint(pen, zoom, area, painting.resolve, { lit: litWay?.edges, untrusted: untrusted?.edges });
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      for (const one of seen) if (!isBehind(one)) draw(one);
      for (const { tile, at } of containers) if (renaming !== tile.id) paintContainerTitle(painting, tile, at);
    };
    const request = () => {
      frame ??= requestAnimationFrame(paint);
    };
    const requestSoon = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        request();
      }, RUN_INTERVAL_MS);
    };
    /** Moves the picture along with the view, as long as it covers it. */
    const follow = ({ transform: [x, y, zoom], width, height }: ReactFlowState) => {
      if (!painted || !picture.current) return;
      const [dx, dy] = [x - painted.transform[0], y - painted.transform[1]];
      const isSame = zoom === painted.transform[2] && width === painted.width && height === painted.height;
      if (isSame && Math.abs(dx) < SPARE * width && Math.abs(dy) < SPARE * height)
        picture.current.style.transform = `translate(${dx}px, ${dy}px)`;
      else request();
    };
    paint();
    const ends = [
      store.subscribe((state, before) => {
        if (state.transform !== before.transform || state.width !== before.width || state.height !== before.height)
          follow(state);
      }),
      activeRun.onPart("frame", requestSoon),
      activeRun.onPart("session", request),
      epochChoice.store.subscribe(request),
    ];
    return () => {
      for (const end of ends) end();
      clearTimeout(timer);
      if (frame !== undefined) cancelAnimationFrame(frame);
    };
  }, [tiles, lines, paths, theme, store, flow, untrusted, traced, litWay, dropTarget, renaming]);

  // What the pointer comes to is in the page before it is pressed.
  useEffect(() => {
    const element = store.getState().domNode;
    if (!isMany || !element) return;
    const follow = ({ clientX, clientY, buttons, type }: PointerEvent) => {
      if (buttons !== 0 && type !== "pointerdown") return;
      const { transform } = store.getState();
      const at = canvas.instance?.screenToFlowPosition({ x: clientX, y: clientY });
      const pen = picture.current?.getContext("2d");
      if (!at || !pen) return;
      const tile = tileAt(tiles, at, transform[2]);
      const isAbove = tile?.kind === "card";
      const pointedEdge = isAbove ? undefined : lines.at(pen, at, transform[2])?.id;
      const pointed = pointedEdge === undefined ? tile?.id : undefined;
      const { state } = canvas;
      if (state.pointed !== pointed || state.pointedEdge !== pointedEdge) canvas.set({ pointed, pointedEdge });
    };
    element.addEventListener("pointermove", follow);
    // A finger comes from nowhere.
    element.addEventListener("pointerdown", follow, { capture: true });
    return () => {
      element.removeEventListener("pointermove", follow);
      element.removeEventListener("pointerdown", follow, { capture: true });
      canvas.set({ pointed: undefined, pointedEdge: undefined });
    };
  }, [canvas, store, tiles, lines, isMany]);

  return (
    <>
      {icons}
      <canvas
        ref={picture}
        className="far-picture"
        data-testid="far-picture"
        {...(isMany
          ? { role: "img", "aria-label": TEXTS.overview(nodes.length.toLocaleString()) }
          : { "aria-hidden": true })}
      />
    </>
  );
}

function onScreen(box: Box, x: number, y: number, zoom: number): Box {
  return { x: box.x * zoom + x, y: box.y * zoom + y, width: box.width * zoom, height: box.height * zoom };
}

/** Clears the picture, and gives it a size in screen pixels. */
function fitTo(picture: HTMLCanvasElement, pen: CanvasRenderingContext2D, width: number, height: number): void {
  const ratio = window.devicePixelRatio || 1;
  const [across, down] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (picture.width !== across || picture.height !== down) {
    picture.width = across;
    picture.height = down;
    picture.style.width = `${width}px`;
    picture.style.height = `${height}px`;
  }
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.clearRect(0, 0, across, down);
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
}
