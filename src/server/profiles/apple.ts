/** What differs from the standards at Apple. */

import type { Context } from "../../core/http/context.ts";
import type { ProviderRequest, RequestFacts, ResponseFacts } from "../config/provider_functions.ts";
import { boundedCache } from "../../platform/bounded_cache.ts";
import { splitScope } from "../../core/http/params.ts";
import type { Server } from "../../core/server.ts";
import { asText, omit, withChangedBody } from "./shared/members.ts";
import type { Provider } from "./shared/provider.ts";
import { signedSecret } from "./apple_client_secret.ts";

/** Maximum number of remembered logins: one for each client and user. */
const maxKnownLogins = 10_000;

/** Stands for the nonce of a request without one; no token has it. */
const noNonce = "latchkey-no-nonce";

export function appleProvider(): Provider {
  const knownLogins = boundedCache<true>(maxKnownLogins);

  /** The parameter `user` of the first login of a user at a client; `undefined` for a later one. */
  async function firstLogin({ issued, server }: ResponseFacts<Server>): Promise<string | undefined> {
    if (issued === undefined || !issued.scope.some((scope) => scope === "name" || scope === "email")) return undefined;
    const key = JSON.stringify([issued.client, issued.sub]);
    if (knownLogins.get(key)) return undefined;
    knownLogins.set(key, true);
    const user = await server.users.find(issued.sub);
    if (user === undefined) return undefined;
    const { name = "", given_name: firstName = asText(name).split(" ")[0], email } = user;
    const { family_name: lastName = asText(name).split(" ").slice(1).join(" ") } = user;
    return JSON.stringify({
      ...issued.scope.includes("name") && { name: { firstName, lastName } },
      ...issued.scope.includes("email") && { email },
    });
  }

  return {
    extend: (server) => ({
      ...server,
      clientAuthentication: server.clientAuthentication.map((auth) =>
        auth.method === "client_secret_post" ? signedSecret(auth) : auth
      ),
    }),
    // clientconfigi/3230956-responsemode of the same documentation: any scope demands form_post.
    forRequest: ({ policy }, context) =>
      asksForUser(context) ? { policy: { ...policy, responseModes: ["form_post"] } } : undefined,
    // https://developer.apple.com/documentation/sign_in_with_apple/authenticating-users-with-sign-in-with-apple
    claims(claims, { kind, user, grant: { scope } }) {
      const { nonce, ...others } = claims;
      const withoutPlaceholder = nonce === noNonce ? others : claims;
      if (kind !== "id_token") return withoutPlaceholder;
      const texts = !scope.includes("email") ? [] : ["email_verified", "is_private_email"].flatMap((name) => {
        const value = claims[name] ?? user?.[name] ?? undefined;
        return value === undefined ? [] : [[name, asText(value)]];
      });
      return { ...withoutPlaceholder, nonce_supported: true, ...Object.fromEntries(texts) };
    },
    request: (request, facts) =>
      facts.endpoint === "authorization_endpoint" ? withOpenid(withNonce(request, facts)) : request,
    response: (response, { endpoint }) =>
      endpoint === "token_endpoint" ? withChangedBody(response, (body) => omit(body, "scope")) : response,
    error: (response, { endpoint, rejection }) =>
      endpoint === "token_endpoint" && rejection?.error === "invalid_client" ? { ...response, status: 400 } : response,
    async callback(parameters, facts) {
      const user = await firstLogin(facts);
      return user === undefined ? parameters : { ...parameters, user };
    },
  };
}

/** Adds `openid` to the scope: clients request only name and email, but each login is one of OpenID Connect. */
function withOpenid(request: ProviderRequest): ProviderRequest {
  const sent = request.parameters.find(([name]) => name === "scope");
  if (sent === undefined) return { ...request, parameters: [...request.parameters, ["scope", "openid"]] };
  if (splitScope(sent[1]).includes("openid")) return request;
  const scope = `${sent[1]} openid`.trim();
  return { ...request, parameters: request.parameters.map((one) => one === sent ? ["scope", scope] : one) };
}

/** Adds a nonce to a request for an ID token: better-auth and passport-apple send none. */
function withNonce(request: ProviderRequest, { method, warn }: RequestFacts<Server>): ProviderRequest {
  const types = request.parameters.find(([name]) => name === "response_type")?.[1].split(" ") ?? [];
  const hasNonce = request.parameters.some(([name]) => name === "nonce");
  if (method === "POST" || !types.includes("id_token") || hasNonce) return request;
  warn({
    rule: "HY-03",
    reason:
      "nonce is missing, so the client cannot detect a replayed ID token: apple lets this pass; other servers do not",
    expected: "a nonce",
    received: "no nonce",
    fix: "Send a new random nonce, and compare it with the claim nonce of the ID token.",
  });
  return { ...request, parameters: [...request.parameters, ["nonce", noNonce]] };
}

function asksForUser({ endpoint, target: { query } }: Context): boolean {
  if (endpoint?.name !== "authorize") return false;
  return splitScope(new URLSearchParams(query).get("scope") ?? "").some((one) => one === "name" || one === "email");
}
