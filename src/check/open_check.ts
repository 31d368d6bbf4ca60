/** Opens the check of a client of a running server: a mock that takes the place of the server meanwhile. */

import type { App } from "../server/app.ts";
import type { LatchkeyOptions, Plugin } from "../server/hosting/options.ts";
import type { Extension } from "../server/config/extension.ts";
import { clientSecretWord, shellWord } from "../platform/shell_word.ts";
import { extensionFields } from "../server/extensions/settings.ts";
import type { RequestHandler } from "../core/http/router.ts";
import type { User } from "../core/clients/client.ts";
import type { ClientEntry, HostedClient } from "../server/config/client_metadata.ts";
import { assertNoIssues } from "../core/rules/configuration_error.ts";
import { validate } from "../server/config/config_issue.ts";
import { demoUsers } from "../server/config/demo_entries.ts";
import { settingFields } from "../server/config/settings.ts";
import { revokeGrant } from "../core/store/grant.ts";
import { createKey, type Keys, type Signer } from "../core/keys/keys.ts";
import type { KeySource } from "../server/hosting/key_source.ts";
import type { HostedServer } from "../server/hosted_server.ts";
import { isTestHost } from "../core/http/test_hosts.ts";
import { isTestUrl } from "../server/config/host_kinds.ts";
import type { Fetch } from "../testing/fetch.ts";
import { type TestLatchkey, testLatchkey } from "../testing/test_latchkey.ts";

import type { ClientDriver } from "./driver.ts";
import { checkClient } from "./check_client.ts";
import { clientCheckField, clientIssues, nameIssues, notTestHost, urlIssues } from "./check_issues.ts";
import type { CheckOptions, ClientCheckOptions, OperatorOptions } from "./check_options.ts";
import type { CheckReport } from "./report.ts";
import { resourceApplication } from "./resource_application.ts";
import { singlePageApplication } from "./single_page_application.ts";
import { webApplication, type WebApplicationOptions } from "./web_application.ts";
import { safeFetch } from "../platform/runtime/safe_fetch.ts";

/** What a check needs of the running server. */
export interface CheckedServer {
  readonly app: App;
  readonly settings: LatchkeyOptions;
  /** The issuer that the client is configured with. */
  readonly issuer: string;
  /** Whether other machines reach it. */
  readonly exposed: boolean;
  /** The command that starts the program in a shell. */
  readonly program: string;
  /** The options of the command. Absent: a visitor of a page or an agent started the check. */
  readonly operator?: OperatorOptions;
}

export interface OpenCheck {
  /** Handles the protocol requests during the check. */
  readonly dispatch: RequestHandler;
  /**
   * Lets a client that registered itself at the server take part, if it belongs to the application.
   *
   * @returns Whether it does.
   */
  adopt(client: HostedClient): Promise<boolean>;
  perform(options: Pick<CheckOptions, "signal" | "onResult">): Promise<CheckReport>;
  /** Closes the private mock. */
  close(): Promise<void>;
}

/** Users of the server that the private mock knows. */
const maxUsers = 10;

/** How long a login may take, in milliseconds. */
const loginMs = 10_000;

/**
 * The settings that the private mock does not take from the server: each has another value there, or no meaning. The
 * browser of the check knows the mock by its issuer alone, so `frontChannelUrl` would lead it away.
 */
const ownSettings = [
  "issuer",
  "issuerHosts",
  "frontChannelUrl",
  "trustProxy",
  "proxyHeader",
  "clients",
  "users",
  "login",
];

/**
 * Opens a check.
 *
 * @throws {ConfigurationError} If an option is invalid.
 */
export async function openCheck(checked: CheckedServer, options: ClientCheckOptions): Promise<OpenCheck> {
  const { app: { server }, operator } = checked;
  if (operator !== undefined) {
    assertNoIssues(nameIssues(options));
    const { settings: { clients = [] } } = checked;
    const { recorder: { handle, onPassed, onEvent }, onResult: _, tokenIn, openContext, ...checkOptions } = operator;
    // No `setup`: the recorder belongs to the server.
    return checkIn(
      await openMock(checked, clients, [{ handle, onPassed, onEvent }]),
      { ...options, tokenIn, openContext },
      checkOptions,
    );
  }
  assertNoIssues(validate(clientCheckField, options));
  const origins = checked.exposed ? fixedOrigins(checked, options.client) : undefined;
  const client = await server.clients.registered.find(options.client);
  assertNoIssues([
    ...server.policy.allows.openTools ? [] : [notTestHost(server.issuer)],
    ...clientIssues(options.client, client),
    ...urlIssues(options, origins),
    ...nameIssues(options),
  ]);
  const redirectUris = checkedRedirectUris(client!, options.loginUrl);
  const mock = await openMock(checked, [await entryOf(client!, redirectUris)]);
  const repeat = await repetition(checked, options, client!, redirectUris[0]);
  const { issuer, app: { site, developerPages: { rulesPath } } } = checked;
  const rulesUrl = rulesPath && new URL(issuer).origin + site.base + rulesPath;
  // A name of the local network may stand for the metadata service of a cloud provider.
  const fetch = within(origins, safeFetch({ allows: isTestHost }) as Fetch);
  return checkIn(mock, options, { timeoutMs: loginMs, repeat, rulesUrl }, fetch);
}

