import { expect, it } from "vitest";
import { inPlatformOrder } from "./dialog-order";

const ACTIONS = [
  { id: "save", kind: "main" },
  { id: "discard", kind: "danger" },
  { id: "cancel", kind: "plain" },
  { id: "copy", kind: "plain" },
] as const;
const ids = (windows: boolean) => inPlatformOrder(ACTIONS, windows).map(({ id }) => id);

it("has the main action on the right, on Windows on the left", () => {
  expect(ids(false)).toEqual(["cancel", "discard", "copy", "save"]);
  expect(ids(true)).toEqual(["save", "copy", "discard", "cancel"]);
});
