// A client of `plait mcp serve`, with the official SDK. Arguments: a URL and a token, or a command and its arguments.
// Each line of standard input is a call, `{ "tool": …, "arguments": … }`; its result is a line of standard output. `{}` lists the tools.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { createInterface } from "node:readline";

const [first, ...rest] = process.argv.slice(2);
const transport = first.startsWith("http:")
  ? new StreamableHTTPClientTransport(new URL(first), {
      requestInit: { headers: { authorization: `Bearer ${rest[0]}` } },
    })
  : new StdioClientTransport({ command: first, args: rest, env: process.env, stderr: "inherit" });
const client = new Client({ name: "test", version: "1" });
const print = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);

try {
  await client.connect(transport);
  for await (const line of createInterface({ input: process.stdin })) {
    const { tool, arguments: given } = JSON.parse(line);
    try {
      if (tool === undefined) {
        print(await client.listTools());
      } else {
        print(await client.callTool({ name: tool, arguments: given }));
      }
    } catch (error) {
      print({ refused: String(error) });
    }
  }
} catch (error) {
  print({ refused: String(error) });
}
await client.close();