/** Prepares a check in a mock. `fetch` sends the requests to the application. Default: that of the driver. */
function checkIn(
  { as, dispatch }: Mock,
  { client: _, loginUrl, only, except, ...application }:
    & ClientCheckOptions
    & Pick<OperatorOptions, "tokenIn" | "openContext">,
  options: CheckOptions,
  fetch?: Fetch,
): OpenCheck {
  const { origin } = new URL(loginUrl);
  const adopted = new Set<string>();
  return {
    dispatch,
    async adopt(client) {
      const own = client.redirectUris.filter((uri) => isTestUrl(uri) && new URL(uri).origin === origin);
      if (client.standing === "configured" || own.length === 0) return false;
      if (!adopted.has(client.id)) await as.clients.set(await entryOf(client, own));
      adopted.add(client.id);
      return true;
    },
    perform: async (running) =>
      await checkClient(await applicationDriver(as, loginUrl, { ...application, fetch }), {
        ...{ ...options, as, only, except, inProcess: false },
        ...running,
      }),
    // A fault of the last attack may not have fired.
    close: () => as.close().catch(() => {}),
  };
}

/** The command that repeats one attack of a check that a page or a program started. */
async function repetition(
  { app: { server }, issuer, program }: CheckedServer,
  { loginUrl, loggedInUrl, loggedInText, refreshUrl, apiUrl, logoutUrl }: ClientCheckOptions,
  client: HostedClient,
  redirectUri = "",
): Promise<(attackId: string) => string> {
  const defaultUser = (await server.users.list({ limit: 1 }))[0];
  const flags = {
    "--issuer": issuer,
    "--client-id": client.id,
    "--redirect-uri": redirectUri,
    "--logged-in-url": loggedInUrl,
    "--logged-in-text": loggedInText,
    "--refresh-url": refreshUrl,
    "--api-url": apiUrl,
    "--logout-url": logoutUrl,
    // A server without a file has these users, the first as the default.
    "--user": demoUsers.slice(1).find(({ sub }) => sub === defaultUser?.sub)?.sub,
  };
  const given = Object.entries(flags).flatMap(([flag, value]) => value === undefined ? [] : [flag, value]);
  const secret = client.secretDigest === undefined ? "" : ` --client-secret ${clientSecretWord}`;
  const command = [program, "check", ...[loginUrl, ...given].map(shellWord)].join(" ") + secret;
  return (attackId) => `${command} --only ${attackId}`;
}

interface Mock {
  readonly as: TestLatchkey;
  readonly dispatch: RequestHandler;
}

/** Creates the mock. An application sees the same issuer, keys, settings and users; records are not shared. */
async function openMock(
  { app: { server }, settings, issuer }: CheckedServer,
  clients: readonly ClientEntry[] | "any",
  plugins: readonly Plugin[] = [],
): Promise<Mock> {
  const names = Object.keys({ ...settingFields, ...extensionFields }).filter((name) => !ownSettings.includes(name));
  const given = settings as Readonly<Record<string, unknown>>;
  const users = await server.users.list({ limit: maxUsers });
  let app: App | undefined;
  const as = await testLatchkey({
    unknownLoginHint: "default",
    ...Object.fromEntries(names.flatMap((name) => given[name] === undefined ? [] : [[name, given[name]]])),
    // Those of a server are whole extensions, not only their settings.
    extensions: server.policy.extensions as readonly Extension[],
    // Those of hosted resources are not among the options.
    scopes: settings.scopes === "any" ? "any" : server.policy.scopes,
    grantTypes: settings.grantTypes,
    ...users.length > 0 && { users: users as readonly User[] },
    ...{ issuer, login: "auto", now: server.now, outbound: server.fetching.send, keySource: keysOf(server.keys) },
    ...clients === "any" && { clients },
    plugins: [...plugins, {
      setup: (assembled) => void (app = assembled),
      onEvent(event) {
        if (event.type === "tokens_issued") revokeAtServer(server, event.grantId, event.at);
      },
    }],
  });
  for (const client of clients === "any" ? [] : clients) await as.clients.set(client);
  return { as, dispatch: app!.dispatch };
}

/**
 * Revokes tokens of the check at the server, which signs with the same key: immediately, because the process may
 * end before the check does.
 *
 * @param issuedAt By the clock of the check, which may be ahead, in milliseconds since the epoch.
 */
