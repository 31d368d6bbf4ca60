/** The texts of observations of accepted requests, made from their facts. */

import type { AnyName } from "../config/server_policy.ts";
import { canonicalUri } from "../../platform/http/absolute_uri.ts";
import { metadataOf } from "../config/client_metadata.ts";
import { dottedScheme } from "../../core/clients/uri_problem.ts";
import type { Explanation, RuleExplanation } from "../../core/rules/errors.ts";
import type { HostedObservations, HostedServer } from "../hosted_server.ts";
import { isPermitted } from "../standing.ts";
import { warn } from "../trace.ts";
import { type Note, noteMinimalIdToken, noteResource, noteUnencodedSecret, recordUserinfoCall } from "./notes.ts";
import { explainUnknownUser } from "./login.ts";
import { listUris } from "./parameters.ts";
import { describePostedSecret } from "./posted_secret.ts";
import { explainMissingResource } from "./resource_indicators.ts";
import { explainUnknownScope } from "./scope.ts";

/** The texts of each observation: a warning, or any number of warnings and notes. */
type Texts = {
  readonly [Name in keyof HostedObservations]: (
    facts: HostedObservations[Name],
    server: HostedServer,
  ) => Explanation | readonly (Explanation | Note)[];
};

/** Traces what an observation means. */
export const traceObservation: HostedServer["observe"] = (server, client, name, facts) => {
  const found = texts[name](facts, server);
  traceTexts(server, client, "reason" in found ? [found] : found);
};

/** Traces warnings and notes. Only servers on test hosts trace notes. */
export function traceTexts(
  server: HostedServer,
  client: string | undefined,
  found: readonly (Explanation | Note)[],
): void {
  for (const text of found) {
    if (!("note" in text)) {
      warn(server, client, text);
    } else if (server.policy.allows.explanations) {
      server.trace({ type: "note", at: server.now(), client: client!, explanation: text.note });
    }
  }
}

const texts: Texts = {
  "unregistered client": ({ rule, id }) =>
    accepted("clients", {
      rule,
      reason: "client_id is not registered",
      expected: "the client_id of a registered client",
      received: id,
      fix: "Register the client. Other servers reject a client that is not registered.",
    }),
  "RU-01": ({ uri, registered }) =>
    accepted("redirectUris", {
      rule: "RU-01",
      reason: "redirect_uri is not registered for this client",
      expected: listUris(registered),
      received: uri,
    }),
  "RU-11": ({ uri }) => ({
    rule: "RU-11",
    reason: "the redirect URI has a private-use scheme without a dot, which another app may also claim",
    expected: dottedScheme,
    received: uri,
  }),
  "AZ-17": (facts, server) => accepted("scopes", explainUnknownScope(facts, server, "unknown scope")),
  resource: noteResource,
  "MC-02": explainMissingResource,
  "CA-04": noteUnencodedSecret,
  "minimal ID token": noteMinimalIdToken,
  userinfo: recordUserinfoCall,
  "OI-06": ({ effect, ...facts }, server) => {
    const explanation = { rule: "OI-06", ...explainUnknownUser(facts, server) } as const;
    const { reason } = explanation;
    switch (effect) {
      case "another user":
        return { ...explanation, reason: `${reason}: the user of the session, or the default user, was logged in` };
      case "created":
        return {
          ...explanation,
          reason: `${reason}; a user with a space in the address was created`,
          expected: "the sub of a user",
        };
      case "created by the setting users":
        return accepted("users", { ...explanation, expected: "the sub of a user" });
    }
  },
  "OI-09": ({ grantTypes }) => ({
    rule: "OI-09",
    reason: "offline_access was granted, but this client gets no refresh token",
    expected: "refresh_token in the client's grant_types",
    received: grantTypes.join(" "),
  }),
  "LO-03": ({ setting, clientId, uri, registered }) =>
    accepted(setting, {
      rule: "LO-03",
      reason: "post_logout_redirect_uri is not registered for this client",
      expected: listUris(registered, "registered URI"),
      received: uri,
      change: { client_id: clientId, isNew: false, post_logout_redirect_uri: uri },
    }),
  "AZ-16": ({ possible }) => ({
    rule: "AZ-16",
    reason: "scope is missing, and the default has no value for this client: the token has no scope",
    expected: `some of: ${possible.join(" ")}`,
    received: "no scope",
  }),
  "CC-02": ({ requested, left }) => ({
    rule: "CC-02",
    reason: "scope values that only a user can grant were ignored, because the client acts on its own behalf",
    expected: left.length === 0 ? "no scope" : left.join(" "),
    received: requested,
  }),
  "TK-14": (_, server) => ({
    rule: "TK-14",
    reason: `nothing binds the code to the login that asked for it: ${letsPass(server, "insecureAllowMissing")}`,
    expected: "code_challenge in the authorization request, or redirect_uri in the token request",
    received: "neither",
  }),
  "RT-04": () => ({
    rule: "RT-04",
    reason: "the refresh token stays valid, because refresh.reuse says so; other servers reject a second use",
    expected: "the refresh token of the last response",
    fix: "Replace the stored refresh token whenever a response contains one.",
  }),
  "CA-16": describePostedSecret,
  "CA-17": () => ({
    rule: "CA-17",
    reason: "HTTP Basic with an empty secret was accepted from a public client; many servers reject it",
    expected: "client_id in the body, and no header Authorization",
    received: "Authorization: Basic with an empty secret",
  }),
  "IN-02": ({ client, audience }, server) => {
    const isTrusted = isPermitted(server, client, "inspectTokensOfOthers");
    const serves = metadataOf(client).serves?.map(canonicalUri).join(" ") || "nothing";
    const resources = audience.join(" ");
    return {
      rule: "IN-02",
      reason: isTrusted
        ? `the token is valid, but the response is active: false, because the client does not serve ${resources}`
        : "the token is valid, but the response is active: false, because the client registered itself",
      expected: isTrusted ? `serves with ${resources}` : "a client of the operator, whose serves has the resource",
      received: isTrusted ? `serves: ${serves}` : "a client of unknown standing",
      fix: `Add ${
        JSON.stringify(audience[0])
      } to serves of ${client.id} in the configuration, or on the page of the client.`,
    };
  },
  "CL-17": ({ kind, length, maxLength, largest, leftOut: [first, ...others] }) => ({
    rule: "CL-17",
    reason: first === undefined
      ? `the ${kind} is too long for cookies, and may be for headers of other servers (431)`
      : `the ${kind} would be too long, so it lacks ${first}${others.length > 0 ? ` and ${others.length} more` : ""}`,
    expected: `at most ${maxLength} characters`,
    received: `${length} characters${
      largest === undefined ? "" : `, of which ${largest.name} has ${largest.bytes} bytes`
    }`,
  }),
  "RT-09": ({ registered, granted }) => ({
    rule: "RT-09",
    reason: "the grant contains values that are no longer registered; they are left out",
    expected: registered.join(" "),
    received: granted.join(" "),
  }),
};

/** The warning about a request that was accepted only because a setting is `"any"`. */
function accepted(setting: AnyName, explanation: RuleExplanation): RuleExplanation {
  return { ...explanation, reason: `${explanation.reason}; it was accepted, because ${setting} is "any"` };
}

/** Names what lets a request without a safe code challenge pass. */
export function letsPass({ policy: { providers } }: HostedServer, setting: string): string {
  return `${providers.join(", ") || `pkce.${setting}`} lets this pass; OAuth 2.1 does not`;
}
