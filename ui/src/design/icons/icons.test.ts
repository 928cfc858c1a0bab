import { expect, it } from "vitest";
import nodes from "@/bindings/nodes.json";
import { hasIcon } from "./Icon";

it("has the icon of every node type", () => {
  expect(nodes.filter((type) => !hasIcon(type.icon)).map((type) => `${type.type}: ${type.icon}`)).toEqual([]);
});
