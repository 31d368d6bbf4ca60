/** ID tokens with wrong or unusual claims, correctly signed (OpenID Connect Core §2, §3.1.3.7). */

import { overrideClaims } from "../../testing/faults/resign.ts";
import { describeOutcome } from "../assess.ts";
import { everyLogin, exchangesOf } from "../attack.ts";
import { type Attack, defineAttack } from "../define_attack.ts";
import { claimsOf, gridAttacks } from "./grid.ts";
import { nearIssuers, nearMisses, noText } from "./wrong_values.ts";
import { passIf, unclear } from "./conclusions.ts";
import { describeUser } from "./browser_session.ts";
import { claimsIn } from "../user_texts.ts";

const requirement = "OpenID Connect Core §3.1.3.7";

/** A name with letters outside of ASCII. */
const foreignName = "Zoë Ångström";

const claims = claimsOf("The ID token");

export const idTokenClaimAttacks: readonly Attack[] = [
  ...gridAttacks(claims, [
    {
      ...{
        id: "id-token/iss-wrong",
        fix: "Compare iss of the ID token with the issuer of the metadata, character by character.",
        member: "iss",
        values: ["foreign", ...noText, ...nearIssuers, "list"],
        requirement,
      },
      ...{ alsoIn: everyLogin },
      sources: ["OpenID Connect Core §2", "RFC 8725 §3.8", "CVE-2024-47807", "CVE-2024-53861", "CVE-2025-30144"],
    },
    {
      ...{
        id: "id-token/aud-wrong",
        fix: "Require that aud of the ID token is your client_id, or a list with it and nothing that you do not trust.",
        member: "aud",
        requirement,
        alsoIn: everyLogin,
      },
      values: ["foreign", ...nearMisses, "list", "absent", "null", "empty", "number"],
      sources: ["CVE-2024-47806", "CVE-2023-22482", "CVE-2024-5798"],
    },
    {
      ...{ id: "id-token/aud-list", level: "must-tolerate", member: "aud", requirement: "OpenID Connect Core §2" },
      values: { "an array of one": (aud) => [aud].flat() },
    },
    {
      ...{
        id: "id-token/azp-other",
        fix: "Compare azp of the ID token with your client_id if it is present.",
        level: "should-reject",
        member: "azp",
        values: ["foreign"],
      },
      sources: [requirement],
    },
    {
      id: "id-token/sub-missing",
      accepts: "subject",
      member: "sub",
      values: noText,
      requirement: "OpenID Connect Core §2",
      sources: ["RFC 8725 §3.8"],
      // No specification forbids an empty text outright.
      assess: (observation) =>
        observation.outcome === "accepted" && observation.exchanges.flatMap(claimsIn).some(({ sub }) => sub === "")
          ? { passed: false, isWarning: true, because: describeOutcome(observation), seen: "subject" }
          : undefined,
    },
    {
      ...{
        id: "id-token/exp-past",
        fix: "Reject an ID token whose exp is not a number or has passed, also after a refresh.",
        member: "exp",
        requirement,
        alsoIn: [...everyLogin, "refresh"],
      },
      values: ["an hour ago", "six minutes ago", "a year ago", "absent", "null", "date"],
    },
    {
      ...{
        id: "id-token/iat-missing",
        fix: "Reject an ID token whose iat is not a number.",
        member: "iat",
        values: ["absent", "null", "date"],
      },
      sources: ["OpenID Connect Core §2"],
    },
    {
      // OpenID Connect Core §2 does not name nbf, and a client ignores the claims that it does not understand.
      ...{
        id: "id-token/nbf-future",
        fix: "Reject an ID token before its nbf.",
        level: "should-reject",
        member: "nbf",
        values: ["in an hour"],
      },
      sources: ["RFC 7519 §4.1.5"],
    },
    {
      ...{
        id: "id-token/nonce-wrong",
        fix: "Keep the nonce of each login, and compare the nonce of the ID token with it, character by character.",
        member: "nonce",
        values: ["foreign", ...nearMisses, "absent", "null"],
        requirement,
      },
      ...{ needs: ["readsIdToken", "nonce"], sources: ["CVE-2024-10318"], alsoIn: everyLogin },
    },
    {
      id: "id-token/at-hash-wrong",
      fix: "Compare at_hash of the ID token with the hash of the access token if it is present.",
      level: "should-reject",
      member: "at_hash",
      values: ["foreign"],
      sources: ["OpenID Connect Core §3.1.3.8"],
    },
    {
      id: "id-token/at-hash-missing",
      fix: "In the code flow, accept an ID token without at_hash.",
      level: "must-tolerate",
      member: "at_hash",
      values: ["absent"],
      sources: ["OpenID Connect Core §3.1.3.6"],
    },
    {
      ...{
        id: "id-token/acr-weaker",
        fix: "Compare acr of the ID token with the level that you requested.",
        member: "acr",
        values: ["foreign", "absent"],
        needs: ["readsIdToken", "essentialAcr"],
      },
      sources: [requirement, "OpenID Connect Core §5.5.1.1", "RFC 9470 §5"],
    },
    {
      ...{
        id: "id-token/auth-time-old",
        fix: "If you send max_age, require auth_time in the ID token, and compare it with the time.",
        member: "auth_time",
        values: ["a year ago", "absent"],
        allowsNewLogin: true,
      },
      correctClient: "The client discards the token response, or requests a new login once.",
      needs: ["readsIdToken", "maxAge"],
      sources: ["OpenID Connect Core §3.1.2.1", requirement],
      assess: (observation) =>
        passIf(
          observation.outcome === "accepted" && exchangesOf(observation, "authorize").length === 2,
          "the client requested a new login",
        ),
    },
  ]),
  defineAttack({
    id: "id-token/iss-known",
    fix: "Compare iss of the ID token with the issuer to which this login was sent.",
    title: "The ID token has the iss of an earlier issuer.",
    journey: "second issuer",
    requirement,
    sources: ["RFC 9700 §4.4"],
    async start({ as, openOtherIssuer }) {
      const { issuer } = await openOtherIssuer();
      as.on("token").once(overrideClaims("ID token of a known issuer", () => ({ iss: issuer })));
    },
  }),
  defineAttack({
    id: "id-token/claims-utf8",
    fix: "Decode the claims as UTF-8.",
    level: "must-tolerate",
    needs: ["readsIdToken", "claims"],
    title: "The name in the ID token has letters outside of ASCII.",
    correctClient: "The client decodes the claims as UTF-8.",
    requirement: "RFC 7519 §7.2",
    sources: ["RFC 7515 §5.2"],
    on: "any",
    always: () => describeUser("name outside of ASCII", { name: foreignName }),
    assess({ outcome, session }) {
      if (outcome !== "accepted") return undefined;
      const { name } = session!.claims ?? {};
      const asLatin1 = String.fromCharCode(...new TextEncoder().encode(foreignName));
      if (name === asLatin1) {
        return { passed: false, because: `the application shows the name as ${asLatin1}`, seen: "foreignValue" };
      }
      return name === foreignName
        ? { passed: true, because: "the client decodes the name as UTF-8" }
        : unclear("the application does not show the name in the ID token");
    },
  }),
];
