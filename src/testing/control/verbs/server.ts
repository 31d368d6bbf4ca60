/** Verbs of the server as a whole. */

import { choice, list, object, text, whole } from "../../../core/policy/field.ts";
import type { ResetOptions } from "../../resettable_state.ts";
import { defineVerb, noInput } from "../verb.ts";

/** The state of the server. */
interface Health {
  /** The issuer identifier. */
  readonly issuer: string;
  /** The clock of the server as ISO 8601. */
  readonly time: string;
  /** The number of clients. */
  readonly clients: number;
  /** The number of users. */
  readonly users: number;
  /** The number of exchanges in the log. */
  readonly exchanges: number;
  /** The number of fault rules that have ids. */
  readonly faults: number;
}

/** A session. */
interface SessionToken {
  /** An ID token of the session. */
  readonly idToken?: string;
  /** A user: each session ends in which a client with a logout URI has an ID token. */
  readonly sub?: string;
}

const example: Health = {
  ...{ issuer: "http://localhost:9000", time: "2026-01-01T00:00:00.000Z" },
  ...{ clients: 2, users: 2, exchanges: 0, faults: 0 },
};

const amount = whole(2, { expected: "a whole number" });

/** Resets the server, reports its state, and ends sessions. */
export const serverVerbs = [
  defineVerb({
    name: "health",
    summary: "Returns the issuer and the time, and counts clients, users, exchanges and fault rules.",
    reads: true,
    ...noInput,
    result: object<Health>("Health", {
      issuer: text([example.issuer]),
      time: text([example.time]),
      ...{ clients: amount, users: amount, exchanges: amount, faults: amount },
    }, example),
    run: async ({ app: { server }, control, name }): Promise<Health> => ({
      issuer: name.issuer,
      time: new Date(server.now()).toISOString(),
      clients: await server.clients.registered.count(),
      users: await server.users.count(),
      exchanges: control.recorder.exchanges().length,
      faults: control.faults.all().length,
    }),
  }),
  defineVerb<SessionToken, void>({
    name: "endSession",
    summary:
      "Ends the session of an ID token, or those of a user, and sends logout tokens to its clients (back-channel logout).",
    input: object<SessionToken>("SessionToken", {
      idToken: text(["eyJhbGciOiJFUzI1NiJ9.e30.c2ln"]),
      sub: text(["alice"]),
    }, { idToken: "eyJhbGciOiJFUzI1NiJ9.e30.c2ln" }),
    args: ["idToken"],
    run: ({ control, name }, { idToken = "", sub }) =>
      control.underName(name).endSession(sub === undefined ? idToken : { sub }),
  }),
  defineVerb<ResetOptions, void>({
    name: "reset",
    summary:
      "Restores the initial state for the next test, but keeps the signing keys; 409 if a fault fired less often than " +
      "expected: everything is reset nevertheless.",
    input: object<ResetOptions>("ResetOptions", { keep: list(choice(["clients", "users"]), [["clients"]]) }, {
      keep: ["clients"],
    }),
    run: ({ control }, options) => control.reset(options),
  }),
];
