/** OpenID Connect parameters of authorization requests (Core §3.1.2.1), and their requirements for the login. */

import { jsonEqual, mayBeRequested } from "../claims.ts";
import type { Client } from "../clients/repository.ts";
import { OAuthError } from "../errors.ts";
import type { Params } from "../params.ts";
import type { Server } from "../server.ts";
import { splitScope } from "./scope_token.ts";
import type { RequestedClaims } from "../../store/store.ts";
import { subjectFor } from "../users/subject.ts";
import type { IdTokenHint } from "../tokens/id_token.ts";

/** The requirements of a request for the login. Plain JSON. */
export interface LoginRequirements {
  /** `none`, `login`, `consent`, `select_account`; unknown values are removed. */
  readonly prompt: readonly string[];
  /** Maximum age of the login, in seconds. */
  readonly maxAgeSeconds?: number;
  /** The user that the client expects to log in: a subject or an e-mail address, unverified. */
  readonly loginHint?: string;
  /** Lists of subjects from `id_token_hint` and `claims`: the user's subject for this client must be in each of them. */
  readonly demandedSubs?: readonly (readonly string[])[];
  /** The claims requested by name (OpenID Connect Core §5.5). */
  readonly claims?: RequestedClaims;
}

/** The supported values of `prompt`. */
export const promptValues = ["none", "login", "consent", "select_account"] as const;

/** Maximum length of a `login_hint`, in characters; the rest is cut off. */
const maxLoginHintLength = 255;

/**
 * Reads the parameters; `acr_values`, `display`, `ui_locales` and `claims_locales` are ignored.
 *
 * @param hintedLogin The login of a valid `id_token_hint`.
 */
export function readOpenIdParameters(
  server: Server,
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
  const claims = readClaims(server, client, params.get("claims"));
  const demandedSubs = [...hintedLogin === undefined ? [] : [[hintedLogin.sub]], ...claims?.subs ?? []];
  return {
    prompt: prompts.filter((value) => promptValues.some((supported) => supported === value)),
    maxAgeSeconds: readMaxAge(params.get("max_age")),
    loginHint: params.get("login_hint")?.slice(0, maxLoginHintLength),
    demandedSubs: demandedSubs.length === 0 ? undefined : demandedSubs,
    claims: claims?.names,
  };
}

/** Number of users whose pairwise subjects are compared, besides those in memory. */
const maxPairwiseCandidates = 1000;

/** The users, by `sub` on this server, whose subject for the client is in every list. */
export async function allowedSubjects(
  server: Server,
  client: Client,
  [first = [], ...others]: readonly (readonly string[])[],
): Promise<readonly string[]> {
  const common = first.filter((sub) => others.every((demand) => demand.includes(sub)));
  const allowedSubs = new Set(common);
  const subs: string[] = [];
  if (client.sector === undefined) {
    for (const sub of allowedSubs) if (await server.users.find(sub) !== undefined) subs.push(sub);
  } else {
    // Bounded: any client may send such a request.
    const candidates = new Set([
      ...server.users.allCached(),
      ...await server.users.list({ limit: maxPairwiseCandidates }),
    ]);
    for (const { sub } of candidates) {
      if (allowedSubs.has(await subjectFor(server, client, sub))) subs.push(sub);
    }
  }
  return subs;
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

function readClaims(
  server: Server,
  client: Client,
  text: string | undefined,
): { names: RequestedClaims; subs: readonly string[][] } | undefined {
  if (text === undefined) return undefined;
  const malformed = (received: string) =>
    new OAuthError("invalid_request", "claims is not a valid claims request", {
      rule: "OI-08",
      expected: `an object whose userinfo and id_token members are objects, such as {"userinfo":{"name":null}}`,
      received,
    });
  let request: unknown;
  try {
    request = JSON.parse(text);
  } catch {
    throw malformed("invalid JSON");
  }
  if (!isObject(request)) throw malformed("JSON that is not an object");
  const names = { userinfo: [] as string[], id_token: [] as string[] };
  const values = { userinfo: {} as Record<string, unknown[]>, id_token: {} as Record<string, unknown[]> };
  const subs: string[][] = [];
  for (const target of ["userinfo", "id_token"] as const) {
    const requestedClaims = Object.hasOwn(request, target) ? request[target] : null;
    if (requestedClaims === null) continue;
    if (!isObject(requestedClaims)) throw malformed(`a ${target} that is not an object`);
    for (const [name, claimRequest] of Object.entries(requestedClaims)) {
      if (claimRequest !== null && !isObject(claimRequest)) {
        throw malformed("a claim whose request is neither null nor an object");
      }
      const demandedValues = readDemandedValues(claimRequest, malformed);
      if (name === "sub") subs.push(...readDemandedSubs(demandedValues, malformed));
      if (
        name === "acr" && claimRequest?.essential === true &&
        (claimRequest.value !== undefined || claimRequest.values !== undefined)
      ) {
        throw new OAuthError("access_denied", "claims requires an acr that this server does not support", {
          rule: "OI-08",
          expected: "no essential acr, because this server issues no acr",
          received: "an essential acr",
        });
      }
      // A client may request only claims of scope values that it may request.
      if (!mayBeRequested(server.claims, name, client.scope)) continue;
      names[target].push(name);
      // All demands apply: a subject must be in each of their lists.
      const [first, ...others] = demandedValues;
      if (first === undefined) continue;
      values[target][name] = first.filter((value) =>
        others.every((other) => other.some((otherValue) => jsonEqual(otherValue, value)))
      );
    }
  }
  const hasValues = Object.keys(values.userinfo).length + Object.keys(values.id_token).length > 0;
  return { names: { ...names, ...hasValues && { values } }, subs };
}

/** The values that a request for a claim demands: the one `value`, one of `values`, or both (Core §5.5.1). */
function readDemandedValues(
  claimRequest: Record<string, unknown> | null,
  malformed: (received: string) => OAuthError,
): unknown[][] {
  if (claimRequest?.values !== undefined && !Array.isArray(claimRequest.values)) {
    throw malformed("values that are not a list");
  }
  const demands = [
    claimRequest?.value === undefined ? [] : [claimRequest.value],
    (claimRequest?.values ?? []) as unknown[],
  ];
  return demands.filter((demand) => demand.length > 0);
}

/** The subjects that a request for `sub` demands. */
function readDemandedSubs(demands: unknown[][], malformed: (received: string) => OAuthError): string[][] {
  if (!demands.flat().every((sub) => typeof sub === "string")) throw malformed("a sub that is not a string");
  return demands as string[][];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
