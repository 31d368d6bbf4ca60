/**
 * What drafts and new documents, as of November 2026, demand of clients, as practices; the profile `next-2026.11` sets
 * what they demand of servers. Remove a rule when the profile of a standard has it.
 */

import { decodeJwtPart } from "../../platform/http/jwt_part.ts";
import type { Exchange } from "../exchange.ts";
import { findBasicCredentials } from "../record_request.ts";
import { authorizationRequestPractices } from "./authorization_request.ts";
import { type Evidence, examineEach, type PracticeDefinition, type RequestFinding, toEvidence } from "./practice.ts";
import { pkcePractices } from "./pkce.ts";
import { redirectPractices } from "./redirects.ts";
import { tokenPractices } from "./tokens.ts";
import type { Traffic } from "./traffic.ts";

/** @internal A practice that a draft demands. */
export interface NextRule extends PracticeDefinition {
  /** The document: a draft with its number, a new RFC, or a dated revision. */
  readonly draft: string;
  /** The month of the document: `2026-09`. */
  readonly date: string;
  /** How to change the client, in imperative sentences. */
  readonly fix: string;
}

const oauth21 = { draft: "draft-ietf-oauth-v2-1-16", date: "2026-09" };
const assertions = { draft: "RFC 10070", date: "2026-11" };
const topics = { draft: "draft-ietf-oauth-security-topics-update-03", date: "2026-07" };
const mcp = { draft: "MCP authorization 2026-07-28", date: "2026-07" };

const known = [
  ...authorizationRequestPractices,
  ...pkcePractices,
  ...redirectPractices,
  ...tokenPractices,
];

/** A practice of today that a draft names too. */
function today(id: string, document: Pick<NextRule, "draft" | "date">, section: string, fix: string): NextRule {
  const practice = known.find((one) => one.id === id)!;
  return {
    ...practice,
    ...document,
    level: "required",
    sources: [`${document.draft} ${section}`, ...practice.sources],
    fix,
  };
}

/** The rule, which notes what the document allows. */
function noting(rule: NextRule, isAllowed: (request: Exchange["request"], finding: Evidence) => boolean): NextRule {
  return {
    ...rule,
    async check(traffic) {
      const { seen, findings } = await rule.check(traffic);
      return {
        seen,
        findings: findings.map((one) => ({ ...one, isNote: one.isNote || isAllowed(one.exchanges[0]!.request, one) })),
      };
    },
  };
}

/** The requests with a client assertion. */
function assertionsOf({ requests }: Traffic) {
  return requests.flatMap((request) => {
    const assertion = request.exchange.request.form.find(([name]) => name === "client_assertion")?.[1];
    return assertion === undefined ? [] : [{ ...request, assertion }];
  });
}

/** Every rule, in the order of a login. */
export const nextRules: readonly NextRule[] = [
  {
    ...mcp,
    id: "no-dynamic-registration",
    title: "The client has a client ID metadata document or was registered beforehand, and does not register itself.",
    level: "required",
    sources: [`${mcp.draft}, Dynamic Client Registration (deprecated)`],
    occasion: "a request of the client",
    fix: "Publish a client ID metadata document and send its URL as the client_id, or have the client configured.",
    check: ({ requests }) => ({
      seen: requests.map(({ exchange }) => exchange),
      findings: requests.filter(({ exchange }) => exchange.endpoint === "register")
        .map((request) => toEvidence(request, { because: "the client registers itself" })),
    }),
  },
  today("code-flow-only", oauth21, "§10.1", "Send response_type=code, and exchange the code for the tokens."),
  {
    ...today(
      "pkce-used",
      oauth21,
      "§7.5.1",
      "Send code_challenge and code_challenge_method=S256 in each authorization request.",
    ),
    title: "Every authorization request has a code challenge, or a nonce if the client authenticates.",
  },
  today(
    "pkce-s256",
    oauth21,
    "§4.1.1, §7.5.2",
    "Send code_challenge_method=S256, and the SHA-256 digest of the verifier as code_challenge.",
  ),
  noting(
    today(
      "redirect-uri-exact",
      oauth21,
      "§4.1.1",
      "Send the redirect_uri of the authorization request, or none, in the token request.",
    ),
    // §10.2: a token request without it is that of an OAuth 2.1 client.
    ({ form }) => !form.some(([name]) => name === "redirect_uri"),
  ),
  today(
    "callback-tells-issuers-apart",
    topics,
    "§2.2",
    "Use a redirect URI for each issuer, or compare iss of the authorization response with the issuer.",
  ),
  {
    ...oauth21,
    id: "secret-in-body",
    title: "The client can send its secret in the body: servers must support that, and may leave out HTTP Basic.",
    level: "required",
    sources: [`${oauth21.draft} §2.4.1`],
    occasion: "a request with a client secret",
    fix: "Send client_id and client_secret in the body (client_secret_post).",
    check: ({ requests }) =>
      examineEach(
        requests.filter(({ exchange: { request } }) =>
          findBasicCredentials(request)?.password || request.form.some(([name]) => name === "client_secret")
        ),
        ({ exchange: { request } }): RequestFinding | undefined =>
          findBasicCredentials(request)?.password
            ? {
              parameter: "Authorization",
              because: "the client sends its secret by HTTP Basic, which a server may leave out",
              isNote: true,
            }
            : undefined,
      ),
  },
  {
    ...assertions,
    id: "assertion-for-issuer",
    title: "The only audience of a client assertion is the issuer.",
    fix: "Make the issuer the value of aud, as one string.",
    level: "required",
    sources: [`${assertions.draft} §4`, `${topics.draft} §2.1`],
    occasion: "a client assertion",
    check: (traffic) =>
      examineEach(assertionsOf(traffic), ({ assertion, issuer }): RequestFinding | undefined => {
        const audiences = [decodeJwtPart(assertion, 1).aud].flat();
        if (audiences.length === 1 && audiences[0] === issuer) return undefined;
        const because = audiences.length === 1
          ? "the audience of the assertion is not the issuer"
          : `the assertion has ${audiences.length} audiences`;
        return { parameter: "client_assertion", because };
      }),
  },
  {
    ...assertions,
    id: "assertion-typed",
    title: "A client assertion has the type client-authentication+jwt.",
    fix: "Set typ in the header of the assertion to client-authentication+jwt.",
    level: "required",
    sources: [`${assertions.draft} §4`],
    occasion: "a client assertion",
    check: (traffic) =>
      examineEach(assertionsOf(traffic), ({ assertion }): RequestFinding | undefined => {
        const { typ } = decodeJwtPart(assertion, 0);
        if (typeof typ === "string" && /^(?:application\/)?client-authentication\+jwt$/i.test(typ)) return undefined;
        return { parameter: "client_assertion", because: "the header typ is not client-authentication+jwt" };
      }),
  },
  today("refresh-newest", oauth21, "§4.3.1", "Store the refresh token of each response, and send the newest one."),
  {
    ...noting(
      today("token-in-header", oauth21, "§5.1", "Send Authorization: Bearer TOKEN, and the token nowhere else."),
      // For clients that cannot set the header (§5.1.2). A finding without a parameter is about several places.
      ({ form }, { parameter }) => parameter === "access_token" && form.some(([name]) => name === parameter),
    ),
    title: "The client sends the access token once in each request, in the Authorization header, or in a form.",
  },
];
