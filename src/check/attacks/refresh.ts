/** Refreshes (RFC 6749 §6, RFC 9700 §4.14). */

import type { Fault } from "../../testing/faults/fault.ts";
import { drop, error, status } from "../../testing/faults/mod.ts";
import { editJsonBody, type Members } from "../../testing/faults/response_body.ts";
import { type Assessment, type Attack, defineAttack } from "../define_attack.ts";
import { exchangesOf, type Observation } from "../attack.ts";
import { claimsOf, gridAttacks } from "./grid.ts";
import { oneOf } from "./parameters.ts";
import { atMost } from "./conclusions.ts";

/** The requests of a refresh. */
export const refreshSelector = { grant_type: "refresh_token" } as const;

/** The session must continue: it refreshes again, without a login. */
async function assessKeptSession(observation: Observation): Promise<Assessment> {
  if (observation.outcome === "hung") return { passed: false, because: "the refresh did not end" };
  const logins = exchangesOf(observation, "authorize").length;
  if (logins > 0) return { passed: false, because: "the client started a new login", seen: "ended" };
  const refreshed = await observation.refreshAgain();
  return {
    passed: refreshed,
    because: refreshed ? "the session continues" : "the next refresh failed, so the session is lost",
    seen: "ended",
    harm: "lost the session of the user",
  };
}

const refreshedAtMostTwice = atMost(2, "token", (requests) => `the client refreshed ${requests} times`);

/** Whether the refresh ended without an error and without a new login. */
const hidesRejection = (observation: Observation) =>
  observation.outcome === "accepted" && exchangesOf(observation, "authorize").length === 0;

/** A fault that rotates the refresh token of each client, or of none, and changes the response. */
export const rotating = (name: string, rotates: boolean, edit: (members: Members) => Members): Fault => ({
  ...editJsonBody(name, edit),
  extend: (server) => ({ ...server, grants: { ...server.grants, rotates: () => rotates } }),
});

export const refreshAttacks: readonly Attack[] = [
  defineAttack({
    id: "refresh/transient",
    title: "A refresh fails once, and the next refresh works.",
    correctClient: "The client keeps the refresh token and the session, and refreshes later.",
    sources: ["RFC 6749 §5.2", "internxt/cli#645", "schulydev/Schuly#476"],
    ...oneOf("how", ["500", "503", "429", "dropped", "html"]),
    match: refreshSelector,
    once: ({ how }) =>
      how === "dropped"
        ? drop("before")
        : how === "html"
        ? status(502, { body: "<h1>Bad gateway</h1>" })
        : status(Number(how)),
    assess: assessKeptSession,
  }),
  defineAttack({
    id: "refresh/token-omitted",
    fix: "Keep the old refresh token if the response has none.",
    title: "The response to a refresh has no refresh token, and the old one stays valid.",
    correctClient: "The client keeps the old refresh token, and uses it for the next refresh.",
    sources: ["RFC 6749 §6", "modelcontextprotocol/python-sdk#2270", "getsentry/junior#775"],
    match: refreshSelector,
    once: () => rotating("no refresh token", false, ({ refresh_token: _, ...members }) => members),
    assess: assessKeptSession,
  }),
  defineAttack({
    id: "refresh/token-rotated",
    fix: "Keep the refresh token of each response, with or without an ID token, and discard the old one.",
    title: "The response to a refresh has another refresh token, and the old one no longer works.",
    correctClient: "The client uses the new refresh token for the next refresh.",
    level: "must-tolerate",
    sources: ["RFC 6749 §6", "OpenID Connect Core §12.2"],
    ...oneOf("idToken", ["present", "absent"], "Whether the response has an ID token."),
    match: refreshSelector,
    once: ({ idToken }) =>
      rotating(
        "refresh token rotated",
        true,
        ({ id_token, ...members }) => idToken === "absent" ? members : { ...members, id_token },
      ),
    assess: assessKeptSession,
  }),
  ...gridAttacks(claimsOf("The ID token of a refresh"), [{
    ...{
      id: "refresh/id-token-other",
      fix:
        "Compare iss, sub and aud of the new ID token with those of the login, and discard the response if one differs.",
      member: ["sub", "iss", "aud"],
      values: ["foreign"],
      match: refreshSelector,
    },
    ...{ needs: ["readsIdToken"], level: "must-reject", requirement: "OpenID Connect Core §12.2" },
    correctClient: "The client discards the response, and the session ends or stays as it was.",
  }]),
  defineAttack({
    id: "refresh/rejected",
    fix: "Delete the refresh token after invalid_grant, and ask the user to log in.",
    title: "The server rejects every refresh with invalid_grant.",
    correctClient: "The client deletes the refresh token, and asks the user to log in once; the next login works.",
    sources: ["RFC 6749 §5.2", "punkpeye/mcp-remote#91", "CherryHQ/cherry-studio#12598"],
    match: refreshSelector,
    always: () => error("invalid_grant"),
    assess: (observation) =>
      refreshedAtMostTwice(observation) ?? (hidesRejection(observation)
        ? {
          passed: false,
          isWarning: true,
          because: "the session continues as if the server had refreshed it",
          seen: "kept",
        }
        : undefined),
  }),
];
