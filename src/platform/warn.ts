import type { Explanation } from "../core/errors.ts";
import type { CoreTrace } from "../core/trace.ts";

/** Warns the operator about a request that was accepted, or about a failure without a request. */
export function warn(
  server: { readonly now: () => number; readonly trace: CoreTrace },
  client: string | undefined,
  explanation: Explanation,
): void {
  server.trace({ type: "warning", at: server.now(), ...client !== undefined && { client }, explanation });
}
