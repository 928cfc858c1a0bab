/** The theme of the system, for as long as nobody knows the one of the settings. */
export function applySystemTheme(): void {
  const isLight = window.matchMedia("(prefers-color-scheme: light)").matches;
  document.documentElement.dataset.theme = isLight ? "light" : "dark";
}
