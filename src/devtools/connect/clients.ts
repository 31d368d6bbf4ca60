/** GET and POST /clients and /clients/{id}: the clients, their settings for libraries, and forms that change them. */

import { HttpError, type HttpResponse } from "../../platform/http/message.ts";
import type { ClientMetadata } from "../../server/oauth/clients/client.ts";
import type { Client } from "../../server/oauth/clients/repository.ts";
import { type ConfigIssue, ConfigurationError, quote } from "../../server/config/config_issue.ts";
import type { Params } from "../../server/oauth/params.ts";
import { digest, randomToken } from "../../server/oauth/secrets.ts";
import { isTestUrl } from "../../server/oauth/test_hosts.ts";
import { directoryHandlers, idFromPath, pageWithForm, readPage, unknownAction } from "./admin_endpoint.ts";
import type { DirectoryOptions } from "./admin_endpoint.ts";
import { describeSnippets } from "./describe_snippets.ts";
import { toListedClient } from "./listed_client.ts";
import { clientVersion, showForm } from "./client_edit.ts";
import { changedEntry, differingFields, metadataFromForm } from "./client_form.ts";
import { changeExclusively, removeRecord } from "./exclusive_change.ts";
import { decodeRetry, prefilledValues } from "../../server/endpoints/shared/client_change.ts";
import { redirectWithConfirmation } from "../../server/endpoints/shared/confirmation.ts";
import { maxListLength, readProtectedForm } from "../../server/endpoints/shared/csrf.ts";
import type { Context } from "../../server/assembly/context.ts";
import type { Handlers } from "../../server/assembly/route.ts";
import type { ClientProps, ClientsProps } from "./pages/clients.tsx";
import type { FieldError } from "../../server/pages/field.tsx";

/** Maximum number of clients of metadata documents on the page: those that were fetched last. */
const maxListedDocuments = 50;

export function clientListPage(options: DirectoryOptions): Handlers {
  return directoryHandlers({
    show: (context) => showList(context, options, proposedValues(context), []),
    change: options.edit ? (context) => addClient(context, options) : undefined,
  });
}

async function findClient(context: Context): Promise<Client> {
  const { clients } = context.server;
  const id = idFromPath(context, "/clients/");
  // Looking at a page fetches no metadata document.
  const client = await clients.registered.find(id) ?? clients.findCached(id);
  if (client !== undefined) return client;
  throw new HttpError(404, "HT-01", "No client has this ID", { fix: "Choose a client of the list at /clients." });
}

