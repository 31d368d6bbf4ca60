/** Clients and users changed at run time, for the instances on one persistent store: read at start, and again on time. */

import { quote } from "../config/config_issue.ts";
import { resolveSettings } from "../config/settings.ts";
import type { Settings } from "../config/settings.ts";
import { randomId } from "../secrets.ts";
import type { Server } from "../server.ts";
import type { TraceEvent } from "../trace.ts";
import { storedChangeLog } from "./change_log.ts";
import { configuredEntryDigests } from "./configured_entry_digests.ts";
import type { SharedChanges } from "./repository.ts";

/** The changes in a store, and when to read them. */
interface StoredChanges {
  /** For the repositories of clients and users. */
  readonly sharing: SharedChanges;
  /** Reads the store, and traces how it differs from the configuration; the repositories must be as configured. */
  start(server: Pick<Server, "clients" | "users">): Promise<void>;
  /** How often an instance reads the changes of others, in milliseconds by the server's clock. */
  readonly refreshIntervalMs: number;
  /** Reads them where the last read was an interval ago. */
  refreshIfDue(): void;
  /** Waits until the store has every change; rejects when it fails. */
  flush(): Promise<void>;
}

const refreshIntervalMs = 500;

/** Opens the changes in a store, for a server with these settings. */
export function openStoredChanges(
  settings: Settings,
  owner: Pick<Server, "issuer" | "store" | "randomBytes" | "now" | "trace">,
): StoredChanges {
  const { now, trace } = owner;
  const randomMark = () => randomId(owner.randomBytes);
  // Keyed by the configured issuer: the issuer in effect may depend on the port.
  const issuer = settings.issuer ?? "";
  const changeLog = storedChangeLog(owner.store, issuer, {
    entryDigest: configuredEntryDigests(owner, resolveSettings(settings, issuer)),
    randomMark,
    onDropped: ({ of, id }) =>
      trace({
        type: "warning",
        at: now(),
        client: of === "clients" ? id : undefined,
        explanation: {
          rule: "OP-10",
          reason: `a change at run time was dropped: ${of === "clients" ? "client" : "user"} ${quote(id)}`,
          expected: "the configuration entry that the change was made to",
          received: "a changed or removed entry, or a change without the digest of its entry",
        },
      }),
  });
  const onRejected = (cause: unknown) => trace({ type: "internal_error", at: now(), endpoint: "changes", cause });
  let lastRefreshAt = now();
  let isFailing = false;
  let reportDifferences: (() => void) | undefined;

  /** A failure is traced once, until it is over. */
  async function refresh(): Promise<void> {
    lastRefreshAt = now();
    try {
      await changeLog.refresh();
      reportDifferences?.();
      reportDifferences = undefined;
      isFailing = false;
    } catch (cause) {
      if (!isFailing) onRejected(cause);
      isFailing = true;
    }
  }

  return {
    sharing: { changeLog, randomMark, onRejected },
    async start({ clients, users }) {
      const configured = { clients: clients.all(), users: users.all() };
      reportDifferences = () => {
        const differences = [
          ["clients", compareWithConfigured(configured.clients, clients.all(), ({ id }) => id)],
          ["users", compareWithConfigured(configured.users, users.all(), ({ sub }) => sub)],
        ] as const;
        for (const [of, stored] of differences) {
          if (Object.values(stored).some((ids) => ids.length > 0)) {
            trace({ type: "stored_changes", at: now(), of, ...stored });
          }
        }
      };
      await refresh();
    },
    refreshIntervalMs,
    refreshIfDue() {
      if (Math.abs(now() - lastRefreshAt) >= refreshIntervalMs) refresh();
    },
    flush: changeLog.flush,
  };
}

/** Differences between a list and the configured one, by id. */
function compareWithConfigured<Item>(
  configured: readonly Item[],
  current: readonly Item[],
  getId: (item: Item) => string,
): Pick<Extract<TraceEvent, { type: "stored_changes" }>, "replaced" | "removed" | "added"> {
  const currentById = new Map(current.map((item) => [getId(item), item]));
  const configuredIds = new Set(configured.map(getId));
  return {
    replaced: configured.filter((item) => currentById.has(getId(item)) && currentById.get(getId(item)) !== item).map(
      getId,
    ),
    removed: configured.filter((item) => !currentById.has(getId(item))).map(getId),
    added: [...currentById.keys()].filter((id) => !configuredIds.has(id)),
  };
}