function revokeAtServer(server: HostedServer, grantId: string, issuedAt: number): void {
  const quiet: HostedServer = { ...server, trace: () => {} };
  const { access_token, id_token } = server.policy.lifetimes;
  const validUntil = issuedAt + Math.max(access_token, id_token) * 1000;
  revokeGrant(quiet, grantId, "issued in a check", validUntil).catch((cause) => {
    server.trace({ type: "internal_error", at: server.now(), endpoint: "check", cause });
  });
}

/**
 * The redirect URIs on test hosts: the check requests them, and another one may be of a real application. Those at the
 * origin of the login come first.
 */
function checkedRedirectUris({ redirectUris }: HostedClient, loginUrl: string): string[] {
  const isAtLogin = (uri: string) => new URL(uri).origin === new URL(loginUrl).origin;
  const local = redirectUris.filter(isTestUrl);
  return [...local.filter(isAtLogin), ...local.filter((uri) => !isAtLogin(uri))];
}

/** URIs of a client that the check may call. */
const calledUris = ["backchannel_logout_uri", "frontchannel_logout_uri", "initiate_login_uri"] as const;

/** The client as a store keeps it, with these redirect URIs, and of the URIs to call those on test hosts. */
async function entryOf(
  { metadata, assertionSecret, secretDigest }: HostedClient,
  redirect_uris: readonly string[],
): Promise<ClientEntry> {
  const { client_secret: _, ...other } = metadata;
  const onOtherHosts = calledUris.flatMap((name) => other[name] === undefined || isTestUrl(other[name]) ? [] : [name]);
  const publicMetadata = {
    ...other,
    redirect_uris,
    ...Object.fromEntries(onOtherHosts.map((name) => [name, undefined])),
  };
  if (assertionSecret !== undefined) return { ...publicMetadata, client_secret: assertionSecret };
  const client_secret_digest = await secretDigest;
  return { ...publicMetadata, ...client_secret_digest !== undefined && { client_secret_digest } };
}

/** The first key of each algorithm is the one with which the server signs, because clients keep keys. */
function keysOf(keys: Keys): KeySource {
  const signers = new Map<string, Signer>();
  return {
    async create(alg, number) {
      // To request the signer of an unused algorithm would create a key on the server.
      const published = (await keys.publishedKeys([])).filter((key) => key.alg === alg);
      if (number > 0 || published.length === 0) return await createKey(alg);
      const signer = await keys.signer(alg);
      signers.set(signer.kid, signer);
      const { kid, alg: _, use: __, ...jwk } = published.find((key) => key.kid === signer.kid)!;
      return { kid, jwk: jwk as Readonly<Record<string, string>> };
    },
    signFunction: (_, { kid }) => signers.get(kid)?.sign,
  };
}

/** The origins that no visitor can change: those of the issuer, and of the redirect URIs in the options. */
function fixedOrigins({ settings: { clients }, issuer }: CheckedServer, id: string): ReadonlySet<string> {
  const entry = Array.isArray(clients) ? clients.find(({ client_id }) => client_id === id) : undefined;
  const uris: readonly string[] = entry?.redirect_uris ?? [];
  return new Set([issuer, ...uris.filter(isTestUrl)].map((url) => new URL(url).origin));
}

/** Sends requests to these origins only, also those of a redirect. The report shows the text of another response. */
function within(origins: ReadonlySet<string> | undefined, fetch: Fetch): Fetch {
  if (origins === undefined) return fetch;
  return async (url, init) => {
    const { origin } = new URL(url as string | URL);
    if (origins.has(origin)) return await fetch(url, init);
    const text = `Not sent: expected a URL at ${[...origins].join(" or ")}, received one at ${origin}`;
    return new Response(text, { status: 403, headers: { "content-type": "text/plain" } });
  };
}

/**
 * Creates the driver of an application that has this server as its issuer: a resource server if `tokenIn` says where it
 * takes access tokens, a single-page application if `openContext` opens a browser, otherwise a web application.
 *
 * @param server Its first user logs in, to its first client.
 * @param options Options of {@link webApplication}.
 */
export async function applicationDriver(
  as: Pick<TestLatchkey, "users" | "clients">,
  loginUrl: string,
  { tokenIn, openContext, ...given }:
    & Omit<WebApplicationOptions, "users" | "client">
    & Pick<OperatorOptions, "tokenIn" | "openContext">,
): Promise<ClientDriver> {
  const options = { ...given, users: await as.users.list() };
  if (tokenIn !== undefined) return resourceApplication(loginUrl, { ...options, tokenIn });
  if (openContext !== undefined) return singlePageApplication(loginUrl, { ...options, openContext });
  const [client, ...otherClients] = await as.clients.list({ limit: 2 });
  const isOnly = otherClients.length === 0;
  return webApplication(loginUrl, { ...options, client: isOnly ? client?.metadata : undefined });
}
