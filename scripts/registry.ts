/** A registry of npm that has one package: what npm installs from a file, it unpacks twice more. */

import { createHash } from "node:crypto";
import { run } from "./run.ts";

/** A running registry. Disposal ends it. */
export interface Registry extends AsyncDisposable {
  /** The flag of npm that takes the packages of this scope from here. */
  readonly flag: string;
}

/**
 * Serves a packed package on a free port of this machine.
 *
 * @throws {CommandError} When the file cannot be read.
 */
export async function serveRegistry(tarball: string): Promise<Registry> {
  const bytes = await Deno.readFile(tarball);
  const manifest = JSON.parse(await run(["tar", "-xzOf", tarball, "package/package.json"]));
  const integrity = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
  const { name, version } = manifest;
  const server = Deno.serve({ port: 0, hostname: "localhost", onListen: () => {} }, (request) => {
    if (request.url.endsWith(".tgz")) return new Response(bytes);
    const dist = { tarball: new URL("/package.tgz", request.url).href, integrity };
    return Response.json({ name, "dist-tags": { latest: version }, versions: { [version]: { ...manifest, dist } } });
  });
  return {
    flag: `--${name.split("/")[0]}:registry=http://localhost:${server.addr.port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