export function clientPage(options: DirectoryOptions): Handlers {
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

/** The values of the form that adds a client, from the link of a rejected request. */
function proposedValues(context: Context): Readonly<Record<string, string>> {
  const proposal = prefilledValues(context);
  return Object.fromEntries(
    addedFields.flatMap((name) => {
      const value = proposal.get(name);
      const isChoice = name !== "token_endpoint_auth_method" || formAuthChoices.includes(value ?? "");
      return value === null || !isChoice ? [] : [[name, value]];
    }),
  );
}

async function showList(
  context: Context,
  { edit }: DirectoryOptions,
  values: Readonly<Record<string, string>>,
  errors: readonly FieldError[],
): Promise<HttpResponse> {
  const { clients } = context.server;
  const { entries, position } = await readPage(context, clients, ({ id }) => id);
  const props: ClientsProps = {
    ...context.site,
    clients: entries.map((client) => toListedClient(context, client)),
    documentClients: clients.externalClients().slice(-maxListedDocuments).reverse()
      .map((client) => toListedClient(context, client)),
    position,
  };
  return await pageWithForm(
    context,
    edit && offersFormMethod(context) && { values, errors, isPersistent: clients.isPersistent },
    (pages, form) => pages.clients({ ...props, form }),
  );
}

/** Whether the form can add a client that the server accepts: it knows no method with a key. */
function offersFormMethod({ server }: Context): boolean {
  return formAuthMethods.some((method) => server.settings.clientAuthMethods.includes(method));
}

/**
 * Responds to a change with the page of the client. On test hosts it is a redirect, and the page shows the secret until
 * the server stops; elsewhere a secret is part of this response alone.
 */
async function showChanged(
  context: Context,
  options: DirectoryOptions,
  client: Client,
  { done, newSecret, retry }: {
    readonly done: "Added" | "Saved";
    readonly newSecret: string | undefined;
    readonly retry: string | undefined;
  },
): Promise<HttpResponse> {
  if (newSecret !== undefined) {
    if (!context.server.settings.allows.openTools) return await showOne(context, options, client, newSecret);
    options.generatedSecrets.set(client.id, newSecret);
  }
  const { href } = toListedClient(context, client);
  const query = retry ? `?${new URLSearchParams({ retry })}` : "";
  return await redirectWithConfirmation(context, href + query, `${done} ${client.id}`);
}

/** The secret that a form generated for the client, if it is kept and the client still has it. */
async function findGeneratedSecret(
  { generatedSecrets }: DirectoryOptions,
  client: Client,
): Promise<string | undefined> {
  const secret = generatedSecrets.get(client.id);
  return secret !== undefined && await client.secretDigest === await digest(secret) ? secret : undefined;
}

async function showOne(
  context: Context,
  options: DirectoryOptions,
  client: Client,
  newSecret?: string,
): Promise<HttpResponse> {
  const { edit, autoLogin } = options;
  const generatedSecret = newSecret ?? await findGeneratedSecret(options, client);
  const props: ClientProps = {
    ...context.site,
    client: toListedClient(context, client),
    generatedSecret,
    isSecretKept: newSecret === undefined,
    retry: await decodeRetry(context, prefilledValues(context).get("retry")),
    checkHref: findCheck(context, client),
    initiateLoginHref: await initiateLoginHref(context, client, autoLogin),
    ...await describeSnippets(context, client, { secret: generatedSecret, autoLogin }),
  };
  return await pageWithForm(
    context,
    edit && client.document === undefined &&
      { values: {}, errors: [], isPersistent: context.server.clients.isPersistent },
    (pages, form) => pages.client({ ...props, form }),
    newSecret === undefined ? 200 : 201,
  );
}

/** The page that checks the client, if a plugin has such a page. */
function findCheck(context: Context, client: Client): string | undefined {
  if (client.standing !== "configured" || !client.redirectUris.some(isTestUrl)) return undefined;
  const href = `${toListedClient(context, client).href}/check`;
  return context.app.findEndpoint(href)?.name === "client_check" ? href : undefined;
}

/**
 * The URL that starts a login at a client, with the issuer, its home page and, with automatic login, its user (OpenID
 * Connect Core §4).
 */
async function initiateLoginHref(
  { server }: Context,
  { metadata: { initiate_login_uri, client_uri, subject_type }, standing }: Client,
  autoLogin: boolean,
): Promise<string | undefined> {
  if (initiate_login_uri === undefined) return undefined;
  const url = new URL(initiate_login_uri);
  url.searchParams.set("iss", server.issuer);
  // The hint is no secret for a client that the operator knows, except if its users have another sub for each sector.
  const user = autoLogin && standing !== "unknown" && subject_type !== "pairwise"
    ? await server.users.first()
    : undefined;
  if (user !== undefined) url.searchParams.set("login_hint", user.sub);
  // At the origin of the URL: the client must not redirect elsewhere.
  if (client_uri !== undefined && new URL(client_uri).origin === url.origin) {
    url.searchParams.set("target_link_uri", client_uri);
  }
  return url.href;
}

/** The fields of the form that adds a client and that pages repeat: not the secret. `retry` is hidden. */
const addedFields = ["client_id", "client_name", "redirect_uris", "token_endpoint_auth_method", "retry"];

async function addClient(context: Context, options: DirectoryOptions): Promise<HttpResponse> {
  const { server } = context;
  const params = await readProtectedForm(context);
  const values = Object.fromEntries(addedFields.map((name) => [name, params.get(name) ?? ""]));
  const ownSecret = params.get("client_secret");
  const requested = values.token_endpoint_auth_method!;
  // A link proposes a public client; with a secret it is confidential, and may send it by either method.
  const choice = requested === "none" && ownSecret !== undefined ? anySecretMethod : requested;
  const secret = choice === "none" ? undefined : ownSecret ?? randomToken(server.randomBytes);
  const metadata = newMetadata(params, choice, secret);
  const existing = await server.clients.registered.find(metadata.client_id);
  // A double click sends the form twice, and the browser shows the second response. Its page still has the secret.
  if (server.settings.allows.openTools && existing !== undefined && isSame(existing.metadata, metadata)) {
    return await showChanged(context, options, existing, { done: "Added", newSecret: undefined, retry: values.retry });
  }
  const issues = [
    ...formAuthChoices.includes(choice) ? [] : [invalidAuthMethod(choice)],
    ...existing === undefined ? [] : [clientIdTaken(metadata.client_id)],
    ...server.clients.isPersistent || await server.clients.count() < maxListLength ? [] : [tooManyClients],
  ];
  if (issues.length > 0) return await showIssues(context, options, values, issues);
  try {
    return await showChanged(context, options, await server.clients.set(metadata), {
      ...{ done: "Added", newSecret: ownSecret === undefined ? secret : undefined, retry: values.retry },
    });
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return await showIssues(context, options, values, error.issues);
  }
}

/** Whether the form would add what a client has. A secret is new each time. */
function isSame(registered: ClientMetadata, added: ClientMetadata): boolean {
  const names = Object.keys({ ...registered, ...added }).filter((name) => name !== "client_secret");
  const membersOf = (metadata: object) => JSON.stringify(names.map((name) => metadata[name as keyof typeof metadata]));
  return membersOf(registered) === membersOf(added);
}

/** Traces the issues of a form. */
function traceIssues({ server }: Context, effect: string, issues: readonly ConfigIssue[]): void {
  for (const { path, expected, received, hint: fix } of issues) {
    const reason = `${effect}: ${path} is invalid`;
    server.trace({ type: "warning", at: server.now(), explanation: { reason, expected, received, fix } });
  }
}

/** Shows the form with its issues, and traces each. */
function showIssues(
  context: Context,
  options: DirectoryOptions,
  values: Readonly<Record<string, string>>,
  issues: readonly ConfigIssue[],
): Promise<HttpResponse> {
  traceIssues(context, "the form at /clients adds no client", issues);
  return showList(context, options, values, issues.map(toFieldError));
}

/** The authentication methods that the form supports. */
const formAuthMethods = ["none", "client_secret_basic", "client_secret_post"] as const;

/** The choices of the form: one method, or both methods that send a secret; for both, the metadata names no method. */
const anySecretMethod = "client_secret_basic client_secret_post";
const formAuthChoices: readonly string[] = [...formAuthMethods, anySecretMethod];

/** The form that adds a client as client metadata (RFC 7591 §2), not yet validated. */
function newMetadata(params: Params, choice: string, secret: string | undefined): ClientMetadata {
  return {
    client_id: params.get("client_id") ?? "",
    client_name: params.get("client_name"),
    redirect_uris: (params.get("redirect_uris") ?? "").split(/\s+/).filter((uri) => uri !== ""),
    token_endpoint_auth_method: formAuthMethods.find((method) => method === choice),
    client_secret: secret,
    grant_types: ["authorization_code", "refresh_token", ...secret === undefined ? [] : ["client_credentials"]],
  };
}

function invalidAuthMethod(received: string): ConfigIssue {
  return {
    path: "token_endpoint_auth_method",
    expected: `one of ${formAuthChoices.map(quote).join(", ")}`,
    received: quote(received),
    hint: "Choose one of these values.",
  };
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
function isEditable({ edit }: DirectoryOptions, { document }: Client): boolean {
  return edit && document === undefined;
}

async function changeClient(context: Context, options: DirectoryOptions, client: Client): Promise<HttpResponse> {
  const { server, site } = context;
  const params = await readProtectedForm(context);
  const action = params.get("action");
  if (action === "remove") {
    await removeRecord(server, "client", client.id);
    return await redirectWithConfirmation(context, `${site.base}/clients`, `Removed ${client.id}`);
  }
  if (action !== "save") throw unknownAction("save or remove", action);
  if (!isEditable(options, client)) {
    const fix = "Change the metadata document at its client_id; this server fetches it again.";
    throw new HttpError(404, "HT-01", "No registered client has this ID", { fix });
  }
  const saved = await changeExclusively(server, "client", client.id, async () => {
    const current = await server.clients.registered.reload(client.id);
    if (current === undefined) return undefined;
    if (params.get("version") === await clientVersion(server, current)) {
      return await saveClient(context, options, current, params);
    }
    // A double click sends the form twice, and the browser shows the second response.
    if (differingFields(current.metadata, params).length > 0) return undefined;
    return await showChanged(context, options, current, {
      ...{ done: "Saved", newSecret: undefined, retry: params.get("retry") },
    });
  });
  if (saved !== undefined) return saved;
  await server.clients.registered.reload(client.id);
  return await showForm(context, await findClient(context), { older: params });
}

/** Saves a form that is not older than the client. */
async function saveClient(
  context: Context,
  options: DirectoryOptions,
  client: Client,
  params: Params,
): Promise<HttpResponse> {
  const { server } = context;
  const { metadata, errors } = metadataFromForm(client.metadata, params);
  if (errors.length > 0) return await showForm(context, client, { errors, typed: params });
  const entry = await changedEntry(server, client, metadata, params.get("new_secret") !== undefined);
  try {
    const changed = await server.clients.set(entry);
    const newSecret = entry.client_secret === client.assertionSecret ? undefined : entry.client_secret;
    return await showChanged(context, options, changed, { done: "Saved", newSecret, retry: params.get("retry") });
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    traceIssues(context, `the form at /clients does not change ${client.id}`, error.issues);
    return await showForm(context, client, { errors: error.issues.map(toFieldError), typed: params });
  }
}
