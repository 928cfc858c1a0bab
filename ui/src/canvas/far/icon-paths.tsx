/** Icons as paths that a 2D canvas can stroke. */
import { Pin, SquareDashed } from "lucide-react";
import { type RefObject, useLayoutEffect, useRef, useState } from "react";
import { Icon } from "@/design/icons/Icon";
import { FRAME_ICON, PIN_ICON } from "./tiles";

/** The side length of the square that an icon is drawn in, in units of its path. */
export const ICON_UNITS = 24;
const OWN_ICONS: Partial<Record<string, typeof Pin>> = { [PIN_ICON]: Pin, [FRAME_ICON]: SquareDashed };

export type IconPaths = ReadonlyMap<string, Path2D>;

/** The paths of icons by their names, read from the icons themselves, which are in the page hidden until then. */
export function useIconPaths(names: readonly string[]): { paths: IconPaths; icons: React.ReactNode } {
  const [paths, setPaths] = useState<IconPaths>(new Map());
  const unread = names.filter((name) => !paths.has(name));
  const key = unread.join(" ");
  const box: RefObject<HTMLDivElement | null> = useRef(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` says which are there to be read.
  useLayoutEffect(() => {
    const drawn = [...(box.current?.querySelectorAll("svg") ?? [])];
    if (drawn.length === 0) return;
    setPaths((before) => new Map([...before, ...drawn.map((svg, at) => [unread[at] ?? "", pathOf(svg)] as const)]));
  }, [key]);
  const icons =
    unread.length === 0 ? null : (
      <div ref={box} hidden>
        {unread.map((name) => {
          const Own = OWN_ICONS[name];
          return Own ? <Own key={name} aria-hidden /> : <Icon key={name} name={name} />;
        })}
      </div>
    );
  return { paths, icons };
}

/** All shapes of an icon in one path. */
function pathOf(svg: SVGSVGElement): Path2D {
  const path = new Path2D();
  for (const shape of svg.children) {
    const number = (name: string) => Number(shape.getAttribute(name) ?? 0);
    const [x1, y1, x2, y2] = [number("x1"), number("y1"), number("x2"), number("y2")];
    switch (shape.tagName) {
      case "path":
        path.addPath(new Path2D(shape.getAttribute("d") ?? ""));
        break;
      case "line":
        path.moveTo(x1, y1);
        path.lineTo(x2, y2);
        break;
      case "rect": {
        const radius = number("rx") || number("ry");
        path.roundRect(number("x"), number("y"), number("width"), number("height"), radius);
        break;
      }
      case "circle":
        path.moveTo(number("cx") + number("r"), number("cy"));
        path.arc(number("cx"), number("cy"), number("r"), 0, 2 * Math.PI);
        break;
      case "ellipse": {
        const [x, y, rx, ry] = [number("cx"), number("cy"), number("rx"), number("ry")];
        path.moveTo(x + rx, y);
        path.ellipse(x, y, rx, ry, 0, 0, 2 * Math.PI);
        break;
      }
      case "polyline":
      case "polygon": {
        const close = shape.tagName === "polygon" ? "Z" : "";
        path.addPath(new Path2D(`M${shape.getAttribute("points") ?? ""}${close}`));
        break;
      }
    }
  }
  return path;
}
