/**
 * The code that differs between Deno, Bun and Node: listening, the process, passwords. No OAuth and no routing.
 *
 * 1. {@link serve} checks the certificate and loads the adapter of the runtime: `deno.ts`, `bun.ts` or `node.ts`.
 * 2. The adapter listens on one address (`bind.ts`); `localhost` is two addresses, IPv4 and IPv6.
 * 3. It passes each request to the handler and sends the response.
 * 4. `close` completes the requests in flight.
 *
 * `process_environment.ts` is the interface to the process. `scrypt.ts` depends on none of these files.
 */

import type { Bind, BoundServer, ListenAddress, RequestHandler } from "./bind.ts";

/** The server cannot listen. The message is one sentence. */
export class ListenError extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.name = "ListenError";
  }
}

/** Another program uses the port. */
export class PortInUseError extends ListenError {
  /** @param fix How the user can fix it, in one sentence. */
  constructor(
    readonly address: string,
    cause: unknown,
    fix = "Stop the program that uses it, or choose another port (0 picks a free one).",
  ) {
    super(`Cannot listen on ${address}: the port is in use. ${fix}`, cause);
  }
}

/** Maximum number of further attempts, with port 0, if a port is free for IPv4 but not for IPv6. */
const maxPortAttempts = 10;

/**
 * Listens on an address and passes its requests to a handler.
 *
 * @param binding Port 0 picks a free one.
 * @throws {ListenError} If the port is in use or not permitted, the host is not an address of this machine, or the
 *   certificate cannot be used.
 */
export async function serve(handler: RequestHandler, binding: ListenAddress): Promise<BoundServer> {
  const { port, host, tls } = binding;
  if (tls !== undefined) {
    const { validateTls } = await import("./tls.ts");
    const problem = validateTls(tls);
    if (problem !== undefined) throw new ListenError(`Cannot serve https: ${problem}`, undefined);
  }
  const { bind } = await adapter(binding);
  if (host !== "localhost") return await bindAddress(bind, handler, binding);
  for (let attemptsLeft = maxPortAttempts;; attemptsLeft--) {
    const first = await bindAddress(bind, handler, { ...binding, host: "127.0.0.1" });
    try {
      const second = await bindAddress(bind, handler, { ...binding, host: "::1", port: first.port });
      return { port: first.port, close: async () => void await Promise.all([first.close(), second.close()]) };
    } catch (error) {
      // A machine without IPv6 has only 127.0.0.1.
      if (!(error instanceof PortInUseError)) return first;
      await first.close();
      if (port !== 0 || attemptsLeft === 0) throw error;
    }
  }
}

async function adapter({ requestsCertificate = false }: ListenAddress): Promise<{ readonly bind: Bind }> {
  const globals = globalThis as { Deno?: unknown; Bun?: unknown };
  if (requestsCertificate) {
    if (globals.Bun === undefined) return await import("./node.ts");
    throw new ListenError(
      "Cannot ask clients for certificates: Bun does not pass them on. Use Node or Deno, or a proxy that sends Client-Cert.",
      undefined,
    );
  }
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
    const { name, message, code } = cause as { name?: string; message?: string; code?: string };
    const text = `${name} ${message} ${code}`;
    if (/AddrInUse|EADDRINUSE|in use/i.test(text)) throw new PortInUseError(address, cause);
    if (/EACCES|permission denied|PermissionDenied/i.test(text)) {
      throw new ListenError(`Cannot listen on ${address}: not permitted. Ports below 1024 need privileges.`, cause);
    }
    throw new ListenError(
      `Cannot listen on ${address}: it is not an address of this machine. Use localhost, 127.0.0.1, [::1] or 0.0.0.0.`,
      cause,
    );
  }
}
