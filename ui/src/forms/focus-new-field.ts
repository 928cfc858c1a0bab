/** How long the editor of a field may take to load, in milliseconds. */
const MAX_LOADING_MS = 3_000;
const CONTROLS = "input, textarea, select, .cm-content, [role=switch]";

/**
 * The first control of a field that was just added gets the focus, once it is drawn: it is what one fills in next. So does the
 * editor that takes the place of a plain text area once it is loaded, unless the focus is elsewhere by then.
 */
export function focusNewField(id: string): void {
  const end = performance.now() + MAX_LOADING_MS;
  let focused: HTMLElement | undefined;
  const focus = () => {
    const field = document.getElementById(id);
    const first = field?.matches(CONTROLS) ? field : field?.querySelector<HTMLElement>(CONTROLS);
    const isLost = focused === undefined || document.activeElement === document.body;
    if (first && first !== focused && isLost) {
      first.focus();
      focused = first;
    }
    const isLoading = !first || first.dataset.loading !== undefined;
    if (isLoading && performance.now() < end) requestAnimationFrame(focus);
  };
  requestAnimationFrame(focus);
}
