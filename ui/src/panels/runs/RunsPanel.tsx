export function RunsPanel() {
  return null;
}
