/** What redaction must know of a server: the secrets that it issues, and those of its clients. */

import { isResponse } from "../../core/http/message.ts";
import type { RequestHandler } from "../../core/http/router.ts";
import { randomToken } from "../../core/keys/secrets.ts";
import type { ServerPolicy } from "../config/server_policy.ts";
import type { Extension } from "../config/extension.ts";
import { rememberIssued } from "../redaction/issued_secrets.ts";
import type { AddedSecrets } from "../redaction/registered_secrets.ts";

/** Remembers codes and tokens, and finds the secrets of clients. */
export function redaction(registeredSecrets: AddedSecrets): Extension {
  return {
    name: "redaction",
    extend(server) {
      registeredSecrets.addClients(server.clients.registered);
      return {
        ...server,
        newToken({ policy, randomBytes }, kind, derived) {
          // The random source remembers the others.
          if (derived !== undefined) rememberIssued(derived);
          return ((policy as ServerPolicy).tokenPrefixes[kind] ?? "") + (derived ?? randomToken(randomBytes));
        },
        registeredSecrets,
      };
    },
  };
}

/** Remembers the secrets of cookies: each has a MAC, which the core makes. */
export function rememberCookies(handle: RequestHandler): RequestHandler {
  return async function redactCookies(request, peer) {
    const response = await handle(request, peer);
    const cookies = isResponse(response) ? undefined : response.headers["set-cookie"];
    for (const word of cookies?.match(/[\w-]{43,}/g) ?? []) rememberIssued(word);
    return response;
  };
}
