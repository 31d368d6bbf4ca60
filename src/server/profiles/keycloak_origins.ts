/** The web origins of clients of Keycloak. */

import type { Client } from "../../core/clients/repository.ts";

/** The origins of the redirect URIs of a client: its web origins if they are `+`. */
export function webOriginsOf({ redirectUris }: Pick<Client, "redirectUris">): readonly string[] {
  return [...new Set(redirectUris.map((uri) => new URL(uri).origin).filter((origin) => origin !== "null"))];
}
