/**
 * Bounds the records that public and unknown clients write to a store of any kind. The server counts these records by
 * the site of their sender (IPv4 address, IPv6 /48).
 *
 * - Pushed requests and device authorizations are evicted ({@link evictBeyondBound}): a site with too many bytes loses
 *   its own oldest record, and beyond the bound for all, the site with the most bytes loses one. So a flood evicts its
 *   own records.
 * - Marks that prevent a second use are not evicted: beyond the bound the request is rejected
 *   ({@link rejectBeyondBound}). When half of the space is used, a site may have no more than remains free, so that
 *   other sites always find space.
 *
 * Each instance counts the records that it wrote itself. The first such record loads this file.
 */

import { networkFromAddress, sitePrefixBits } from "../../platform/http/ip_address.ts";
import type { Client } from "../../core/clients/clients.ts";
import { isPermitted } from "../config/standing.ts";
import { reject } from "../rules/operation.ts";
import type { Server } from "../../core/server.ts";

/** Maximum bytes of the evictable records of one kind: per site, and in total. */
const maxSiteBytes = 1024 * 1024;
const maxBytes = 16 * 1024 * 1024;

/** Bytes that a record takes besides its value, by estimate: its key, its entry in an index, its entry here. */
const overheadBytes = 512;

/** Minimum time between two removals of expired records, in milliseconds. */
const sweepIntervalMs = 1000;

/** The client that writes a record. */
type Writer = Pick<Client, "confidential" | "standing">;

/** A record that a client writes. */
interface WrittenRecord {
  readonly kind: string;
  readonly id: string;
  readonly value: unknown;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  /** The network address of the sender; absent if unknown. */
  readonly address: string | undefined;
  /** What it counts. Default: its bytes, by estimate. */
  readonly size?: number;
}

interface CountedRecord {
  readonly site: Site;
  readonly bytes: number;
  readonly expiresAt: number;
}

interface Site {
  readonly name: string;
  /** The ids of its records, the oldest first. */
  readonly ids: Set<string>;
  bytes: number;
}

/** The records of one kind. */
interface Counts {
  readonly records: Map<string, CountedRecord>;
  readonly sites: Map<string, Site>;
  bytes: number;
  /** When expired records were last removed, in milliseconds since the epoch. */
  sweptAt: number;
}

/** The counts of each server, by kind. */
const countsByServer = new WeakMap<Server["clients"], Map<string, Counts>>();

/** Counts a record that a client has written, and deletes older ones beyond the bound. */
export async function evictBeyondBound(server: Server, client: Writer, record: WrittenRecord): Promise<void> {
  if (writesWithoutBound(server, client)) return;
  const counts = currentCounts(server, record.kind);
  const site = add(counts, record);
  const evicted: string[] = [];
  while (site.bytes > maxSiteBytes) evicted.push(removeOldest(counts, site));
  while (counts.bytes > maxBytes) evicted.push(removeOldest(counts, largestSite(counts)));
  await Promise.all(evicted.map((id) => server.store.delete(record.kind, id)));
}

/**
 * Counts a record that a client is about to write, or to write again.
 *
 * @param max The sum of the sizes of all records of this kind.
 * @throws {OAuthError} `temporarily_unavailable` with status 429 beyond the bound.
 */
export function rejectBeyondBound(server: Server, client: Writer, record: WrittenRecord, max = maxBytes): void {
  if (writesWithoutBound(server, client)) return;
  const counts = currentCounts(server, record.kind);
  const siteBytes = counts.sites.get(siteName(record))?.bytes ?? 0;
  if (counts.bytes >= max / 2 && siteBytes >= max - counts.bytes) {
    const count = counts.sites.get(siteName(record))?.ids.size ?? 0;
    throw reject("HT-23", { count }, { status: 429, retryAfter: retryAfterSeconds });
  }
  add(counts, record);
}

/** Seconds after which a rejected client should try again. */
const retryAfterSeconds = 30;

/**
 * Whether a client authenticates with credentials that the operator, or an issuer that the operator trusts, gave it.
 */
function writesWithoutBound(server: Server, client: Writer): boolean {
  return client.confidential && isPermitted(server, client, "writeWithoutBound");
}

/** The counts of a kind, without the records that expired before the last sweep. */
function currentCounts({ clients, now }: Server, kind: string): Counts {
  let byKind = countsByServer.get(clients);
  if (byKind === undefined) countsByServer.set(clients, byKind = new Map());
  let counts = byKind.get(kind);
  if (counts === undefined) {
    counts = { records: new Map(), sites: new Map(), bytes: 0, sweptAt: now() };
    byKind.set(kind, counts);
  }
  if (Math.abs(now() - counts.sweptAt) >= sweepIntervalMs) {
    counts.sweptAt = now();
    for (const [id, { expiresAt }] of counts.records) if (expiresAt <= now()) remove(counts, id);
  }
  return counts;
}

function siteName({ address = "" }: WrittenRecord): string {
  return networkFromAddress(address, sitePrefixBits);
}

/** Counts a record once, as the newest one, and returns its site. */
function add(counts: Counts, record: WrittenRecord): Site {
  const { id, value, expiresAt, size } = record;
  remove(counts, id);
  const name = siteName(record);
  let site = counts.sites.get(name);
  if (site === undefined) counts.sites.set(name, site = { name, ids: new Set(), bytes: 0 });
  const bytes = size ?? JSON.stringify(value).length + overheadBytes;
  counts.records.set(id, { site, bytes, expiresAt });
  site.ids.add(id);
  site.bytes += bytes;
  counts.bytes += bytes;
  return site;
}

function remove(counts: Counts, id: string): void {
  const record = counts.records.get(id);
  if (record === undefined) return;
  const { site, bytes } = record;
  counts.records.delete(id);
  site.ids.delete(id);
  site.bytes -= bytes;
  counts.bytes -= bytes;
  if (site.ids.size === 0) counts.sites.delete(site.name);
}

function removeOldest(counts: Counts, { ids }: Site): string {
  const [id] = ids;
  remove(counts, id!);
  return id!;
}

function largestSite({ sites }: Counts): Site {
  return [...sites.values()].reduce((largest, site) => site.bytes > largest.bytes ? site : largest);
}
