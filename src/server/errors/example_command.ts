/** The command that a page shows in place of an endpoint for programs. */

import type { Context } from "../endpoint.ts";
import { publicUrl } from "../../core/endpoint.ts";

/** A command that calls the endpoint of a request, if the endpoint accepts only POST requests. */
export function exampleCommand({ server, endpoint }: Context): string | undefined {
  if (endpoint === undefined || !endpoint.methods.includes("POST") || endpoint.methods.includes("GET")) {
    return undefined;
  }
  const names = endpoint.exampleParameters ?? endpoint.parameters?.map(({ name }) => name).slice(0, 3) ?? [];
  return ["curl", ...names.map((name) => `-d ${name}=…`), publicUrl(server, endpoint)].join(" ");
}
