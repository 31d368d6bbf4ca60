/** Serves the site of the documents on this machine: its search needs http. */

import { existsSync, readFileSync, statSync } from "node:fs";
import { extname, join, resolve, sep } from "node:path";

const types: Readonly<Record<string, string>> = {
  ...{ ".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml" },
  ...{ ".png": "image/png", ".json": "application/json" },
};

/** Serves the files of a folder on localhost; with port 0 on a free port. */
export function serveSite(folder: string, port: number): { readonly origin: string; close(): Promise<void> } {
  const root = resolve(folder) + sep;
  const { addr, shutdown } = Deno.serve({ port, hostname: "localhost", onListen: () => {} }, ({ url }) => {
    const path = join(root, new URL(url).pathname.replace(/\/$/, "/index.html"));
    // On Windows, a backslash separates folders too.
    if (!path.startsWith(root) || !existsSync(path) || !statSync(path).isFile()) {
      return new Response(null, { status: 404 });
    }
    return new Response(readFileSync(path), { headers: { "content-type": types[extname(path)] ?? "text/plain" } });
  });
  return { origin: `http://localhost:${addr.port}`, close: shutdown };
}
