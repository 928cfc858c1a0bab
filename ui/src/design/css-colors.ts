/** A painter knows no custom properties: `element` works out each CSS colour for it, once. Another theme needs another one. */
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
