/**
 * The zoom of the page, with CSS. Unlike that of a webview, it leaves the pixels of pointer events and of measurements as they
 * are. So what is placed by those is placed in them: the canvas, which keeps its size and has a zoom of its own besides; what is
 * dragged over it; and menus and tooltips, whose contents are enlarged all the same.
 */
const OWN_SIZE = ".react-flow, .drag-ghost";
const PLACED = '[data-base-ui-portal] > [style*="--anchor-width"], [data-testid="quick-add"]';

const sheet = document.createElement("style");

export async function zoomPage(factor: number): Promise<void> {
  document.documentElement.style.setProperty("zoom", String(factor));
  // A selector by `style` has the styles of all cards computed at each step of a drag, which a webview's zoom does not.
  if (factor === 1) return sheet.remove();
  sheet.textContent = `:is(${OWN_SIZE}, ${PLACED}) { zoom: ${1 / factor}; } :is(${PLACED}) > * { zoom: ${factor}; }`;
  if (!sheet.isConnected) document.head.append(sheet);
}
