/** What data cannot say about Sign in with Apple: client secrets as JWTs, response modes, names at first logins. */

import type { App, Context } from "../../assembly/context.ts";
import { replaceParts } from "../../../platform/http/message.ts";
import { parseTarget } from "../../../platform/http/router.ts";
import { boundedCache } from "../../oauth/bounded_cache.ts";
import { keysOf } from "../../oauth/clients/client_keys.ts";
import { invalidClient } from "../../oauth/clients/auth/method.ts";
import { foreignClockTolerance, type JwtPolicy } from "../../oauth/keys/jwt_policies.ts";
import { remoteKeys, verifyByKeys } from "../../oauth/keys/remote_keys.ts";
import { warn } from "../../oauth/notes.ts";
import { splitScope } from "../../oauth/params.ts";
import type { ClientAuth, Server } from "../../oauth/server.ts";
import type { ProviderPlugin } from "./provider_plugin.ts";
import { type Exchange, trackExchanges } from "./shapes/exchanges.ts";
import { shapeCallback } from "./shapes/shape_callback.ts";

/** Maximum number of users of clients that are known to have logged in before. */
const maxKnownLogins = 10_000;

const appleIssuer = "https://appleid.apple.com";

/** Stands for the nonce of a request without one; no token has it. */
const noNonce = "latchkey-no-nonce";

/** https://developer.apple.com/documentation/accountorganizationaldatasharing/creating-a-client-secret */
const secretPolicy: JwtPolicy & { readonly maxLifetime: number } = {
  ...foreignClockTolerance,
  ...{ requiredClaims: ["iss", "iat", "exp", "aud", "sub"], maxLifetime: 15_777_000 },
};

export function appleLogin(): ProviderPlugin {
  const { find, hooks } = trackExchanges();
  const knownLogins = boundedCache<true>(maxKnownLogins);
  let app: App | undefined;

  /** The parameter `user` of the first login of a user at a client; `undefined` for a later one. */
  async function firstLogin({ issued, context: { server } }: Exchange): Promise<string | undefined> {
    if (issued === undefined || !issued.scope.some((scope) => scope === "name" || scope === "email")) return undefined;
    const key = JSON.stringify([issued.client, issued.sub]);
    if (knownLogins.get(key)) return undefined;
    knownLogins.set(key, true);
    const user = await server.users.find(issued.sub);
    if (user === undefined) return undefined;
    const { name = "", given_name: firstName = String(name).split(" ")[0], email } = user;
    const { family_name: lastName = String(name).split(" ").slice(1).join(" ") } = user;
    return JSON.stringify({
      ...issued.scope.includes("name") && { name: { firstName, lastName } },
      ...issued.scope.includes("email") && { email },
    });
  }

  return {
    ...hooks,
    setup: (assembled) => void (app = assembled),
    extend(server, context) {
      const { settings } = hooks.extend(server, context);
      const clientAuthentication = server.clientAuthentication.map((auth) =>
        auth.method === "client_secret_post" ? signedSecret(auth) : auth
      );
      // clientconfigi/3230956-responsemode of the same documentation: any scope demands form_post.
      return asksForUser(context)
        ? { ...server, clientAuthentication, settings: { ...settings, responseModes: ["form_post"] } }
        : { ...server, clientAuthentication };
    },
    claims: (_server, _kind, { nonce, ...claims }) =>
      nonce === noNonce || nonce === undefined ? claims : { ...claims, nonce },
    handle: (next) => async (request, peer) => {
      const { path, query } = parseTarget(request.url, {});
      const lacksNonce = app?.findEndpoint(path)?.name === "authorize" && needsNonce(query);
      const inner = lacksNonce
        ? replaceParts(request, { url: `${request.url}&nonce=${noNonce}`, original: request })
        : request;
      const response = await next(inner, peer);
      const exchange = find(request);
      if (lacksNonce && exchange !== undefined) warnMissingNonce(exchange.context);
      const user = exchange && await firstLogin(exchange);
      return user === undefined
        ? response
        : await shapeCallback(app!, response, (fields) => [...fields, ["user", user]]);
    },
  };
}

/** Whether a request for an ID token in the response has no nonce, as those of better-auth and passport-apple. */
function needsNonce(query: string): boolean {
  const params = new URLSearchParams(query);
  return (params.get("response_type") ?? "").split(" ").includes("id_token") && !params.has("nonce");
}

function warnMissingNonce({ server, clientId }: Context): void {
  warn(server, clientId, {
    rule: "HY-03",
    reason:
      "nonce is missing, so the client cannot detect a replayed ID token: apple lets this pass; other servers do not",
    expected: "a nonce",
    received: "no nonce",
  });
}

function asksForUser({ endpoint, target: { query } }: Context): boolean {
  if (endpoint?.name !== "authorize") return false;
  return splitScope(new URLSearchParams(query).get("scope") ?? "").some((one) => one === "name" || one === "email");
}

/** Client authentication by a JWT that the developer has signed, if the client has keys. */
function signedSecret(post: ClientAuth): ClientAuth {
  return {
    ...post,
    async authenticate(server, credentials) {
      const { params } = credentials;
      const id = params.get("client_id");
      const client = await server.clients.find(id ?? "", server.sender);
      if (client === undefined) return await post.authenticate(server, credentials);
      if (client.metadata.jwks === undefined && client.metadata.jwks_uri === undefined) {
        warnPlainSecret(server, client.id);
        return await post.authenticate(server, credentials);
      }
      const expected = "a JWT with alg ES256, iss the team, sub the client_id, aud the issuer, exp within six months";
      try {
        const { exp } = await verifyByKeys(
          params.get("client_secret")!,
          remoteKeys(...keysOf(server, client)),
          secretPolicy,
          {
            ...{ algorithms: ["ES256"], subject: client.id, audience: [appleIssuer, server.issuer], now: server.now() },
          },
        );
        if (exp! > server.now() / 1000 + secretPolicy.maxLifetime) throw new TypeError("exp is later than six months");
        return client;
      } catch (cause) {
        const reason = `the client secret is invalid: ${(cause as Error).message}`;
        throw invalidClient(reason, expected, "another value", {
          fix: "Sign the client secret with a registered key.",
        });
      }
    },
  };
}

function warnPlainSecret(server: Server, clientId: string): void {
  warn(server, clientId, {
    reason: "the client secret is no JWT; Apple accepts only one that the developer has signed with ES256",
    fix: "Add the public key to the client as jwks, so that the server verifies the client secret.",
  });
}
