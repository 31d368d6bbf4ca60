/** Listens on the network: picks the neighbour for this runtime, and makes `localhost` mean both of its addresses. */

import type { Bind, Binding, Bound, Handle } from "./bind.ts";

/** Cannot listen; the message is one sentence for a person. */
export class ListenError extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.name = "ListenError";
  }
}

/** How often another free port is tried when the one that was free for IPv4 is taken for IPv6. */
const tries = 10;

/**
 * Listens with a function that answers.
 *
 * @param binding Port 0 picks a free one.
 * @throws {ListenError} When the port is taken, not allowed, the host is not an address of this machine, or the
 * certificate cannot be used.
 */
export async function serve(handle: Handle, binding: Binding): Promise<Bound> {
  const { port, host, tls } = binding;
  if (tls !== undefined) {
    const { tlsFault } = await import("./tls.ts");
    const fault = tlsFault(tls);
    if (fault !== undefined) throw new ListenError(`Cannot speak https: ${fault}`, undefined);
  }
  const { bind } = await neighbour();
  if (host !== "localhost") return await bindOne(bind, handle, binding);
  for (let left = tries;; left--) {
    const first = await bindOne(bind, handle, { ...binding, host: "127.0.0.1" });
    try {
      const second = await bindOne(bind, handle, { ...binding, host: "::1", port: first.port });
      return { port: first.port, close: async () => void await Promise.all([first.close(), second.close()]) };
    } catch (error) {
      // A machine without IPv6 has only the one address.
      if (!isTaken((error as ListenError).cause)) return first;
      await first.close();
      if (port !== 0 || left === 0) throw error;
    }
  }
}

async function neighbour(): Promise<{ readonly bind: Bind }> {
  const globals = globalThis as { Deno?: unknown; Bun?: unknown };
  if (globals.Deno !== undefined) return await import("./deno.ts");
  if (globals.Bun !== undefined) return await import("./bun.ts");
  return await import("./node.ts");
}

async function bindOne(bind: Bind, handle: Handle, binding: Binding): Promise<Bound> {
  try {
    return await bind(handle, binding);
  } catch (cause) {
    const { host, port } = binding;
    const where = `${host.includes(":") ? `[${host}]` : host}:${port}`;
    if (isTaken(cause)) {
      throw new ListenError(
        `Cannot listen on ${where}: the port is in use. Stop what is using it, or choose another port (0 picks a free one).`,
        cause,
      );
    }
    const text = `${(cause as Error)?.name} ${(cause as Error)?.message} ${(cause as { code?: string })?.code}`;
    if (/EACCES|permission denied|PermissionDenied/i.test(text)) {
      throw new ListenError(`Cannot listen on ${where}: not permitted. Ports below 1024 need privileges.`, cause);
    }
    throw new ListenError(
      `Cannot listen on ${where}: it is not an address of this machine. Use localhost, 127.0.0.1, [::1] or 0.0.0.0.`,
      cause,
    );
  }
}

function isTaken(cause: unknown): boolean {
  const { name, message, code } = cause as { name?: string; message?: string; code?: string };
  return /AddrInUse|EADDRINUSE|in use/i.test(`${name} ${message} ${code}`);
}
