/** Listens on the network, with the adapter of this runtime. `localhost` means both of its addresses. */

import type { Bind, BoundServer, ListenAddress, RequestHandler } from "./bind.ts";

/** The server cannot listen. The message is one sentence. */
export class ListenError extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.name = "ListenError";
  }
}

/** How often another free port is tried when the one that was free for IPv4 is taken for IPv6. */
const maxPortAttempts = 10;

/**
 * Listens with a function that answers.
 *
 * @param binding Port 0 picks a free one.
 * @throws {ListenError} When the port is taken, not allowed, the host is not an address of this machine, or the
 * certificate cannot be used.
 */
export async function serve(handler: RequestHandler, binding: ListenAddress): Promise<BoundServer> {
  const { port, host, tls } = binding;
  if (tls !== undefined) {
    const { validateTls } = await import("./tls.ts");
    const problem = validateTls(tls);
    if (problem !== undefined) throw new ListenError(`Cannot speak https: ${problem}`, undefined);
  }
  const { bind } = await adapter();
  if (host !== "localhost") return await bindAddress(bind, handler, binding);
  for (let attemptsLeft = maxPortAttempts;; attemptsLeft--) {
    const first = await bindAddress(bind, handler, { ...binding, host: "127.0.0.1" });
    try {
      const second = await bindAddress(bind, handler, { ...binding, host: "::1", port: first.port });
      return { port: first.port, close: async () => void await Promise.all([first.close(), second.close()]) };
    } catch (error) {
      // A machine without IPv6 has only the one address.
      if (!isPortTaken((error as ListenError).cause)) return first;
      await first.close();
      if (port !== 0 || attemptsLeft === 0) throw error;
    }
  }
}

async function adapter(): Promise<{ readonly bind: Bind }> {
  const globals = globalThis as { Deno?: unknown; Bun?: unknown };
  if (globals.Deno !== undefined) return await import("./deno.ts");
  if (globals.Bun !== undefined) return await import("./bun.ts");
  return await import("./node.ts");
}

async function bindAddress(bind: Bind, handler: RequestHandler, binding: ListenAddress): Promise<BoundServer> {
  try {
    return await bind(handler, binding);
  } catch (cause) {
    const { host, port } = binding;
    const address = `${host.includes(":") ? `[${host}]` : host}:${port}`;
    if (isPortTaken(cause)) {
      throw new ListenError(
        `Cannot listen on ${address}: the port is in use. Stop what is using it, or choose another port (0 picks a free one).`,
        cause,
      );
    }
    const text = `${(cause as Error)?.name} ${(cause as Error)?.message} ${(cause as { code?: string })?.code}`;
    if (/EACCES|permission denied|PermissionDenied/i.test(text)) {
      throw new ListenError(`Cannot listen on ${address}: not permitted. Ports below 1024 need privileges.`, cause);
    }
    throw new ListenError(
      `Cannot listen on ${address}: it is not an address of this machine. Use localhost, 127.0.0.1, [::1] or 0.0.0.0.`,
      cause,
    );
  }
}

function isPortTaken(cause: unknown): boolean {
  const { name, message, code } = cause as { name?: string; message?: string; code?: string };
  return /AddrInUse|EADDRINUSE|in use/i.test(`${name} ${message} ${code}`);
}
