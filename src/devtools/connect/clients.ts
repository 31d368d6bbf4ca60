/** GET and POST /clients and /clients/{id}: the clients, their settings for libraries, and forms that change them. */

import { appOf } from "../../server/app.ts";
import { html, HttpError, type HttpResponse, redirect } from "../../core/http/message.ts";
import type { ClientMetadata, HostedClient } from "../../server/config/client_metadata.ts";
import { assertNoIssues, type ConfigIssue, ConfigurationError } from "../../core/rules/configuration_error.ts";
import { quote, validate } from "../../server/config/config_issue.ts";
import { asServerPolicy } from "../../server/config/server_policy.ts";
import type { Params } from "../../core/http/params.ts";
import { digest } from "../../core/keys/secrets.ts";
import type { HostedServer } from "../../server/hosted_server.ts";
import { isTestUrl } from "../../server/config/host_kinds.ts";
import {
  directoryHandlers,
  type DirectoryOptions,
  idFromPath,
  pageWithForm,
  readJsonField,
  readPage,
  traceChange,
  unknownAction,
} from "./admin_endpoint.ts";
import { describeSnippets } from "./describe_snippets.ts";
import { toListedClient } from "./listed_client.ts";
import { changedEntry, clientVersion, showForm } from "./client_edit.ts";
import { addedMetadata, connectFields, formAuthMethods } from "./client_form.ts";
import { libraries } from "./client_snippets/libraries.ts";
import { clientEntry, configurationFile, findDemoSecret, findGeneratedSecret } from "./configuration_file.ts";
import { showHome } from "./home.ts";
import { decodeRetry, prefilledValues } from "../../server/errors/client_change.ts";
import { redirectWithConfirmation, takeConfirmation } from "../../server/login/confirmation.ts";
import { maxListLength, readProtectedForm } from "../../server/pages/csrf.ts";
import type { Context } from "../../core/http/context.ts";
import type { Handlers } from "../../core/route.ts";
import { renderPage } from "../../core/pages/render_page.ts";
import { type ClientProps, ClientsView, ClientView as ClientPage } from "./pages/clients.tsx";
import { findHostWarning } from "../../server/hosting/other_host.ts";
import { findKnownClient } from "../../server/clients/clients.ts";
import type { FieldError } from "../../server/pages/field.tsx";

/** Maximum number of clients of metadata documents on the page: those that were fetched last. */
const maxListedDocuments = 50;

export function clientListPage(options: DirectoryOptions): Handlers<HostedServer> {
  return directoryHandlers({
    show: showList,
    change: options.edit ? (context) => addClient(context, options) : undefined,
  });
}

async function findClient(context: Context<HostedServer>): Promise<HostedClient> {
  const client = await findKnownClient(context.server.clients, idFromPath(context, "/clients/"));
  if (client !== undefined) return client;
  throw new HttpError(404, "HT-01", "No client has this ID", { fix: "Choose a client of the list at /clients." });
}

export function clientPage(options: DirectoryOptions): Handlers<HostedServer> {
  return directoryHandlers({
    show: async (context) => {
      const client = await findClient(context);
      const edits = isEditable(options, client) && new URLSearchParams(context.target.query).has("edit");
      return edits
        ? await showForm(context, client, { proposal: prefilledValues(context) })
        : await showOne(context, options, client);
    },
    change: options.edit
      ? async (context) => await changeClient(context, options, await findClient(context))
      : undefined,
  });
}

async function showList(context: Context<HostedServer>): Promise<HttpResponse> {
  const { clients } = context.server;
  const { entries, position } = await readPage(context, clients, ({ id }) => id);
  const confirmation = await takeConfirmation(context);
  const page = renderPage(ClientsView, {
    ...context.site,
    clients: entries.map((client) => toListedClient(context, client)),
    documentClients: clients.externalClients().slice(-maxListedDocuments).reverse()
      .map((client) => toListedClient(context, client)),
    position,
    confirmation: confirmation.text,
  });
  return html(200, page, confirmation.headers);
}

/**
 * Responds to a change with the page of the client. On test hosts it is a redirect, and the page shows the secret until
 * the server stops; elsewhere a secret is part of this response alone.
 */
async function showChanged(
  context: Context<HostedServer>,
  options: DirectoryOptions,
  client: HostedClient,
  { done, newSecret, retry, repeats = false, connect }: {
    readonly done: "Added" | "Saved";
    readonly newSecret?: string;
    readonly retry?: string;
    /** Whether the response repeats the request `retry`. Default: the page has a link that does. */
    readonly repeats?: boolean;
    /** The library whose settings the page shows. */
    readonly connect?: string;
  },
): Promise<HttpResponse> {
  if (newSecret !== undefined) {
    if (!context.server.policy.allows.openTools) return await showOne(context, options, client, newSecret);
    options.generatedSecrets.set(client.id, newSecret);
  }
  const repeated = repeats && newSecret === undefined ? await decodeRetry(context, retry) : undefined;
  if (repeated !== undefined) return redirect("POST", repeated);
  const { href } = toListedClient(context, client);
  const query = String(new URLSearchParams({ ...connect && { connect }, ...retry && { retry } }));
  return await redirectWithConfirmation(context, query === "" ? href : `${href}?${query}`, `${done} ${client.id}`);
}

