/** Authorization codes: of another login, and of unusual form (RFC 9700 §4.5, RFC 6749 §4.1.2). */

import type { CodeRecord } from "../../core/store/store.ts";
import type { Fault } from "../../testing/faults/fault.ts";
import { wrapStore } from "../../testing/wrap_store.ts";
import { describeOutcome } from "../assess.ts";
import { type Attack, defineAttack } from "../define_attack.ts";
import type { Capability } from "../capabilities.ts";

/** The next code is one of a login in another browser: with another nonce, if any, and this code challenge. */
function codeOfAnotherLogin(): Fault {
  return {
    name: "code of another login",
    endpoints: ["authorize"],
    followsLogin: true,
    waitsFor: "issued a code",
    extend: (server, context) => ({
      ...server,
      store: wrapStore(server.store, {
        put(kind, id, value, metadata) {
          // The other login has a nonce exactly if this one has.
          const hasNonce = kind === "code" && context.consume() && (value as CodeRecord).nonce !== undefined;
          return server.store.put(kind, id, hasNonce ? { ...value, nonce: "nonce-of-another-login" } : value, metadata);
        },
      }),
    }),
  };
}

/** What only a client that authenticates does. */
const authentications: readonly Capability[] = ["basic", "secretInBody", "assertion"];

/** The attacks of the category `response` on codes. */
export const codeAttacks: readonly Attack[] = [
  defineAttack({
    id: "response/code-injected",
    fix: "Send a new code challenge (S256) with each login, or compare the nonce of the ID token.",
    needs: ["readsIdToken", "injectableCode"],
    title: "The code belongs to a login in another browser, and the token endpoint does not verify the code verifier.",
    correctClient: "The client sends a code challenge, or rejects an ID token without the nonce of this login.",
    stop: "token",
    sources: ["RFC 9700 §2.1.1", "RFC 9700 §4.5.3", "OpenID Connect Core §3.1.3.7"],
    once: () => codeOfAnotherLogin(),
    assess: (observation) =>
      observation.outcome === "accepted"
        ? {
          passed: false,
          because: describeOutcome(observation),
          seen: "unbound",
          harm: "accepted the code of a login in another browser",
          // RFC 9700 §2.1.1 recommends a code challenge to a client that authenticates, and demands it of others.
          isWarning: observation.capabilities.has("state") &&
            authentications.some((capability) => observation.capabilities.has(capability)),
        }
        : undefined,
  }),
];
