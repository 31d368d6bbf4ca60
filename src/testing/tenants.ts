/** Tenants: separate issuers on the host of a mock, created at run time, for tests that run at the same time. */

import { inspector } from "../devtools/inspector.ts";
import type { AppChanges, Plugin } from "../server/hosting/options.ts";
import { extensionFields } from "../server/extensions/settings.ts";
import { extendedClientField, extendedFields } from "../server/hosting/extensions.ts";
import { userField } from "../server/config/user_fields.ts";
import { assertNoIssues } from "../core/rules/configuration_error.ts";
import { type Field, list, object, whole } from "../core/policy/field.ts";
import { validate } from "../server/config/config_issue.ts";
import { settingFields, type Settings } from "../server/config/settings.ts";
import { randomId } from "../core/keys/secrets.ts";
import type { Outbound } from "../server/fetching/outbound.ts";
import { basePath } from "../core/http/names.ts";
import type { Server } from "../core/server.ts";
import { randomBytes } from "../core/keys/crypto.ts";
import { plainText } from "../platform/http/response.ts";
import { recorder } from "../recorder/recorder.ts";
import { memoryStore } from "../core/store/memory.ts";
import { assertAllMet } from "./assert_all_met.ts";
import { mockOptions } from "./mock_options.ts";
import { anyOption } from "./options.ts";
import type { HostSetting, ServerControl, Tenant, TenantOptions, Tenants, TestControlOptions } from "./test_control.ts";

/** Maximum number of tenants of one server. */
const maxTenants = 1000;

/** Maximum number of records of each kind, and their bytes: a thousand tenants share the memory of a process. */
const storeLimits = { maxRecords: 10_000, maxBytes: 4 * 1024 * 1024 };

/** Maximum size of the log of a tenant, in bytes. */
const maxRecordedBytes = 4 * 1024 * 1024;

/** How often expired tenants are searched for, in milliseconds. */
const searchIntervalMs = 1000;

/** The settings that a tenant takes from its server. */
const hostSettings: readonly HostSetting[] = [
  ...["issuer", "issuerHosts", "frontChannelUrl", "backChannelUrl", "trustProxy", "proxyHeader"] as const,
  "privateHosts",
];

/** The server cannot create the tenant. */
export class TenantError extends Error {
  /** Creates the error. */
  constructor(message: string) {
    super(message);
    this.name = "TenantError";
  }
}

const tenantSettingFields = Object.fromEntries(
  Object.entries({ ...settingFields, ...extensionFields, ...extendedFields }).filter(([name]) =>
    !([...hostSettings, "clients", "users"] as readonly string[]).includes(name)
  ),
);

const tenantField: Field = object<TenantOptions>("TenantOptions", {
  ...{ seed: anyOption, startsAt: anyOption },
  settings: object("Settings", tenantSettingFields, {}) as never,
  clients: list(extendedClientField, [[]], { expected: "an array of clients" }),
  users: list(userField, [[]], { expected: "an array of users" }),
  lifetime: whole(3600, { min: 1, expected: "a whole number of seconds, at least 1" }),
}, {});

interface TenantDependencies {
  /** The server that the tenants belong to; `addApp` is absent if the server is a tenant. */
  getServer(): Pick<Server, "issuer" | "policy"> & {
    readonly outbound: Outbound;
    readonly addApp?: AppChanges["addApp"];
  };
  getSettings(): Settings;
  createControl(options: TestControlOptions): ServerControl;
  /** The clock that ends tenants. The clock of the server does not: tests move it. */
  now(): number;
}

interface Entry {
  readonly tenant: Tenant;
  readonly lifetimeMs: number;
  usedAt: number;
}