async function showOne(
  context: Context<HostedServer>,
  options: DirectoryOptions,
  client: HostedClient,
  newSecret?: string,
): Promise<HttpResponse> {
  const { autoLogin, recentFlows } = options;
  const edits = isEditable(options, client);
  const generatedSecret = newSecret ?? await findGeneratedSecret(options, client);
  const { site, server } = context;
  const secret = generatedSecret ?? await findDemoSecret(client);
  const props: ClientProps = {
    ...site,
    client: toListedClient(context, client),
    generatedSecret,
    // Without a recorder, no page knows whether the client has sent a request.
    flows: await recentFlows?.(client.id),
    hostWarning: findHostWarning(context),
    lines: edits ? configurationFile({ clients: [clientEntry(client, secret)] }) : undefined,
    isSecretKept: newSecret === undefined,
    retry: await decodeRetry(context, prefilledValues(context).get("retry")),
    checkHref: findCheck(context, client),
    initiateLoginHref: await initiateLoginHref(context, client, autoLogin),
    ...describeSnippets(context, client, { secret }),
  };
  return await pageWithForm(
    context,
    edits && { values: {}, errors: [], isPersistent: server.clients.persists(client.id) },
    (form) => renderPage(ClientPage, { ...props, form }),
    newSecret === undefined ? 200 : 201,
  );
}

/** The page that checks the client, if a plugin has such a page. */
function findCheck(context: Context<HostedServer>, client: HostedClient): string | undefined {
  if (client.standing !== "configured" || !client.redirectUris.some(isTestUrl)) return undefined;
  const href = `${toListedClient(context, client).href}/check`;
  return appOf(context).findEndpoint(href)?.name === "client_check" ? href : undefined;
}

/**
 * The URL that starts a login at a client, with the issuer, its home page and, with automatic login, its user (OpenID
 * Connect Core §4).
 */
async function initiateLoginHref(
  { server }: Context<HostedServer>,
  { metadata: { initiate_login_uri, client_uri, subject_type }, standing }: HostedClient,
  autoLogin: boolean,
): Promise<string | undefined> {
  if (initiate_login_uri === undefined) return undefined;
  const url = new URL(initiate_login_uri);
  url.searchParams.set("iss", server.issuer);
  // The hint is no secret for a client that the operator knows, except if its users have another sub for each sector.
  const user = autoLogin && standing !== "unknown" && subject_type !== "pairwise"
    ? (await server.users.list({ limit: 1 }))[0]
    : undefined;
  if (user !== undefined) url.searchParams.set("login_hint", user.sub);
  // At the origin of the URL: the client must not redirect elsewhere.
  if (client_uri !== undefined && new URL(client_uri).origin === url.origin) {
    url.searchParams.set("target_link_uri", client_uri);
  }
  return url.href;
}

async function addClient(context: Context<HostedServer>, options: DirectoryOptions): Promise<HttpResponse> {
  const { server } = context;
  const params = await readProtectedForm(context);
  const library = libraries.find((one) => one.library === params.get("library"));
  const metadata = addedMetadata(server, params, library);
  const shown = { done: "Added", retry: params.get("retry"), connect: library?.name } as const;
  const existing = await server.clients.registered.find(metadata.client_id);
  // A double click sends the form twice, and the browser shows the second response. Its page still has the secret.
  if (server.policy.allows.openTools && existing !== undefined && await isSame(existing, metadata, params)) {
    return await showChanged(context, options, existing, shown);
  }
  const issues = [
    ...invalidAuthMethod(server, params.get("token_endpoint_auth_method")),
    ...existing === undefined ? [] : [clientIdTaken(metadata.client_id)],
    ...server.store.persistent || await server.clients.count() < maxListLength ? [] : [tooManyClients],
  ];
  const reject = (rejected: readonly ConfigIssue[]) => {
    const repeated = connectFields.filter((name) => name !== "client_secret");
    const values = Object.fromEntries(repeated.map((name) => [name, params.get(name) ?? ""]));
    return showHome(context, options, options.recentFlows, { values, errors: rejected.map(toFieldError) });
  };
  if (issues.length > 0) return await reject(issues);
  try {
    const added = await server.clients.set(metadata);
    traceChange(context, `added client ${added.id}`);
    return await showChanged(context, options, added, {
      ...shown,
      // The application has its own secret already.
      newSecret: params.get("client_secret") ? undefined : metadata.client_secret,
    });
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return await reject(error.issues);
  }
}

