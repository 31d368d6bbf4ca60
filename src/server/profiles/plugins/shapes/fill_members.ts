/** Fills in the members of a provider's shapes: templates, removals and values that follow from the user. */

import type { Members } from "../../../config/provider_shapes.ts";
import { randomId } from "../../../oauth/secrets.ts";
import type { Server } from "../../../oauth/server.ts";

/** The value of a name in a template; `undefined` without one. */
export type FindValue = (name: string) => unknown;

/** The members with those of a shape, which replace or remove them. */
export function fillMembers(members: Members, shape: Members, find: FindValue): Members {
  const filled: Record<string, unknown> = { ...members };
  for (const [name, template] of Object.entries(shape)) {
    const value = template === null ? undefined : fillValue(template, find);
    if (value !== undefined) filled[name] = value;
    else if (template === null) delete filled[name];
  }
  return filled;
}

const single = /^\{([^{}]{1,200})\}$/;

function fillValue(template: unknown, find: FindValue): unknown {
  if (typeof template === "string") {
    const name = single.exec(template)?.[1];
    if (name !== undefined) return findAny(name, find);
    return template.replace(/\{([^{}]{1,200})\}/g, (_, names) => String(findAny(names, find) ?? ""));
  }
  if (Array.isArray(template)) return template.map((item) => fillValue(item, find));
  if (typeof template !== "object" || template === null) return template;
  return Object.fromEntries(Object.entries(template).map(([name, value]) => [name, fillValue(value, find)]));
}

/** The first value of names such as `oid|$guid`, with `:text` as a text, with `:list` as the words of a text. */
function findAny(names: string, find: FindValue): unknown {
  const [list = "", form] = names.split(/:(?=(?:text|list)$)/);
  const value = list.split("|").map(find).find((one) => one !== undefined && one !== null);
  if (value === undefined || form === undefined) return value;
  return form === "text" ? String(value) : String(value).split(" ");
}

/** Finds values that follow from the clock, from the random source or from the user; each name has one value. */
export function derivedValues(server: Parameters<typeof findDerived>[1], sub?: string): FindValue {
  const values = new Map<string, unknown>();
  return (name) => {
    if (!values.has(name)) values.set(name, findDerived(name, server, sub));
    return values.get(name);
  };
}

/** A value that follows from the clock, from the random source or from the user. */
export function findDerived(
  name: string,
  { now, randomBytes, issuer }: Pick<Server, "now" | "randomBytes" | "issuer">,
  sub?: string,
): unknown {
  if (name === "$uuid" || name === "$uuid2") return toGuid(stableHex(randomId(randomBytes)));
  if (name === "$time") return new Date(now()).toISOString().replace("T", " ").replace(/\.\d+/, "");
  if (name === "$tenant") return new URL(issuer).pathname.split("/")[1] || undefined;
  if (name === "$date") return new Date(now()).toUTCString();
  if (sub === undefined) return undefined;
  if (name === "$sub") return sub;
  if (name === "$hex") return stableHex(sub);
  if (name === "$guid") return toGuid(stableHex(sub));
  if (name === "$number") {
    return /^[1-9]\d{0,14}$/.test(sub) ? Number(sub) : parseInt(stableHex(sub).slice(0, 7), 16) + 1;
  }
  return undefined;
}

/** A GUID of version 4 with these digits (RFC 9562 §5.4). */
function toGuid(hex: string): string {
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, "$1-$2-4$3-8$4-$5");
}

/** 32 hexadecimal digits that follow from a text: four FNV-1a hashes. They identify test users, and protect nothing. */
function stableHex(text: string): string {
  const bytes = new TextEncoder().encode(text);
  return [0, 1, 2, 3].map((seed) => {
    let hash = 0x811c9dc5;
    for (const byte of [seed, ...bytes]) hash = Math.imul(hash ^ byte, 0x01000193);
    // The finalizer of MurmurHash3: short texts would differ in few bits.
    hash = Math.imul(hash ^ hash >>> 16, 0x85ebca6b);
    hash = Math.imul(hash ^ hash >>> 13, 0xc2b2ae35);
    return ((hash ^ hash >>> 16) >>> 0).toString(16).padStart(8, "0");
  }).join("");
}
