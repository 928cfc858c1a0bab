import { expect, it } from "vitest";
import { mostUrgent } from "./useFrameState";

it("puts a failure before a question, that before what runs, and that before what is done", () => {
  expect(mostUrgent(["done", "running", "paused", "failed"])).toBe("failed");
  expect(mostUrgent(["done", "running", "paused"])).toBe("paused");
  expect(mostUrgent(["skipped", "done", "running"])).toBe("running");
  expect(mostUrgent(["skipped", "done"])).toBe("done");
  expect(mostUrgent([])).toBeUndefined();
});
