/** The origins of a server. */

import type { ServerUrls } from "../../core/http/names.ts";

export function serverOrigins({ issuer, names }: ServerUrls): readonly string[] {
  const { frontChannel, backChannel, endpoints = {} } = names;
  return [new URL(issuer).origin, frontChannel, backChannel, ...Object.values(endpoints)];
}
