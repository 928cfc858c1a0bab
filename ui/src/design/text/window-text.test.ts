import { expect, it } from "vitest";
import { windowText } from "./window-text";

it.each([
  ["The key was refused. Enter another one.", "The key was refused. Enter another one."],
  ["Add it under *MCP servers* or with `plait mcp add`.", "Add it under *MCP servers*."],
  [
    "Add it in the Knowledge panel or with `plait knowledge add`, or correct the name in the node.",
    "Add it in the Knowledge panel, or correct the name in the node.",
  ],
  [
    "Add it with `plait providers add x` or in the settings, or name one of: a, b.",
    "Add it in the settings, or name one of: a, b.",
  ],
  [
    "Decide about each need in the window, with `plait grants`, or with `--allow`.",
    "Decide about each need in the window.",
  ],
  [
    "Set `port` again in the settings, or with `plait config set`; that replaces the bad value.",
    "Set `port` again in the settings. That replaces the bad value.",
  ],
  [
    "Review the file. To accept the changes, press *Accept* in Plait, or close Plait and run `plait doctor --accept-edits`.",
    "Review the file. To accept the changes, press *Accept* in Plait.",
  ],
  [
    "Restore the file from a copy, or go on without it: `plait doctor --salvage` keeps it aside.",
    "Restore the file from a copy.",
  ],
  ["Enter more characters; `plait conversations list` lists the ids.", "Enter more characters."],
  [
    "What can be read of it is shown. `plait doctor` says what is lost; start the flow again, or from a node, to go on.",
    "What can be read of it is shown. Start the flow again, or from a node, to go on.",
  ],
  ["`plait runs list` shows all runs.", ""],
])("%s", (text, shown) => {
  expect(windowText(text)).toBe(shown);
});

it("a text without commands stays as it is, with its line ends", () => {
  const text = "One;  two.\nThree";
  expect(windowText(text)).toBe(text);
});
