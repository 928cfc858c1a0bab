/** The same flow for both pages: a grid of nodes, each connected to the next one in its row. */

const COLUMNS = 50;
const STEP = { x: 280, y: 170 };

export function gridPositions(count: number): { x: number; y: number }[] {
  return Array.from({ length: count }, (_, index) => ({
    x: (index % COLUMNS) * STEP.x,
    y: Math.floor(index / COLUMNS) * STEP.y,
  }));
}

export function gridEdges(count: number): [number, number][] {
  const edges: [number, number][] = [];
  for (let index = 1; index < count; index++) if (index % COLUMNS !== 0) edges.push([index - 1, index]);
  return edges;
}
