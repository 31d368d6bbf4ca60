/** The ids of configured clients, for the explanation of an unknown `client_id`. */

import { suggest } from "../config/suggest.ts";
import type { Server } from "../server.ts";

/** Maximum number of ids that are compared with the unknown one: requests without credentials cause the comparison. */
const maxComparedIds = 100;

/** Maximum number of ids in a message. */
const maxListedIds = 5;

/** The ids that the sender of an unknown `client_id` probably meant. */
export interface KnownIds {
  /** The configured ids, the nearest first. */
  readonly expected: string;
  /** The nearest id; `undefined` if none is near. */
  readonly nearest?: string;
}

/**
 * Compares an unknown `client_id` with those of configured clients only, so that no id of another client is revealed.
 */
export function describeKnownIds({ clients }: Server, id: string): KnownIds {
  const ids = clients.allCached().slice(0, maxComparedIds)
    .flatMap(({ id, standing }) => standing === "configured" ? [id] : []);
  const nearest = suggest(id, ids);
  const [first, ...others] = nearest === undefined ? ids : [nearest, ...ids.filter((other) => other !== nearest)];
  if (first === undefined) return { expected: "the client_id of a registered client" };
  const listed = [first, ...others.slice(0, maxListedIds - 1)].join(" or ");
  const more = others.length + 1 - maxListedIds;
  return { nearest, expected: more > 0 ? `${listed}, or one of ${more} more` : listed };
}

/** The reason with the id that was probably meant. */
export function withNearest(reason: string, { nearest }: KnownIds): string {
  return nearest === undefined ? reason : `${reason}. Did you mean ${nearest}?`;
}