/** Whether a client has the metadata and secret of the form. An empty secret is not compared: it is generated. */
async function isSame(
  { metadata, secretDigest }: HostedClient,
  added: ClientMetadata,
  params: Params,
): Promise<boolean> {
  const names = Object.keys({ ...metadata, ...added }).filter((name) => name !== "client_secret");
  const membersOf = (of: object) => JSON.stringify(names.map((name) => of[name as keyof typeof of]));
  const typed = params.get("client_secret") ?? "";
  return membersOf(metadata) === membersOf(added) && (typed === "" || await secretDigest === await digest(typed));
}

/** The issue of a method that the form does not offer; an empty one is what the library needs. */
function invalidAuthMethod(server: HostedServer, method = ""): ConfigIssue[] {
  const offered = ["", ...formAuthMethods(server)];
  if (offered.includes(method)) return [];
  return [{
    path: "token_endpoint_auth_method",
    expected: `one of ${offered.map(quote).join(", ")}`,
    received: quote(method),
    hint: "Choose one of these values. The page of the client has all others.",
  }];
}

const tooManyClients: ConfigIssue = {
  path: "client_id",
  expected: `at most ${maxListLength} clients`,
  received: `${maxListLength + 1} clients`,
  hint: "Remove a client first.",
};

function clientIdTaken(id: string): ConfigIssue {
  return {
    path: "client_id",
    expected: "an ID that no other client has",
    received: quote(id),
    hint: "Choose another ID, or remove that client first.",
  };
}

/** `redirect_uris[1]` is the second line of the field `redirect_uris`; `jwks.keys` is in the field `jwks`. */
function toFieldError({ path, ...issue }: ConfigIssue): FieldError {
  return { field: path.split(/[.[]/, 1)[0]!, ...issue };
}

/** Whether visitors may change a client. A metadata document is changed by its client alone. */
function isEditable({ edit }: DirectoryOptions, { document }: HostedClient): boolean {
  return edit && document === undefined;
}

async function changeClient(
  context: Context<HostedServer>,
  options: DirectoryOptions,
  client: HostedClient,
): Promise<HttpResponse> {
  const { server, site } = context;
  const params = await readProtectedForm(context);
  const action = params.get("action");
  if (action === "remove") {
    await server.clients.registered.delete(client.id);
    traceChange(context, `removed client ${client.id}`);
    return await redirectWithConfirmation(context, `${site.base}/clients`, `Removed ${client.id}`);
  }
  if (action !== "save" && action !== "add") throw unknownAction("add, save or remove", action);
  if (!isEditable(options, client)) {
    const fix = "Change the metadata document at its client_id; this server fetches it again.";
    throw new HttpError(404, "HT-01", "No registered client has this ID", { fix });
  }
  return await saveClient(context, options, client, params);
}

/** Saves the metadata of a form, unless the form is older than the client. */
async function saveClient(
  context: Context<HostedServer>,
  options: DirectoryOptions,
  client: HostedClient,
  params: Params,
): Promise<HttpResponse> {
  const { server } = context;
  const read = readJsonField("metadata", params.get("metadata") ?? "{}", {
    client_id: "Remove client_id: it never changes.",
    client_secret: "Remove client_secret. The form can replace it with a new one.",
  });
  if ("error" in read) return await showForm(context, client, { errors: [read.error], typed: params });
  const metadata: ClientMetadata = { client_id: client.id, ...read.object };
  const repeats = params.get("action") === "add";
  const shown = { done: "Saved", retry: params.get("retry"), repeats } as const;
  let newSecret: string | undefined;
  try {
    assertNoIssues(validate(asServerPolicy(server.policy).clientField, metadata));
    const changed = await server.clients.update(client.id, async (current) => {
      if (params.get("version") !== await clientVersion(server, current)) return undefined;
      const entry = await changedEntry(server, current, metadata, params.get("new_secret") !== undefined);
      newSecret = entry.client_secret === current.assertionSecret ? undefined : entry.client_secret;
      return entry;
    });
    if (changed !== undefined) {
      traceChange(context, `changed client ${changed.id}`);
      return await showChanged(context, options, changed, { ...shown, newSecret });
    }
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const errors = error.issues.map(({ path, expected, ...issue }) => ({
      field: "metadata",
      expected: `${expected} in ${path}`,
      ...issue,
    }));
    return await showForm(context, client, { errors, typed: params });
  }
  const current = await findClient(context);
  // A double click sends the form twice, and the browser shows the second response.
  if (JSON.stringify(current.metadata) === JSON.stringify(metadata)) {
    return await showChanged(context, options, current, shown);
  }
  return await showForm(context, current, { typed: params, isOlder: true });
}
