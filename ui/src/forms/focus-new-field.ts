/** The first control of a field that was just added gets the focus, once it is drawn: it is what one fills in next. */
export function focusNewField(id: string): void {
  requestAnimationFrame(() => {
    const field = document.getElementById(id);
    const first = field?.matches(CONTROLS) ? field : field?.querySelector<HTMLElement>(CONTROLS);
    first?.focus();
  });
}

const CONTROLS = "input, textarea, select, .cm-content, [role=switch]";
