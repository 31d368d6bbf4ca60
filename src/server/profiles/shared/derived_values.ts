/** Values of providers that are computed from other values. They identify test users, and protect nothing. */

import { randomId } from "../../../core/keys/secrets.ts";
import type { Server } from "../../../core/server.ts";

export function newGuid({ randomBytes }: Pick<Server, "randomBytes">): string {
  return guidOf(randomId(randomBytes));
}

/** A GUID of version 4 (RFC 9562 §5.4) computed from a text: equal for equal texts. */
export function guidOf(text: string): string {
  return stableHex(text).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, "$1-$2-4$3-8$4-$5");
}

/** A number computed from a text: the text itself if it is a number, otherwise one of seven hexadecimal digits. */
export function numberOf(text: string): number {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : parseInt(stableHex(text).slice(0, 7), 16) + 1;
}

/** 32 hexadecimal digits computed from a text: four FNV-1a hashes. */
function stableHex(text: string): string {
  const bytes = new TextEncoder().encode(text);
  return [0, 1, 2, 3].map((seed) => {
    let hash = 0x811c9dc5;
    for (const byte of [seed, ...bytes]) hash = Math.imul(hash ^ byte, 0x01000193);
    // The finalizer of MurmurHash3: without it, short texts would differ in few bits.
    hash = Math.imul(hash ^ hash >>> 16, 0x85ebca6b);
    hash = Math.imul(hash ^ hash >>> 13, 0xc2b2ae35);
    return ((hash ^ hash >>> 16) >>> 0).toString(16).padStart(8, "0");
  }).join("");
}
