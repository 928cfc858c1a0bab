/** Whether animations are off, by setting or because too many nodes run. */
export function isStill(): boolean {
  const { documentElement: page } = document;
  return page.hasAttribute("data-reduced-motion") || page.hasAttribute("data-crowded");
}
