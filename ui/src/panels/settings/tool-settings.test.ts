import { expect, it } from "vitest";
import { readHosts } from "./tool-settings";

it("reads one host in each line, each once", () => {
  expect(readHosts(" localhost\n\n[::1]:80, localhost ")).toEqual(["localhost", "[::1]:80"]);
});
