/** Resolves CSS colors with custom properties for a 2D canvas, with a cache. Create a new one when the theme changes. */
export function resolver(element: HTMLElement): (css: string) => string {
  const known = new Map<string, string>();
  return (css) => {
    let color = known.get(css);
    if (color === undefined) {
      element.style.color = css;
      color = getComputedStyle(element).color;
      known.set(css, color);
    }
    return color;
  };
}
