export function RunTotals() {
  return null;
}
