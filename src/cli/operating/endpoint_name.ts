/** The name of an endpoint in logs, metrics and spans. */

import type { App } from "../../server/assembly/context.ts";

/** The name of the endpoint at a path; `unknown` if no route matches, so that labels have few values. */
export function endpointNameAt(findEndpoint: App["findEndpoint"], path: string): string {
  return findEndpoint(path)?.name ?? "unknown";
}
