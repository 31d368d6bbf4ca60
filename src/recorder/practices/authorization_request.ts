/** Authorization requests: state, nonce, scope. */

import { splitScope } from "../../core/http/params.ts";
import { combineChecks, examineEach, examineFreshness, type PracticeDefinition } from "./practice.ts";
import { examineRandomness, type LoginValue, readableAs } from "./random_values.ts";
import { membersOf, type Recording, type SentAuthorizationRequest, textOf } from "./traffic.ts";

/** 22 characters of base64 have 132 bits. */
const minStateLength = 22;

/** Why a state is not a random value; `undefined` if it may be one. */
function stateProblem(state: string): { readonly because: string; readonly isNote?: boolean } | undefined {
  const readable = readableAs(state);
  if (readable !== undefined) {
    const isSigned = state.split(".").length > 1 && state.split(".").at(-1)!.length >= minStateLength;
    return { because: `the state can be read as ${readable}${isSigned ? ", and is signed" : ""}`, isNote: isSigned };
  }
  return state.length < minStateLength
    ? { because: `the state has ${state.length} characters; 128 random bits need ${minStateLength}` }
    : undefined;
}

function valuesOf(authorizations: readonly SentAuthorizationRequest[], parameter: "state" | "nonce"): LoginValue[] {
  return authorizations.flatMap(({ exchange, get }) => {
    const value = get(parameter);
    return value === undefined ? [] : [{ exchange, value }];
  });
}

/** Finds values that two requests have. */
const examineNew = (values: readonly LoginValue[], parameter: string) =>
  examineFreshness(values, ({ value }) => value, { parameter, because: `two requests have the same ${parameter}` });

/** The values that the metadata lists; `undefined` if no recorded document lists any. */
function listedScopes({ exchanges }: Recording): readonly string[] | undefined {
  const lists = exchanges.filter(({ endpoint }) => endpoint === "discovery")
    .map((exchange) => membersOf(exchange).scopes_supported).filter((list) => Array.isArray(list));
  return lists.length === 0 ? undefined : lists.flat().map(textOf);
}

export const authorizationRequestPractices: readonly PracticeDefinition[] = [
  {
    id: "state-random",
    title: "The client creates a new random state for each authorization request.",
    level: "recommended",
    // With PKCE or a nonce, CSRF needs no secret in state (RFC 9700 §2.1): some libraries keep other data there.
    sources: ["RFC 6749 §10.10, §10.12", "RFC 9700 §2.1"],
    occasion: "two authorization requests with state",
    async check({ authorizations }) {
      const values = valuesOf(authorizations, "state");
      if (values.length < 2) return { seen: [], findings: [] };
      const read = examineEach(values, ({ value }) => {
        const problem = stateProblem(value);
        return problem && { parameter: "state", ...problem };
      });
      return combineChecks(examineNew(values, "state"), read, await examineRandomness(values, "state"));
    },
  },
  {
    id: "nonce-fresh",
    title: "The client creates a new random nonce for each authorization request.",
    level: "required",
    sources: ["OpenID Connect Core §3.1.2.1", "OpenID Connect Core §15.5.2"],
    occasion: "two authorization requests with a nonce",
    async check({ authorizations }) {
      const values = valuesOf(authorizations, "nonce");
      return combineChecks(examineNew(values, "nonce"), await examineRandomness(values, "nonce"));
    },
  },
  {
    id: "scope-minimal",
    title:
      "The client requests only scope values that it is registered for, that the metadata lists and that the resource requires.",
    level: "recommended",
    sources: ["RFC 9700 §2.3", "MCP authorization"],
    occasion: "an authorization request with scope",
    check: ({ authorizations, recordings, exchanges }) =>
      examineEach(authorizations.filter(({ get }) => get("scope") !== undefined), (request) => {
        const recording = recordings.find(({ issuer }) => issuer === request.issuer)!;
        const values = splitScope(request.get("scope")!);
        const registered = recording.client?.scope === undefined ? undefined : splitScope(recording.client.scope);
        const tooWide = values.find((value) => registered?.includes(value) === false);
        if (tooWide !== undefined) {
          return { parameter: "scope", because: `the client is not registered for ${tooWide}` };
        }
        const listed = listedScopes(recording);
        const unlisted = values.find((value) => listed?.includes(value) === false);
        if (unlisted !== undefined) return { parameter: "scope", because: `the metadata does not list ${unlisted}` };
        const resource = request.get("resource");
        const challenge = resource === undefined
          ? undefined
          : exchanges.findLast(({ number, outcome, response }) =>
            number < request.exchange.number && outcome === "challenged" &&
            demandedScope(response?.headers) !== undefined
          );
        const demanded = challenge && splitScope(demandedScope(challenge.response?.headers)!);
        const undemanded = values.find((value) =>
          demanded?.includes(value) === false && !["openid", "offline_access"].includes(value)
        );
        return undemanded === undefined
          ? undefined
          : { parameter: "scope", because: `the resource did not require ${undemanded}`, others: [challenge!] };
      }),
  },
];

/** The scope of a challenge (RFC 6750 §3). */
function demandedScope(headers: Readonly<Record<string, string>> | undefined): string | undefined {
  return /\bscope="([^"]*)"/.exec(headers?.["www-authenticate"] ?? "")?.[1];
}
