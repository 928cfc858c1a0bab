/**
 * CSS colors with custom properties, as a 2D canvas needs them. To resolve one has the styles of the whole page computed, so they
 * are kept until the theme changes.
 */
export class CssColors {
  #theme: string | undefined;
  #known = new Map<string, string>();

  /** Resolves colors as they would be on this element. */
  resolver(element: HTMLElement): (css: string) => string {
    const { theme } = document.documentElement.dataset;
    if (theme !== this.#theme) {
      this.#theme = theme;
      this.#known = new Map();
    }
    const known = this.#known;
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
}
