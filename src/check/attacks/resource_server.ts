/** Resource servers: access tokens and introspection responses that they must reject (RFC 9068, RFC 7662). */

import { encodeBase64url } from "../../core/keys/crypto.ts";
import { parseJsonObject } from "../../platform/http/json_body.ts";
import { decodeJwtPart } from "../../platform/http/jwt_part.ts";
import type { Fault } from "../../testing/faults/fault.ts";
import { type Claims, overrideClaims } from "../../testing/faults/resign.ts";
import { withPolicy } from "../../testing/with_policy.ts";
import { type Attack, type Conclusion, defineAttack, type Stage } from "../define_attack.ts";
import { type TokenJourney, UndecidedError, UnreachableError } from "../driver.ts";
import { forgedSignatures, forgeryAttack, wrongForms } from "./forgeries.ts";
import { conclude, notApplicable, unclear } from "./conclusions.ts";
import { forgeJwt, signWithOwnKey } from "./forged_jwt.ts";
import { claimsOf, gridAttacks, jsonResponse } from "./grid.ts";
import { assessRotation, rotateBefore } from "./keys.ts";
import { editJsonBody } from "../../testing/faults/response_body.ts";
import { oneOf } from "./parameters.ts";
import { nearIssuers, nearMisses, nearMissOf, noText, pick } from "./wrong_values.ts";

const accessToken = claimsOf("The access token", "access_token");
const introspection = jsonResponse("The introspection response", { isSteady: true });

const correctClient = "The resource server rejects the token.";

const tokens = {
  by: "acceptToken",
  endpoints: ["token"],
  level: "must-reject",
  accepts: "accessToken",
  correctClient,
} as const;
const introspected = {
  by: "acceptToken",
  endpoints: ["introspect"],
  ifUnmet: "the resource server introspects no token",
} as const;

/** The `cnf` of a token that only a request with a proof of the key or with the certificate may use. */
const boundTo = {
  "a key": { jkt: "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I" },
  "a certificate": { "x5t#S256": "bwcK0esc3ACC3DB2Y5_lESsXE8o9ltc05O89jdN-dg2" },
} as const;

/** JWTs of the issuer that are no access tokens: what each has beside the user. */
const otherJwts = {
  "an ID token": { typ: "JWT", nonce: "nonce-of-a-login" },
  "a logout token": { typ: "logout+jwt", events: { "http://schemas.openid.net/event/backchannel-logout": {} } },
  "an ID token with the resource as aud": { typ: "JWT", nonce: "nonce-of-a-login" },
} as const;

/** The number of tokens with unknown keys: some libraries fetch keys at most ten times in a minute. */
const unknownTokens = 20;

/** How long after its exp a resource server may accept a token, in seconds: clocks may differ. */
const maxLeeway = 300;

/** Whether the resource server accepts a token, by default a new one. */
async function accepts({ begin }: Stage, journey?: TokenJourney): Promise<boolean> {
  try {
    await begin(journey);
    return true;
  } catch (error) {
    if (error instanceof UndecidedError || error instanceof UnreachableError) throw error;
    return false;
  }
}

/** The parameters of the request for the last token, and the scope values of the token. */
function lastToken({ as }: Stage) {
  const { request, response } = as.log.unmasked.last("token");
  const { access_token, scope = decodeJwtPart(String(access_token), 1).scope } =
    parseJsonObject(response?.body ?? "{}") ??
      {};
  const { client_id = "", client_secret = "" } = Object.fromEntries(request.form);
  return { client_id, client_secret, scope: String(scope ?? "").split(" ").filter((value) => value !== "") };
}

/** Access tokens for a minute. */
const shortLived: Fault = {
  name: "access tokens for a minute",
  endpoints: ["token"],
  extend: (server) => withPolicy(server, { lifetimes: { ...server.policy.lifetimes, access_token: 60 } }),
};

