/** Defaults of attacks by category; an attack states what differs. */

import { type AttackDefaults, type AttackLevel, categoryOf, type Stop } from "../attack.ts";

/** The defaults of each category. */
const byCategory: Readonly<Record<string, AttackDefaults>> = {
  metadata: { by: "any", level: "must-reject", endpoints: ["discovery"], stop: "discovery", accepts: "metadata" },
  error: { by: "any", level: "must-recover", endpoints: ["authorize"] },
  response: { by: "any", level: "must-reject", endpoints: ["authorize"], stop: "callback", accepts: "authorization" },
  token: { by: "any", endpoints: ["token"], stop: "token" },
  "id-token": {
    ...{ by: "any", level: "must-reject", endpoints: ["token"], needs: ["readsIdToken"] },
    ...{ stop: "token", accepts: "idToken" },
  },
  keys: {
    ...{ by: "any", level: "must-reject", endpoints: ["jwks"], needs: ["readsIdToken", "checksSignature"] },
    stop: "token",
  },
  userinfo: { by: "any", endpoints: ["userinfo"] },
  refresh: { by: "any", level: "must-recover", endpoints: ["token"], journey: "refresh", accepts: "idToken" },
  logout: { endpoints: [], journey: "session" },
  session: { level: "must-reject", endpoints: [] },
  clock: { endpoints: ["authorize", "token", "userinfo"], accepts: "idToken" },
  transport: { by: "any", endpoints: ["discovery", "token"] },
  resource: { by: "requestResource", endpoints: ["resource"] },
  registration: { by: "any", endpoints: ["register"], needs: ["registration"] },
  dpop: {
    by: "any",
    endpoints: ["token", "userinfo"],
    needs: ["dpop"],
    ifUnmet: "the client sends no DPoP proof to this endpoint",
  },
  par: { by: "any", endpoints: ["par"], needs: ["par"] },
  jarm: {
    ...{ by: "any", level: "must-reject", endpoints: ["authorize"], needs: ["jarm"] },
    ...{ stop: "callback", accepts: "authorization" },
  },
  device: { by: "logInDevice", endpoints: ["token"] },
  ciba: { by: "logInBackchannel", endpoints: ["token"] },
};

/** What a correct client does, by where it stops. */
const stopping: Readonly<Record<Stop, string>> = {
  discovery: "The client rejects the document, and sends no authorization request.",
  callback: "The client rejects the response, and sends no token request.",
  token: "The client discards the response, and no session begins.",
};

/** The default of `correctClient`; `undefined` if the level has none. */
function correctBehaviour(level: AttackLevel, stop: Stop | undefined): string | undefined {
  if (level === "must-tolerate") return "The client accepts the response.";
  if (level !== "must-reject" && level !== "should-reject") return undefined;
  return stop === undefined ? "The client reports an error, and uses no part of the response." : stopping[stop];
}

/**
 * Fills in the defaults of the category.
 *
 * @throws {TypeError} If the level, the endpoints or what a correct client does is missing.
 */
export function withAttackDefaults<Source extends AttackDefaults & { readonly id: string }>(record: Source) {
  const category = categoryOf(record.id);
  const { level, endpoints, ...rest } = { ...byCategory[category], ...record };
  if (level === undefined) throw new TypeError(`${record.id}: expected a level, because ${category} has none.`);
  const { correctClient = correctBehaviour(level, rest.stop), needs = [] } = rest;
  if (endpoints === undefined || correctClient === undefined) {
    throw new TypeError(`${record.id}: expected endpoints and correctClient, because ${category} has none.`);
  }
  const accepts = record.accepts ?? (needs.includes("checksSignature") ? "signature" : rest.accepts ?? "message");
  return { ...rest, level, endpoints, correctClient, needs, accepts } as const;
}
