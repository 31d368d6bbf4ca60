/** The banner: the terminal shows it when the server listens. About ten lines; the home page has the rest. */

import { describeOff, registrationPolicy } from "../server/extensions/registration/settings.ts";
import type { ClientMetadata } from "../server/config/client_metadata.ts";
import { shownName } from "../server/clients/login_hint.ts";
import type { App } from "../server/app.ts";
import type { TraceEvent } from "../server/trace.ts";
import { printable } from "../core/http/quote_value.ts";
import { wrap } from "./operating/wrap.ts";
import { describeExposure, type ExposedParts } from "./exposure.ts";
import { type ConfigSource, describeFoundFile } from "./read_config.ts";
import { type Insecure, insecureEffects } from "../server/config/server_settings.ts";
import { byProfile, type ServerPolicy } from "../server/config/server_policy.ts";

/** The clients or users that only the store has. */
export type StoredEntries = Extract<TraceEvent, { type: "stored_entries" }>;

type InitialEntries = ReturnType<App["initialEntries"]>;

interface BannerOptions extends ExposedParts {
  readonly policy: ServerPolicy & InitialEntries;
  readonly version: string;
  /** How long the start took, in milliseconds. */
  readonly startMs: number;
  /** The URL that it listens on; shown if it is not the issuer. */
  readonly url: string;
  /** The URL of the metadata document, that of OpenID Connect if there is one. Absent: the server publishes none. */
  readonly discovery?: string;
  /** The public secret of the demo clients, if they are in use. No other secret is printed. */
  readonly demoSecret?: string;
  /** The private key of the demo client; absent if the client has none. */
  readonly demoKey?: object;
  /** The source of the settings; shown if nothing names it. Default: flags and variables alone. */
  readonly configSource?: ConfigSource;
  readonly store: string;
  /** The `kid` of the configured signing key. Absent if there is none, or if another key signs. */
  readonly signingKid?: string;
  readonly storedEntries: Readonly<Partial<Record<StoredEntries["of"], StoredEntries>>>;
  /** The `sub` of the user whom automatic login logs in; absent if there is no user. */
  readonly defaultUser?: string;
  /** The origin of the port that asks clients for certificates. Default: none. */
  readonly certificateOrigin?: string;
  /** The identifiers of the protected resources that it hosts. */
  readonly resources: readonly string[];
  /** The issuers at paths of a server that adds others at their first request. Default: none. */
  readonly issuers?: readonly string[];
  /** The width of the terminal, in characters. Default: lines are not wrapped. */
  readonly width?: number;
  /** Whether the terminal shows colours. Default: false. */
  readonly colors?: boolean;
}

/** The banner, with a final newline. */
export function banner(
  {
    version,
    startMs,
    issuer,
    url,
    host,
    discovery,
    policy,
    demoSecret,
    demoKey,
    configSource,
    store,
    signingKid,
    storedEntries,
    defaultUser,
    inspector,
    faults,
    control,
    certificateOrigin,
    resources,
    issuers,
    width,
    colors = false,
  }: BannerOptions,
): string {
  const exposure = describeExposure({ issuer, host, policy, inspector, faults, control });
  const foundFile = describeFoundFile(configSource);
  const pages = pagesUrl(issuer, policy);
  const pageUrl = (path: string) => pages + path;
  const page = firstPage(issuer, policy);
  const hasDemoFlow = page.endsWith("/start");
  const clients = policy.clients.map((client) =>
    [client.client_id, describeAuthentication(client, demoSecret, demoKey)] as const
  );
  const isAuto = policy.login === "auto" && defaultUser !== undefined;
  const takesNames = policy.loginPage !== "latchkey" && !isAuto;
  const users = policy.users.map((user) =>
    [
      takesNames ? shownName(user) : user.sub,
      isAuto && user.sub === defaultUser ? "logs in automatically" : undefined,
    ] as const
  );
  const isListed = policy.users.some(({ sub }) => sub === defaultUser);
  const profiles = policy.profile === undefined ? [] : [describeProfile(policy, policy.profile, issuer, url)];
  const rows = [
    [hasDemoFlow ? "Try it" : "Home", page],
    ...inspector === "off" ? [] : [["Watch it", pageUrl("/flows")]],
    ...foundFile === undefined ? [] : [["Config", foundFile]],
    ...control === "off" ? [] : [["Control", pageUrl("/_control/openapi.json")]],
    ...discovery === undefined ? [] : [["Discovery", discovery]],
    ...certificateOrigin === undefined ? [] : [["Mutual TLS", certificateOrigin]],
    ...resources.map((identifier) => ["Resource", identifier]),
    ...issuers === undefined
      ? []
      : [["Issuers", [...issuers, "any other path of one segment"].join(", ") + "; each has its own /flows"]],
    [
      "Clients",
      listEntries(clients, storedEntries.clients) +
      (hasDemoFlow ? `; redirect URI of the demo: ${pageUrl("/authorized")}` : ""),
    ],
    [
      "Users",
      listEntries(users, storedEntries.users) +
      (isAuto ? `${isListed ? "" : `; ${defaultUser} logs in automatically`}; login_hint=<sub> picks another` : ""),
    ],
    ...policy.loginPage === "latchkey" ? [] : [["Login", describeLogin(policy)]],
    ["Scopes", policy.scopes.join(" ")],
    ...policy.acceptsAny.length === 0 ? [] : [["Any", `accepted of ${policy.acceptsAny.join(", ")}, with a warning`]],
    [
      "Keys",
      `${policy.alg}, ${signingKid === undefined ? `kept in ${store}` : `the configured key ${printable(signingKid)}`}`,
    ],
    ...policy.providers.length === 0 ? [] : [["Provider", policy.providers.join(", ")]],
    ...profiles.length === 0 ? [] : [["Profile", profiles.join("; ")]],
    ["Ctrl-C", "stops the server"],
  ];
  return [
    `Latchkey ${version}, ready in ${Math.round(startMs)} ms, issuer ${issuer}`,
    ...url === issuer ? [] : [`listening on ${url}`],
    ...exposure === undefined ? [] : [`OPEN: ${exposure}`],
    ...insecureParts(policy, inspector).map((name) =>
      `INSECURE: ${name} is accepted: ${insecureEffects[name]}. Make sure that no other machine can reach this server.`
    ),
    ...rows.map(([name, value]) => `${name!.padEnd(labelWidth)}${value}`),
    "",
  ].map((line, i, { length }) => {
    const hanging = " ".repeat(i < length - rows.length - 1 ? 0 : labelWidth);
    const text = wrap(printable(line), hanging, width).join("\n");
    return colors ? colorText(text) : text;
  }).join("\n");
}

