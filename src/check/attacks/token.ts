/** Token responses (RFC 6749 §5.1). */

import { overrideClaims } from "../../testing/faults/resign.ts";
import { validTokenResponse } from "./requirements.ts";
import { type Attack, defineAttack } from "../define_attack.ts";
import { opaqueAccessToken } from "./access_tokens.ts";
import { gridAttacks, jsonResponse } from "./grid.ts";
import { noText } from "./wrong_values.ts";
import { oneOf } from "./parameters.ts";
import { conclude } from "./conclusions.ts";

const response = jsonResponse("The token response");

export const tokenAttacks: readonly Attack[] = [
  ...gridAttacks(response, [
    {
      ...{
        id: "token/required-missing",
        fix: "Check that access_token and token_type are present, and texts that are not empty.",
        level: "must-reject",
        member: ["access_token", "token_type"],
        values: noText,
      },
      requirement: { ...validTokenResponse, binds: ["idToken", "usesAccessToken"] },
      sources: ["RFC 6749 §5.1"],
    },
    {
      ...{
        id: "token/type-unknown",
        fix: "Use an access token only if its token_type is Bearer, or DPoP if you sent a proof.",
        level: "must-reject",
        member: "token_type",
      },
      values: Object.fromEntries(["mac", "xbearer", "bearer-mac"].map((type) => [type, () => type])),
      correctClient: "The client does not use the access token.",
      needs: ["usesAccessToken"],
      requirement: "RFC 6749 §7.1",
    },
    {
      ...{
        id: "token/type-case",
        fix: "Compare token_type without letter case.",
        level: "must-tolerate",
        member: "token_type",
        values: ["case"],
      },
      correctClient: "The client compares token_type case-insensitively.",
      requirement: "RFC 6749 §5.1",
    },
    {
      // RFC 8628 has no ID token.
      ...{
        id: "token/id-token-missing",
        fix: "Reject a token response without an ID token if you requested the scope openid.",
        level: "must-reject",
        member: "id_token",
        by: "logIn",
      },
      values: ["absent", "empty", "null"],
      needs: ["readsIdToken"],
      correctClient: "The client discards the response, and does not call userinfo instead.",
      requirement: validTokenResponse,
      sources: ["OpenID Connect Core §3.1.3.3"],
    },
    {
      id: "token/optional-missing",
      level: "must-tolerate",
      member: ["expires_in", "scope", "refresh_token"],
      values: ["absent"],
      correctClient: "The client accepts the tokens, and refreshes or logs in again when a resource rejects one.",
      sources: ["RFC 6749 §5.1", "danny-avila/LibreChat#15321", "outline/outline#10886", "giantswarm/muster#1239"],
    },
    {
      id: "token/refresh-token-empty",
      fix: "Treat an empty refresh token as none.",
      level: "must-reject",
      correctClient:
        "The client rejects the response, or continues without a refresh token; it never sends an empty one.",
      stop: undefined,
      needs: ["refresh"],
      sources: ["RFC 6749 §5.1", "AFNetworking/AFOAuth2Manager#15"],
      member: "refresh_token",
      values: ["empty", "null"],
      async perform({ as, driver, journey }) {
        const session = await driver.logIn!(journey);
        await session.refresh!().catch(() => {});
        const requests = as.log.unmasked.exchanges.filter(({ request: { form } }) =>
          form.some(([name, value]) => name === "grant_type" && value === "refresh_token") &&
          !form.some(([name, value]) => name === "refresh_token" && !["", "null", "undefined"].includes(value))
        );
        const failure = requests.length === 0 ? undefined : "the client sent the refresh token";
        return conclude(failure, "the client did not send the refresh token");
      },
    },
  ]),
  ...gridAttacks(response, [{
    ...{ id: "token/members", stop: undefined, level: "must-recover" },
    title: "A member of the token response has a value of another type, or a huge one.",
    correctClient: "The client ignores the member or reports an error, and the next login works.",
    sources: ["RFC 6749 §10.14", "OWASP ASVS 2.2.1"],
    member: ["expires_in", "refresh_token", "scope", "id_token"],
    values: ["null", "number", "object", "list", "huge"],
  }]),
  defineAttack({
    id: "token/access-token-odd",
    // A protected resource does not know this token.
    by: "logIn",
    level: "must-tolerate",
    title: "The access token is very long, or has every kind of character that RFC 6750 allows except the dot.",
    correctClient: "The client accepts the tokens, and sends the access token unchanged.",
    sources: ["RFC 6750 §2.1", "RFC 6749 appendix A.12"],
    ...oneOf("form", ["long", "characters"]),
    once: ({ form }) =>
      form === "long"
        ? overrideClaims("long access token", () => ({ padding: "x".repeat(5800) }), "access_token")
        : opaqueAccessToken("access token with every character", (token) => `AZaz09-_~+/${token}==`),
  }),
];
