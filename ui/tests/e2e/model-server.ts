/** A server of embedding models, which answers when the test lets it. */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export class EmbeddingServer {
  readonly #server: Server;
  #open: () => void = () => undefined;

  private constructor(embed: (text: string) => number[]) {
    const opened = new Promise<void>((resolve) => {
      this.#open = resolve;
    });
    this.#server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { input = [] } = JSON.parse(Buffer.concat(chunks).toString() || "{}") as { input?: string | string[] };
      await opened;
      const data = [input].flat().map((text, index) => ({ object: "embedding", index, embedding: embed(text) }));
      response.setHeader("Content-Type", "application/json");
      response.end(
        JSON.stringify({ object: "list", model: "embed", data, usage: { prompt_tokens: 1, total_tokens: 1 } }),
      );
    });
  }

  static async start(embed: (text: string) => number[]): Promise<EmbeddingServer> {
    const server = new EmbeddingServer(embed);
    server.#server.listen(0, "127.0.0.1");
    await once(server.#server, "listening");
    return server;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  /** Answers what was asked, and from now on at once. */
  open(): void {
    this.#open();
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
