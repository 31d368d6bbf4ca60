/** A plugin of the mock that signs tokens with the keys, the claims and the events of oauth2-mock-server. */

import type { Plugin } from "../../server/hosting/options.ts";
import { findForRequest, type HttpRequest } from "../../core/http/message.ts";
import type { Client } from "../../core/clients/clients.ts";
import type { ServerClients } from "../../server/clients/clients.ts";
import type { IssuedTokens } from "./issued_tokens.ts";
import { tokenLifetime } from "./issuer.ts";
import type { AugmentedRequest, JwtTransform } from "./types.ts";

type Claims = Readonly<Record<string, unknown>>;

/** Signs a token for the suite, with its events. */
type BuildToken = (request: AugmentedRequest, expiresIn: number, transform: JwtTransform) => Promise<string>;

/**
 * Creates the plugin. Each token is signed twice: by the mock, which can check this token, and for the suite,
 * which receives only the second token.
 *
 * @param requests The requests that listeners receive.
 * @param fixes Receives how to fix each rejected request.
 */
export function mockPlugin(
  buildToken: BuildToken,
  tokens: IssuedTokens,
  requests: WeakMap<HttpRequest, AugmentedRequest>,
  fixes: WeakMap<AugmentedRequest, string>,
): Plugin {
  return {
    onEvent(event, context) {
      const request = context && findForRequest(requests, context.request);
      const fix = event.type === "rejected" ? event.explanation.fix : undefined;
      if (request !== undefined && fix !== undefined) fixes.set(request, fix);
    },
    forRequest(server, context) {
      const request = findForRequest(requests, context.request);
      if (request === undefined) return undefined;
      const { clients, keys } = server;
      return {
        clients: asRegistered(clients),
        keys: {
          ...keys,
          async sign(kind, alg, claims) {
            const own = await keys.sign(kind, alg, claims);
            if (kind !== "access_token" && kind !== "id_token") return own;
            const claimsOf = kind === "id_token" ? idTokenClaims : accessTokenClaims;
            const changed = await buildToken(request, tokenLifetime, (_header, payload) => {
              Object.assign(payload, claimsOf(claims, request.body));
            });
            const { scope } = claims;
            const lacksOpenid = kind === "access_token" && typeof scope === "string" &&
              !scope.split(" ").includes("openid");
            const forUserinfo = lacksOpenid ? await keys.sign(kind, alg, { ...claims, scope: `openid ${scope}` }) : own;
            tokens.set(changed, { own, forUserinfo });
            return changed;
          },
        },
      };
    },
  };
}

/** Gives every client the permissions of a registered one: introspection of all tokens, redirects after a logout. */
function asRegistered(clients: ServerClients): ServerClients {
  const register = (client: Client | undefined) => client && { ...client, standing: "approved" as const };
  return {
    ...clients,
    find: async (id, sender) => register(await clients.find(id, sender)),
    findHolder: async (id, sender) => register(await clients.findHolder(id, sender)),
  };
}

function accessTokenClaims({ sub, scope }: Claims, body: Claims): Claims {
  if (body.grant_type === "client_credentials") return { scope: body.scope && scope, aud: body.aud };
  return { sub, amr: ["pwd"], scope };
}

function idTokenClaims({ sub, aud, nonce }: Claims): Claims {
  return { sub, aud, ...nonce !== undefined && { nonce } };
}
