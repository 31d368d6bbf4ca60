/** Texts about clients, in rejections and in the explanations of rejections. */

import { listNames, suggest } from "../../core/policy/suggest.ts";
import type { RuleExplanation } from "../../core/rules/errors.ts";
import type { Server } from "../../core/server.ts";
import type { Store } from "../../core/store/store.ts";
import type { ClientRepository } from "./clients.ts";

/** How a client authenticates by its registered method: a sentence for a fix. */
export function howToAuthenticate({ authMethod }: { readonly authMethod: string }): string {
  switch (authMethod) {
    case "client_secret_basic":
      return "Send client_id and client_secret in the header Authorization: Basic, and no client_secret in the body.";
    case "client_secret_post":
      return "Send client_id and client_secret in the body, and no header Authorization.";
    case "none":
      return "Send client_id in the body, and no secret.";
    case "tls_client_auth":
    case "self_signed_tls_client_auth":
      return "Send client_id in the body, over a connection with the certificate of the client, and no secret.";
    default:
      return "Send client_assertion and client_assertion_type in the body, and no secret.";
  }
}

/** The texts about something that was issued to a former client of this id. */
export function removedClient(id: string): Pick<RuleExplanation, "reason" | "expected" | "received"> {
  return {
    reason: "the client was removed, or registered since",
    expected: `client ${id} as it is now`,
    received: "a code, request or token of an earlier client with this id",
  };
}

/** How to end that a client or a user is both configured and stored. */
export const configuredAndStoredFix =
  "Change the entry in the configuration. To keep it in the store instead, remove it from the configuration, and add it again at run time.";

/** The beginning of the ids of clients that registered themselves. */
export const registeredIdPrefix = "registered-";

/** Details of a rejection for a client that the server once had: `a client of this id existed until reset()`. */
export function describeRemovedClient(
  { clients, store }: { readonly clients: ClientRepository; readonly store: Pick<Store, "persistent"> },
  id: string | undefined,
): Pick<RuleExplanation, "earlier" | "fix"> {
  const removalCause = id === undefined ? undefined : clients.removedBy(id);
  if (removalCause !== undefined) return { earlier: `a client of this id existed until ${removalCause}` };
  if (id?.startsWith(registeredIdPrefix) !== true) return {};
  return store.persistent
    ? { earlier: "a client registered itself with this id; it was removed since", fix: "Register the client again." }
    : {
      earlier: "a client registered itself with this id before this start; the store in memory lost it",
      fix: "Register the client again. A persistent store, such as sqlite:latchkey.db, keeps registered clients.",
    };
}

/** Maximum number of ids that are compared with the unknown one: requests without credentials cause the comparison. */
const maxComparedIds = 100;

/** The ids that the sender of an unknown `client_id` probably meant. */
export interface KnownIds {
  /** The configured ids, the nearest first. */
  readonly expected: string;
  /** The nearest id; `undefined` if none is near. */
  readonly nearest?: string;
}

/**
 * Compares an unknown `client_id` with the ids of configured clients only, so that the id of no other client is
 * revealed.
 */
export function describeKnownIds({ clients }: Server, id: string): KnownIds {
  const ids = [...clients.known().values()].slice(0, maxComparedIds)
    .flatMap(({ id, standing }) => standing === "configured" ? [id] : []);
  const nearest = suggest(id, ids);
  const sorted = nearest === undefined ? ids : [nearest, ...ids.filter((other) => other !== nearest)];
  return { nearest, expected: listNames(sorted) || "the client_id of a registered client" };
}

/** The reason with the id that was probably meant. */
export function withNearest(reason: string, { nearest }: KnownIds): string {
  return nearest === undefined ? reason : `${reason}. Did you mean ${nearest}?`;
}
