/** Plait's own tools, as the host lists them. */
import type { ToolSummary } from "@/bindings";

export const OWN_TOOLS: readonly ToolSummary[] = [
  { name: "calculator", description: "Evaluates an arithmetic expression.", effect: "read" },
  { name: "current_time", description: "Returns the current time.", effect: "read" },
  { name: "fetch_url", description: "Fetches a document of the public web.", effect: "send" },
  {
    name: "get_workflow_context",
    description: "Reads the memory that the nodes of this workflow share.",
    effect: "read",
  },
  { name: "identify_user", description: "Returns the name of the user.", effect: "read" },
  { name: "memory_read", description: "Searches what is known about the user.", effect: "read" },
  { name: "memory_write", description: "Stores something about the user for later.", effect: "write" },
  { name: "read_file", description: "Reads a text file in the folder of this flow.", effect: "read" },
  { name: "run_code", description: "Runs a JavaScript program in a sandbox.", effect: "read" },
  { name: "search_files", description: "Searches the text files of this flow.", effect: "read" },
  { name: "write_file", description: "Writes a text file in a folder of this flow.", effect: "write" },
];
