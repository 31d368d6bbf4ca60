/** The banner: the terminal shows it when the server listens, with all that the configuration of a client needs. */

import { isLoopback, isTestHost } from "../oauth/test_hosts.ts";
import type { ResolvedSettings } from "../oauth/config/settings.ts";
import type { TraceEvent } from "../oauth/trace.ts";
import { printable } from "../oauth/config/config_issue.ts";

/** Differences between the configured clients or users and those in effect, caused by changes in the store. */
export type StoredChanges = Extract<TraceEvent, { type: "stored_changes" }>;

/** The content of the banner. */
interface BannerOptions {
  readonly version: string;
  readonly issuer: string;
  /** The URL that it listens on; shown if it is not the issuer. */
  readonly url: string;
  /** The name or address it listens on. */
  readonly host: string;
  /** The URL of the metadata document, that of OpenID Connect if there is one. Absent: the server publishes none. */
  readonly discovery?: string;
  readonly settings: ResolvedSettings;
  /** The public secret of the demo clients, if they are in use. No other secret is printed. */
  readonly demoSecret?: string;
  readonly store: string;
  readonly storedChanges: Readonly<Partial<Record<StoredChanges["of"], StoredChanges>>>;
  /** Whether pages show each login; `insecure`: to any visitor, although the issuer is not on a test host. */
  readonly inspector: "on" | "off" | "insecure";
  /** The URL of the metrics. Default: none. */
  readonly metrics?: string;
  /** Names, as in the metadata, and absolute URLs. */
  readonly endpoints: readonly (readonly [name: string, url: string])[];
}

/** The banner, with a final newline. */
export function banner(
  { version, issuer, url, host, discovery, settings, demoSecret, store, storedChanges, inspector, metrics, endpoints }:
    BannerOptions,
): string {
  const exposure = describeExposure({ issuer, host, settings, inspector });
  const pageUrl = (path: string) => issuer.replace(/\/$/, "") + path;
  const callbackUrl = pageUrl("/authorized");
  const align = (pairs: readonly (readonly [string, string])[]) => {
    const width = Math.max(...pairs.map(([name]) => name.length));
    return pairs.map(([name, value]) => `${name.padEnd(width)} ${value}`);
  };
  const rows = (pairs: readonly (readonly [string, string])[]) =>
    align(pairs.map(([name, value]) => [`  ${name} `, value]));
  const list = (configured: readonly (readonly [string, string])[], changes?: StoredChanges) => {
    const shown = effectiveRows(configured, changes);
    return shown.length === 0 ? ["  none"] : rows(shown);
  };
  const clients = settings.clients.map((client) => {
    const { client_secret: secret, token_endpoint_auth_method: method } = client;
    const authentication = secret === undefined
      ? method ?? (client.jwks === undefined ? "public, PKCE" : "private_key_jwt")
      : `${demoSecret === undefined ? "a secret" : `secret ${demoSecret}`} by ${
        method ?? "client_secret_basic or client_secret_post"
      }`;
    return [client.client_id, `${authentication}; ${client.redirect_uris?.join(" ") ?? "no redirect URI"}`] as const;
  });
  const users = settings.users.map(({ sub, name }) => [sub, typeof name === "string" ? name : ""] as const);
  return [
    `Latchkey ${version}, issuer ${issuer}`,
    ...url === issuer ? [] : [`listening on ${url}`],
    "",
    "Endpoints",
    ...rows([...discovery === undefined ? [] : [["discovery", discovery] as const], ...endpoints]),
    "",
    "Clients",
    ...list(clients, storedChanges.clients),
    "",
    settings.login === "auto" ? "Users (the first is logged in; login_hint=<sub> picks another)" : "Users",
    ...list(users, storedChanges.users),
    "",
    `Scopes  ${settings.scopes.join(" ")}`,
    `Keys    ${settings.alg}, kept in ${store}`,
    ...settings.profile === undefined ? [] : [
      `Profile ${settings.profile.label}${settings.registration.mode === "off" ? "; registration is off" : ""}`,
    ],
    ...metrics === undefined ? [] : [`Metrics ${metrics}`],
    ...exposure === undefined ? [] : [`OPEN: ${exposure}`],
    ...insecureSettings(settings, inspector).map((name) =>
      `INSECURE: ${name} is on. Keep this server unreachable for others.`
    ),
    "",
    ...align([
      settings.clients.some((client) => client.redirect_uris?.includes(callbackUrl))
        ? ["Start the demo flow:", pageUrl("/start")]
        : ["Home page:", pageUrl("/")],
      ...inspector === "off" ? [] : [["Watch each login:", pageUrl("/flows")] as const],
    ]),
    "",
  ].map(printable).join("\n");
}

/** Maximum number of listed clients or users that only the store has. */
const maxStoredOnlyRows = 10;

/** The configured rows with the changes in the store. */
function effectiveRows(
  configured: readonly (readonly [id: string, about: string])[],
  changes: StoredChanges | undefined,
): readonly (readonly [string, string])[] {
  if (changes === undefined) return configured;
  const { replaced, removed, added } = changes;
  const describeChange = (id: string) =>
    replaced.includes(id)
      ? "replaced by a change in the store"
      : removed.includes(id)
      ? "removed by a change in the store"
      : undefined;
  return [
    ...configured.map(([id, configuredText]) => [id, describeChange(id) ?? configuredText] as const),
    ...added.slice(0, maxStoredOnlyRows).map((id) => [id, "only in the store"] as const),
    ...added.length > maxStoredOnlyRows
      ? [["…", `and ${added.length - maxStoredOnlyRows} more only in the store`] as const]
      : [],
  ];
}

/** The names of the insecure settings that are on. */
export function insecureSettings(settings: ResolvedSettings, inspector: BannerOptions["inspector"]): string[] {
  const names = Object.entries(settings).filter(([name, value]) => name.startsWith("insecure") && value === true)
    .map(([name]) => name);
  return [...names, ...inspector === "insecure" ? ["insecureAllowInspector"] : []];
}

/**
 * A sentence that says what any machine that can reach the server may do; `undefined` where only this machine can: the
 * server listens on a loopback address, and the issuer's name leads no other machine here.
 */
export function describeExposure(
  { issuer, host, settings, inspector }: Pick<BannerOptions, "issuer" | "host" | "settings" | "inspector">,
): string | undefined {
  const { hostname } = new URL(issuer);
  const isTest = isTestHost(hostname);
  const listensHere = isLoopback(host.includes(":") ? `[${host}]` : host);
  if (listensHere && (isLoopback(hostname) || !isTest)) return undefined;
  const permissions = [
    ...settings.login === "auto"
      ? ["is logged in as the first user"]
      : isTest
      ? ["can log in as any user without a password"]
      : [],
    ...isTest && settings.directory !== "off" ? [`can ${settings.directory} /clients and /users`] : [],
    ...isTest && inspector === "on" ? ["can read every login in /flows"] : [],
  ];
  return permissions.length === 0
    ? undefined
    : `any machine that can reach ${listensHere ? issuer : host} ${permissions.join(", and ")}.`;
}