/** Creates the tenants of a server; none at first. */
export function tenantList({ getServer, getSettings, createControl, now }: TenantDependencies): Tenants {
  const entries = new Map<string, Entry>();
  let pending = 0;
  let searchedAt = 0;

  const isExpired = ({ usedAt, lifetimeMs }: Entry) => now() >= usedAt + lifetimeMs;

  function find(id: string): Tenant | undefined {
    const entry = entries.get(id);
    return entry === undefined || isExpired(entry) ? undefined : entry.tenant;
  }

  function removeExpired(): void {
    if (entries.size === 0 || Math.abs(now() - searchedAt) < searchIntervalMs) return;
    searchedAt = now();
    // A fault that did not fire concerns no test any more.
    for (const entry of entries.values()) if (isExpired(entry)) entry.tenant.close().catch(() => {});
  }

  async function create(
    options: TenantOptions,
    origin: string | undefined,
    endpoints: ((control: ServerControl) => Plugin) | undefined,
  ): Promise<Tenant> {
    assertNoIssues(validate(tenantField, options));
    const { seed, startsAt, settings, clients, users, lifetime = 3600 } = options;
    const { addApp, ...server } = getServer();
    const { issuer, outbound } = server;
    if (addApp === undefined) throw new TenantError("A tenant cannot create tenants. Create them on its server.");
    const id = randomId(randomBytes);
    const exchanges = recorder({ maxBytes: maxRecordedBytes });
    const control = createControl({ seed, startsAt, recorder: exchanges });
    const { plugin, clearFaults, ...handle } = control;
    const path = `${basePath(issuer)}/tenants/${id}`;
    const inherited = getSettings();
    const urls = [origin ?? issuer, inherited.frontChannelUrl, inherited.backChannelUrl];
    const issuerHosts = inherited.issuerHosts?.filter((host) =>
      urls.some((url) => url !== undefined && new URL(url).hostname === host)
    );
    const own = {
      outbound,
      ...Object.fromEntries(hostSettings.map((name) => [name, inherited[name]])),
      ...{ issuer: undefined, issuerHosts, ...settings, ...clients && { clients }, ...users && { users } },
    };
    const isSeeded = seed !== undefined;
    const app = await addApp({
      ...mockOptions(own, { useTestKeys: server.policy.allows.testKeys, isSeeded }),
      ...origin === undefined ? { path } : { issuer: origin + path },
      store: memoryStore(storeLimits),
      plugins: [
        {
          handle: (next) => async (request, peer) => {
            const entry = entries.get(id);
            if (entry === undefined || isExpired(entry)) return plainText(404, "This tenant was removed.");
            entry.usedAt = now();
            return await next(request, peer);
          },
        },
        ...[exchanges, plugin, inspector({ requests: false })],
        ...endpoints === undefined ? [] : [endpoints(control)],
      ],
    });
    let closing: Promise<void> | undefined;
    const tenant: Tenant = {
      ...handle,
      id,
      get issuer() {
        return app.issuer;
      },
      clients: app.clients as Tenant["clients"],
      users: app.users as Tenant["users"],
      rotateKeys: app.rotateKeys,
      close: () =>
        closing ??= (async () => {
          entries.delete(id);
          const unmet = clearFaults();
          await app.remove();
          assertAllMet(unmet);
        })(),
      [Symbol.asyncDispose]: () => tenant.close(),
    };
    entries.set(id, { tenant, lifetimeMs: lifetime * 1000, usedAt: now() });
    return tenant;
  }

  return {
    async create(options = {}, origin, endpoints) {
      searchedAt = 0;
      removeExpired();
      if (entries.size + pending >= maxTenants) {
        throw new TenantError(
          `The server already has ${maxTenants} tenants, the maximum. Remove tenants at the end of a test, ` +
            "or create them with a shorter lifetime.",
        );
      }
      pending++;
      try {
        return await create(options, origin, endpoints);
      } finally {
        pending--;
      }
    },
    all: () => [...entries.values()].filter((entry) => !isExpired(entry)).map(({ tenant }) => tenant),
    find,
    removeExpired,
  };
}