/** Whether the resource server accepts a token that it accepted before, and that has expired or was revoked since. */
async function concludeKept(stage: Stage, how: "expired" | "revoked"): Promise<Conclusion> {
  const { as, capabilities, issueToken, passTime } = stage;
  if (!capabilities.has("clock")) {
    return notApplicable("the check cannot set the clock of the resource server, which may keep a result for a while");
  }
  if (how === "expired") as.on("token").once(shortLived);
  const journey = await issueToken();
  const { client_id, client_secret } = lastToken(stage);
  await accepts(stage, journey);
  if (how === "revoked") {
    if (as.log.unmasked.filter("introspect").length === 0) {
      return notApplicable("the resource server introspects no token");
    }
    const body = new URLSearchParams({ client_id, client_secret, token: journey.accessToken });
    await as.fetch(`${as.issuer}/oauth2/revoke`, { method: "POST", body });
  }
  passTime(how === "expired" ? 60 + maxLeeway + 1 : 600);
  const isKept = await accepts(stage, journey);
  if (isKept && how === "expired") {
    const old = (_: Claims, now: number) => ({ exp: now - maxLeeway - 1 });
    as.on("token").once(overrideClaims("expired", old, "access_token"));
    if (await accepts(stage)) return notApplicable("the resource server accepts expired tokens, also new ones");
  }
  const failure = `the resource server accepted a token that it accepted before, and that ${
    how === "expired" ? "has expired" : "was revoked"
  } since`;
  // No specification says how long the result of an introspection may be kept.
  return { ...conclude(isKept ? failure : undefined, "it rejected the token", "kept"), isWarning: how === "revoked" };
}

/** Members with which the introspection response is that of a token that this request must not use, by what it is. */
const otherTokens: Readonly<Record<string, (now: number) => object>> = {
  "for another resource": () => ({ aud: "https://attacker.example" }),
  "of another issuer": () => ({ iss: "https://attacker.example" }),
  "a refresh token": () => ({ token_type: "refresh_token" }),
  "bound to a key": () => ({ cnf: boundTo["a key"] }),
  "bound to a certificate": () => ({ cnf: boundTo["a certificate"] }),
  "expired": (now) => ({ exp: now - 3600 }),
  "not valid yet": (now) => ({ nbf: now + 3600 }),
};

const isForResource = (what: keyof typeof otherJwts) => what === "an ID token with the resource as aud";