/** The width of the names of the rows, in characters. */
const labelWidth = 11;

/** A line with ANSI colours, also if it is wrapped: the first is bold, warnings are yellow, URLs to open are cyan. */
function colorText(text: string): string {
  const paint = (code: number, text: string) => `\u001b[${code}m${text}\u001b[0m`;
  if (text.startsWith("Latchkey ")) return paint(1, text);
  if (/^(?:OPEN|INSECURE): /.test(text)) return paint(33, text);
  return text.replace(/(?<=^[^:]{11})https?:\/\/\S+$/, (url) => paint(36, url));
}

/** The URL before the paths of pages: browsers reach `frontChannelUrl` instead of the origin of the issuer. */
function pagesUrl(issuer: string, { frontChannelUrl }: Pick<ServerPolicy, "frontChannelUrl">): string {
  const { origin, pathname } = new URL(issuer);
  return (frontChannelUrl ?? origin) + pathname.replace(/\/$/, "");
}

/** The page to open first: the start of a login of the demo client if there is one, otherwise the home page. */
function firstPage(
  issuer: string,
  policy: Pick<InitialEntries, "clients"> & Pick<ServerPolicy, "frontChannelUrl">,
): string {
  const demoUri = `${issuer.replace(/\/$/, "")}/authorized`;
  const hasDemoFlow = policy.clients.some(({ redirect_uris }) => redirect_uris?.includes(demoUri));
  return pagesUrl(issuer, policy) + (hasDemoFlow ? "/start" : "/");
}

/** How a suite logs in, where it may expect the login page of a provider. */
function describeLogin({ login, loginPage, users, acceptsAny }: BannerOptions["policy"]): string {
  if (login !== "interactive") return `no page; --login interactive shows the form of ${loginPage}`;
  const own = users.filter(({ password }) => password !== undefined).length;
  const others = own === users.length ? "" : ", and users without one can type anything";
  const passwords = own === 0 ? "any password works" : `passwords come from the file${others}`;
  return `the form of ${loginPage}; ${acceptsAny.includes("users") ? "any name works" : passwords}`;
}

function describeProfile(
  policy: ServerPolicy,
  { label }: NonNullable<ServerPolicy["profile"]>,
  issuer: string,
  url: string,
): string {
  const needsTls = label.includes("fapi2-") && issuer.startsWith("https:") && url.startsWith("http:");
  return [
    label,
    ...registrationPolicy({ policy }).mode === "off"
      ? [describeOff({ byProfile: byProfile(policy, "registration.mode") })]
      : [],
    ...needsTls ? ["the proxy must require TLS 1.2 or newer with the cipher suites of BCP 195"] : [],
  ].join("; ");
}

/** How a client authenticates, with the public secret or key of a demo client. */
function describeAuthentication(
  { client_secret, token_endpoint_auth_method: method, jwks, jwks_uri }: ClientMetadata,
  demoSecret: string | undefined,
  demoKey: object | undefined,
): string {
  if (client_secret !== undefined) return demoSecret === undefined ? method ?? "secret" : `secret ${demoSecret}`;
  if (demoKey !== undefined && jwks !== undefined) return `private_key_jwt with the key ${JSON.stringify(demoKey)}`;
  if (method !== undefined && method !== "none") return method;
  return jwks === undefined && jwks_uri === undefined ? "public" : "private_key_jwt";
}

/** Maximum number of listed clients, and of users. */
const maxListed = 8;

/** The configured entries and the entries that only the store has, with the changes in the store. */
function listEntries(
  configured: readonly (readonly [id: string, about: string | undefined])[],
  { ids, more = 0 }: Pick<StoredEntries, "ids" | "more"> = { ids: [] },
): string {
  const all = [
    ...configured.map(([id, about]) => about === undefined ? id : `${id} (${about})`),
    ...ids.map((id) => `${id} (only in the store)`),
  ];
  if (all.length === 0) return "none";
  const unlisted = all.length + more - maxListed;
  return [...all.slice(0, maxListed), ...unlisted > 0 ? [`and ${unlisted} more`] : []].join(", ");
}

/** What the setting `insecure` accepts, without what is off. */
export function insecureParts({ insecure }: ServerPolicy, inspector: ExposedParts["inspector"]): readonly Insecure[] {
  const isOn = { inspector: inspector === "insecure", "show-secrets": inspector !== "off" };
  return insecure.filter((name) => !Object.hasOwn(isOn, name) || isOn[name as keyof typeof isOn]);
}
