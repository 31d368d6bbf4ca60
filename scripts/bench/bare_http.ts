/** HTTP for the reference server: each runtime's own server, and nothing in between that is not needed. */

import type { IncomingMessage, ServerResponse } from "node:http";

declare const Bun: {
  serve(options: { hostname: string; port: number; fetch: (request: Request) => Promise<Response> }): {
    readonly port: number;
  };
};

/** A request before it takes a common form; what is not asked for is not read. */
export interface BareRequest {
  readonly path: string;
  readonly query: string;
  form(): Promise<string>;
}

/** A response, independent of the runtime. */
export interface BareResponse {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string | null;
}

/** Listens on a free port of 127.0.0.1, and gives the port. */
export async function serve(handle: (request: BareRequest) => Promise<BareResponse>): Promise<number> {
  const hostname = "127.0.0.1";

  async function fetch(request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url);
    const response = await handle({
      path: pathname,
      query: search,
      form: () => request.text(),
    });
    return new Response(response.body, response);
  }

  async function handleNode(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const [path = "", query = ""] = incoming.url!.split("?");
    const { status, headers, body } = await handle({
      path,
      query,
      form: () => readText(incoming),
    });
    outgoing.writeHead(status, { ...headers, "content-length": body?.length ?? 0 });
    outgoing.end(body);
  }

  const globals = globalThis as { Deno?: unknown; Bun?: unknown };
  if (globals.Deno !== undefined) return Deno.serve({ hostname, port: 0, onListen() {} }, fetch).addr.port;
  if (globals.Bun !== undefined) return Bun.serve({ hostname, port: 0, fetch }).port;
  const { createServer } = await import("node:http");
  const server = createServer(handleNode);
  await new Promise<void>((resolve) => server.listen(0, hostname, resolve));
  return (server.address() as { port: number }).port;
}

function readText(incoming: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    incoming.setEncoding("utf8");
    incoming.on("data", (part) => text += part);
    incoming.on("end", () => resolve(text));
    incoming.on("error", reject);
  });
}