export const resourceServerAttacks: readonly Attack[] = [
  forgeryAttack(
    {
      ...{
        ...tokens,
        id: "resource/token-forged",
        fix:
          "Verify the signature of the access token with the keys of jwks_uri, and accept only the expected alg and typ.",
        requirement: "RFC 9068 §4",
      },
      title: "The access token of a request is not signed by the server, or changed after it was signed.",
      sources: ["RFC 8725 §3.1", "RFC 7515 §5.2"],
    },
    { ...forgedSignatures, ...wrongForms },
    "access_token",
  ),
  ...gridAttacks(accessToken, [
    {
      ...{
        ...tokens,
        id: "resource/token-issuer",
        fix: "Compare iss of the access token with the issuer that you trust, character by character.",
        member: "iss",
        values: ["foreign", "absent", "list", ...nearIssuers],
      },
      requirement: "RFC 9068 §4",
    },
    {
      ...{
        ...tokens,
        id: "resource/token-audience",
        fix:
          "Require that aud of the access token identifies this resource server: here it is the setting audience, by default the issuer.",
        member: "aud",
      },
      // A resource server that compares URLs ignores the letter case of the host (RFC 3986 §6.2.2.1).
      values: ["foreign", "absent", "empty", ...nearMisses.filter((value) => value !== "case")],
      requirement: "RFC 9068 §4",
      sources: ["RFC 9700 §2.3", "RFC 8707 §2"],
    },
    {
      ...{
        ...tokens,
        id: "resource/token-outlived",
        fix: "Reject an access token whose exp is absent or has passed.",
        member: "exp",
      },
      values: ["an hour ago", "six minutes ago", "a year ago", "absent", "date"],
      requirement: "RFC 9068 §4",
    },
  ]),
  defineAttack({
    ...tokens,
    id: "resource/token-bound",
    fix: "Reject an access token with cnf unless the request proves the key or the certificate.",
    title: "The access token of a request without a proof is bound to a key (DPoP) or to a certificate.",
    // A resource server that knows no bound tokens ignores the claim.
    requirement: { source: "RFC 9449 §7.2", binds: ["dpopScheme"] },
    sources: ["RFC 8705 §3"],
    ...oneOf("to", ["a key", "a certificate"]),
    once: ({ to }) => overrideClaims("bound", () => ({ cnf: boundTo[to] }), "access_token"),
    async perform(stage, { to }) {
      const isKey = to === "a key";
      const failure = `the resource server accepted a token bound to ${to}` +
        (isKey ? "" : "; only a warning, because the check connects without mutual TLS (RFC 8705 §3)");
      return { ...conclude(await accepts(stage) ? failure : undefined, "it rejected the token"), isWarning: !isKey };
    },
  }),
  defineAttack({
    ...tokens,
    id: "resource/token-of-another-issuer",
    fix: "Accept only the issuers that you trust, and compare iss with them before you fetch metadata or keys.",
    title: "The access token comes from another issuer, whose metadata and keys can be fetched.",
    requirement: "RFC 9068 §4",
    sources: ["RFC 8725 §3.8", "CVE-2024-53861"],
    async perform(stage) {
      const journey = await stage.issueToken();
      const other = await stage.openOtherIssuer();
      const claims = { ...decodeJwtPart(journey.accessToken, 1), iss: other.issuer };
      const accessToken = await other.mint.accessToken({ client: other.client(), claims });
      const isAccepted = await accepts(stage, { ...journey, accessToken });
      return conclude(isAccepted ? "the resource server accepted it" : undefined, "it rejected the token");
    },
  }),
  defineAttack({
    ...tokens,
    id: "resource/id-token",
    fix: "Require the typ at+jwt of access tokens and your aud, or else claims that only access tokens have.",
    title: "The token of a request is another JWT of the same issuer: that of a client, or with the resource as aud.",
    requirement: "RFC 9068 §4",
    sources: ["RFC 8725 §3.9", "RFC 8725 §3.12"],
    ...oneOf("what", Object.keys(otherJwts) as (keyof typeof otherJwts)[], "What the JWT is."),
    once: ({ what }) =>
      forgeJwt(what, (original) => {
        const { scope: _, client_id, jti: __, aud, ...claims } = original.claims;
        const { typ, ...others } = otherJwts[what];
        return signWithOwnKey(original, { typ }, { ...claims, ...others, aud: isForResource(what) ? aud : client_id });
      }, "access_token"),
    async perform(stage, { what }) {
      const failure = await accepts(stage) ? `the resource server accepted ${what}` : undefined;
      // Other rules than typ may distinguish access tokens from other JWTs, and no client has the resource as its ID.
      return { ...conclude(failure, "it rejected the JWT"), isWarning: isForResource(what) };
    },
  }),
  defineAttack({
    ...tokens,
    id: "resource/token-scope",
    fix: "Split the scope at spaces, and compare each value with the one that you need, character by character.",
    title: "In the scope of the access token, a value that the resource server needs is replaced by one like it.",
    endpoints: ["token"],
    requirement: "RFC 6749 §3.3",
    sources: ["RFC 6750 §3.1"],
    ...oneOf("value", [...nearMisses, "joined by a comma"], "How the value differs."),
    async perform(stage, { value }) {
      const { as, driver, issueToken } = stage;
      const journey = await issueToken();
      const { client_id, scope } = lastToken(stage);
      const resource = driver.usesDefaultAudience ? {} : { resource: journey.resource };
      const acceptsScope = async (values: readonly string[]) => {
        const accessToken = await as.mint.accessToken({ client: client_id, scope: values.join(" "), ...resource });
        return await accepts(stage, { ...journey, accessToken });
      };
      if (!await acceptsScope(scope)) return unclear("the resource server does not accept the scope of the client");
      let needed = scope;
      for (const each of scope) {
        const others = needed.filter((other) => other !== each);
        if (await acceptsScope(others)) needed = others;
      }
      const [first, ...others] = needed;
      if (first === undefined) return notApplicable("the resource server needs no scope value");
      const isJoined = value === "joined by a comma";
      const other = isJoined ? `${first},other` : nearMissOf(first, value);
      return {
        ...conclude(
          await acceptsScope([other, ...others])
            ? `the resource server accepted ${other} instead of ${first}`
            : undefined,
          `it rejected ${other} instead of ${first}`,
        ),
        isWarning: isJoined,
      };
    },
  }),
  defineAttack({
    ...tokens,
    id: "resource/token-kept",
    fix: "Keep the result for a token no longer than until its exp, and check exp in each request.",
    title:
      "A request has a token that the resource server has accepted before, and that has expired or was revoked since.",
    requirement: "RFC 7662 §4",
    sources: ["RFC 9068 §4", "CVE-2021-32701"],
    ...oneOf("how", ["expired", "revoked"]),
    perform: (stage, { how }) => concludeKept(stage, how),
  }),
  defineAttack({
    ...tokens,
    id: "resource/keys-unknown-often",
    fix: "Fetch the keys again at most once a minute, however many tokens name an unknown one.",
    title: `The tokens of ${unknownTokens} requests each name another key that the JWKS does not have.`,
    correctClient: "The resource server fetches the JWKS again at most once a minute, and rejects the tokens.",
    sources: ["RFC 8725 §3.10", "smallrye/smallrye-jwt#228"],
    async perform(stage) {
      const { as, issueToken } = stage;
      const countFetches = () => as.log.unmasked.filter("jwks").length;
      await accepts(stage);
      const first = countFetches();
      const journey = await issueToken();
      await accepts(stage, journey);
      const earlier = countFetches();
      if (earlier > first) return notApplicable("the resource server fetches the keys for each token");
      const header = decodeJwtPart(journey.accessToken, 0);
      const [, ...rest] = journey.accessToken.split(".");
      for (let number = 0; number < unknownTokens; number++) {
        const other = encodeBase64url(JSON.stringify({ ...header, kid: `unknown-${number}` }));
        const accessToken = [other, ...rest].join(".");
        if (await accepts(stage, { ...journey, accessToken })) {
          return notApplicable("the resource server does not verify the signature of tokens itself");
        }
      }
      const fetches = countFetches() - earlier;
      const failure = `the resource server fetched the keys ${fetches} times for ${unknownTokens} tokens`;
      return fetches < unknownTokens ? conclude(undefined, failure) : conclude(
        failure,
        "",
        "repeated",
        "let a sender without any valid token cause a request to the server with each request",
      );
    },
  }),
  defineAttack({
    ...{
      ...tokens,
      id: "resource/key-rotated",
      fix: "Fetch the keys once more if none has the kid of the access token.",
      level: "must-tolerate",
      journey: "second login",
    },
    title: "The access token is signed with a new key that the JWKS in the cache of the resource server does not have.",
    correctClient: "The resource server fetches the JWKS once more, and accepts the token.",
    sources: ["RFC 9068 §4", "OpenID Connect Core §10.1.1"],
    once: () => rotateBefore("access_token"),
    assess: assessRotation,
  }),
  ...gridAttacks(introspection, [
    {
      ...{
        ...introspected,
        id: "resource/introspection-odd",
        fix: "Accept a token only if active is the boolean true.",
        level: "must-reject",
        member: "active",
        correctClient,
      },
      values: {
        "the text false": () => "false",
        "the text true": () => "true",
        "the number 1": () => 1,
        ...pick(...noText),
      },
      requirement: "RFC 7662 §2.2",
    },
  ]),
  defineAttack({
    ...introspected,
    id: "resource/introspection-meaning",
    fix:
      "Of an active token, compare also aud, iss, token_type, cnf, exp and nbf, if the introspection response has them.",
    level: "should-reject",
    title:
      "The introspection response says active, but one of its members shows that the token is not for this request.",
    correctClient,
    sources: ["RFC 7662 §2.2", "RFC 6749 §1.5", "RFC 6749 §7", "RFC 9449 §7.2", "RFC 8705 §3.2"],
    ...oneOf("token", Object.keys(otherTokens), "What the token is."),
    always: ({ token }, { as }) =>
      editJsonBody(token, (members) => ({
        ...members,
        ...otherTokens[token]!(Math.floor(as.clock.now() / 1000)),
      })),
  }),
];
