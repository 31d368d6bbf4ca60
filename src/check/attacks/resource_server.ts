/** Resource servers: access tokens and introspection responses that they must reject (RFC 9068, RFC 7662). */

import { type Attack, defineAttack } from "../define_attack.ts";
import { forgedSignatures, forgeryAttack, wrongForms } from "./forgeries.ts";
import { conclude } from "./conclusions.ts";
import { forgeJwt, signWithOwnKey } from "./forged_jwt.ts";
import { claimsOf, gridAttacks, jsonResponse } from "./grid.ts";
import { assessRotation } from "./keys.ts";
import { editJsonBody } from "../../testing/faults/response_body.ts";
import { oneOf } from "./parameters.ts";
import { nearIssuers, nearMisses, noText, pick } from "./wrong_values.ts";

const accessToken = claimsOf("the access token", { of: "access_token" });
const introspection = jsonResponse("the introspection response", { isSteady: true });

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

/** Members with which the introspection response is that of a token that this request must not use, by what it is. */
const otherTokens: Readonly<Record<string, (now: number) => object>> = {
  "of another issuer": () => ({ iss: "https://attacker.example" }),
  "a refresh token": () => ({ token_type: "refresh_token" }),
  "bound to a key": () => ({ cnf: { jkt: "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I" } }),
  "bound to a certificate": () => ({ cnf: { "x5t#S256": "bwcK0esc3ACC3DB2Y5_lESsXE8o9ltc05O89jdN-dg2" } }),
  "expired": (now) => ({ exp: now - 3600 }),
  "not valid yet": (now) => ({ nbf: now + 3600 }),
};

/** The attacks of the category `resource` on resource servers. */
export const resourceServerAttacks: readonly Attack[] = [
  forgeryAttack(
    {
      ...{
        ...tokens,
        id: "resource/token-forged",
        fix:
          "Verify the signature of the access token with the keys of jwks_uri, and accept only the expected alg and typ.",
        accepts: "signature",
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
        fix: "Require that aud of the access token is the identifier of this resource server.",
        member: "aud",
      },
      values: ["foreign", "absent", "empty", ...nearMisses],
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
    {
      ...{
        ...tokens,
        id: "resource/token-early",
        fix: "Reject an access token before its nbf.",
        level: "should-reject",
        member: "nbf",
        values: ["in an hour"],
      },
      sources: ["RFC 7519 §4.1.5"],
    },
  ]),
  defineAttack({
    ...tokens,
    id: "resource/id-token",
    fix: "Require the typ at+jwt of access tokens, or else claims that only they have, such as scope and client_id.",
    level: "should-reject",
    title: "The token of a request is an ID token of the same issuer, with the resource as aud.",
    sources: ["RFC 9068 §4", "RFC 8725 §3.12"],
    once: () =>
      forgeJwt("ID token", (original) => {
        const { scope: _, client_id: __, jti: ___, ...claims } = original.claims;
        return signWithOwnKey(original, { typ: "JWT" }, { ...claims, nonce: "nonce-of-a-login" });
      }, "access_token"),
  }),
  defineAttack({
    ...tokens,
    id: "resource/token-kept",
    fix: "Keep the result for a token no longer than until its exp, and check exp in each request.",
    title: "A request has a token that the resource server has accepted before, and that has expired since.",
    needs: ["acceptToken", "clock"],
    requirement: "RFC 7662 §4",
    sources: ["RFC 9068 §4", "CVE-2021-32701"],
    async perform({ as, driver, issueToken, passTime }) {
      const journey = await issueToken();
      const { body = "{}" } = as.log.unmasked.last("token").response ?? {};
      passTime(Number(JSON.parse(body).expires_in) - 60);
      await driver.acceptToken!(journey);
      // Clocks may differ by some minutes.
      passTime(60 + 360);
      const again = await driver.acceptToken!(journey).catch(() => undefined);
      return conclude(
        again && "the resource server accepted an expired token",
        "it rejected the expired token",
        "kept",
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
    once: () => ({
      name: "key rotated before signing",
      waitsFor: "signed an access token",
      extend: (server, context) => ({
        ...server,
        keys: {
          ...server.keys,
          async sign(kind, alg, claims) {
            if (kind === "access_token" && context.consume()) await server.keyRotation.rotate(alg, 0);
            return await server.keys.sign(kind, alg, claims);
          },
        },
      }),
    }),
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
    {
      ...{
        ...introspected,
        id: "resource/introspection-audience",
        fix: "Require that aud of the introspection response is the identifier of this resource server.",
        level: "must-reject",
        member: "aud",
        correctClient,
      },
      values: ["foreign"],
      requirement: "RFC 7662 §2.2",
      sources: ["RFC 9700 §2.3"],
    },
  ]),
  defineAttack({
    ...introspected,
    id: "resource/introspection-meaning",
    fix: "Of an active token, compare also iss, token_type, cnf, exp and nbf, if the introspection response has them.",
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
