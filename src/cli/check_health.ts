/**
 * `latchkey health`: whether the server with these flags, variables and file is ready. For containers without a shell.
 */

import { basePath } from "../core/http/names.ts";
import type { ProcessEnvironment } from "../platform/runtime/process_environment.ts";
import { readConfiguration } from "./read_config.ts";
import { printText } from "./terminal_text.ts";

/** Sends a GET request; see `platform/runtime/request_status.ts`. */
type RequestStatus = (url: string, timeoutMs: number) => Promise<{ readonly status: number; readonly text: string }>;

/** Milliseconds after which a server without a response counts as not ready. */
const timeoutMs = 5000;

/**
 * Requests `/readyz` of the server that the same configuration starts, and prints the result.
 *
 * @returns The exit code: 0 if the server is ready.
 * @throws {ConfigurationError} If the configuration is invalid.
 */
export async function checkHealth(
  sources: Parameters<typeof readConfiguration>[0] & Pick<ProcessEnvironment, "mainModule" | "env">,
  requestStatus: RequestStatus,
): Promise<number> {
  const config = await readConfiguration(sources);
  if (config.kind !== "run") {
    printText(
      "Usage: latchkey health [FLAG VALUE]...\n\nExits with 0 if the server with these flags, variables and file is ready.",
      sources,
    );
    return config.kind === "help" ? 0 : 1;
  }
  const { host, port, tls, resolved: { issuer } } = config;
  const scheme = tls === undefined ? "http" : "https";
  const url = `${scheme}://${connectableHost(host)}:${port}${basePath(issuer)}/readyz`;
  try {
    const { status, text } = await requestStatus(url, timeoutMs);
    if (status === 200) {
      console.log("ready");
      return 0;
    }
    console.error(`Not ready: ${url} responded with status ${status}: ${text}`);
  } catch (error) {
    console.error(`Not ready: ${url} does not respond (${(error as Error).message}).`);
  }
  return 1;
}

/** The address by which this machine reaches the address that the server listens on. */
function connectableHost(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}
