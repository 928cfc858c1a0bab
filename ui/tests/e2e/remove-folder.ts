/** After all tests: removes what their hosts have written. */
import { rmSync } from "node:fs";

export default function removeFolder(): void {
  const folder = process.env.PLAIT_E2E_FOLDER;
  if (folder) rmSync(folder, { recursive: true, force: true });
}
