export function RunControls() {
  return null;
}
