/** OpenID Connect parameters of authorization requests (Core §3.1.2.1), and their requirements for the login. */

import type { Client } from "../clients/repository.ts";
import { OAuthError } from "../errors.ts";
import { chain, type MaybePromise } from "../maybe_promise.ts";
import type { Params } from "../params.ts";
import type { AuthorizationRequest, LoginRequirements } from "./authorization_request.ts";
import type { PartRequest } from "../server.ts";
import { addRequestedClaims } from "./requested_claims.ts";
import { splitScope } from "./scope_token.ts";
import { type IdTokenHint, readIdTokenHint } from "../tokens/id_token_hint.ts";

/** The supported values of `prompt`. */
export const promptValues = ["none", "login", "consent", "select_account"] as const;

/** Maximum length of a `login_hint`, in characters; the rest is cut off. */
const maxLoginHintLength = 255;

/**
 * Reads what a request requires of the login. Where the client polls, the user always decides on a page, so `prompt`
 * does not count.
 */
export function readLoginRequirements(
  from: PartRequest,
  parts: Partial<AuthorizationRequest>,
): MaybePromise<LoginRequirements> {
  const { server, client, params, at } = from;
  const idTokenHint = params.get("id_token_hint");
  const hinted = idTokenHint === undefined ? undefined : readIdTokenHint(server, idTokenHint);
  return chain(hinted, (hintedLogin) => {
    const requirements = readOpenIdParameters(params, client, hintedLogin);
    const complete = params.get("claims") === undefined && server.levels === undefined
      ? requirements
      : addRequestedClaims(from, parts.scope ?? [], requirements);
    return at === "poll" ? chain(complete, (complete) => ({ ...complete, prompt: [] })) : complete;
  });
}

/**
 * Reads the parameters, besides those of `requested_claims.ts`; `display`, `ui_locales` and `claims_locales` are ignored.
 *
 * @param hintedLogin The login of a valid `id_token_hint`.
 */
function readOpenIdParameters(
  params: Params,
  client: Client,
  hintedLogin: IdTokenHint | undefined,
): LoginRequirements {
  const prompts = splitScope(params.get("prompt") ?? "");
  if (prompts.includes("none") && prompts.length > 1) {
    throw new OAuthError("invalid_request", "prompt combines none with another value", {
      rule: "OI-03",
      expected: "none alone, or other values without none",
      received: prompts.join(" "),
    });
  }
  if (params.get("id_token_hint") !== undefined && hintedLogin?.clientId !== client.id) {
    throw new OAuthError("invalid_request", "id_token_hint is not an ID token that this server issued to this client", {
      rule: "OI-07",
      expected: `an ID token of this issuer for ${client.id}, expired or not`,
      received: hintedLogin === undefined ? "a token that cannot be verified" : `a token for ${hintedLogin.clientId}`,
    });
  }
  return {
    prompt: prompts.filter((value) => promptValues.some((supported) => supported === value)),
    maxAgeSeconds: readMaxAge(params.get("max_age")) ?? client.metadata.default_max_age,
    loginHint: params.get("login_hint")?.slice(0, maxLoginHintLength),
    demandedSubs: hintedLogin === undefined ? undefined : [[hintedLogin.sub]],
  };
}

function readMaxAge(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text)) return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
  throw new OAuthError("invalid_request", "max_age is not a whole number of seconds", {
    rule: "OI-05",
    expected: "digits",
    received: /^[-+.\d]{1,20}$/.test(text) ? text : `${text.length} other characters`,
  });
}
