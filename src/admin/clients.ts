/** GET and POST /clients and /clients/{id}: the clients, their settings for libraries, and forms that change them. */

import { HttpError } from "../http/http_error.ts";
import type { HttpResponse } from "../http/message.ts";
import { redirect } from "../http/responses.ts";
import type { ClientAuthMethod, ClientMetadata } from "../oauth/clients/client.ts";
import type { Client } from "../oauth/clients/repository.ts";
import { quote } from "../oauth/config/config_issue.ts";
import type { ConfigIssue } from "../oauth/config/config_issue.ts";
import type { Params } from "../oauth/params.ts";
import { digest, randomToken } from "../oauth/secrets.ts";
import { demoSecret } from "../oauth/config/settings.ts";
import { ConfigurationError } from "../oauth/config/configuration_error.ts";
import { directoryHandlers, idFromPath, pageWithForm, readPage } from "./admin_endpoint.ts";
import type { DirectoryOptions } from "./admin_endpoint.ts";
import { maxListLength, readProtectedForm } from "../app/csrf.ts";
import type { Context } from "../app/context.ts";
import { endpointUrl } from "../app/endpoint.ts";
import type { Handlers } from "../app/route.ts";
import type { ClientProps, ClientsProps, ListedClient } from "../ui/clients.tsx";
import type { FieldError } from "../ui/field.tsx";

/** Maximum number of clients of metadata documents on the page: those that were fetched last. */
const maxListedDocuments = 50;

/** The list. */
export function clientListPage(options: DirectoryOptions): Handlers {
  return directoryHandlers({
    show: (context) => showList(context, options, {}, []),
    change: options.edit ? (context) => addClient(context, options) : undefined,
  });
}

/** The page of each client. */
export function clientPage(options: DirectoryOptions): Handlers {
  const findClient = async (context: Context): Promise<Client> => {
    const { clients } = context.server;
    const id = idFromPath(context, "/clients/");
    // Looking at a page fetches no metadata document.
    const client = await clients.registered.find(id) ?? clients.findCached(id);
    if (client === undefined) throw new HttpError(404, "HT-01", "No client has this ID");
    return client;
  };
  return directoryHandlers({
    show: async (context) => await showOne(context, options, await findClient(context)),
    change: options.edit ? async (context) => await removeClient(context, await findClient(context)) : undefined,
  });
}

/** A client for pages. */
export function toListedClient({ site }: Context, client: Client): ListedClient {
  const { id, name, authMethods, redirectUris, postLogoutRedirectUris, grantTypes, scope, document, registration } =
    client;
  const href = `${site.base}/clients/${encodeURIComponent(id)}`;
  const registeredItselfAt = registration?.issuedAt;
  return {
    ...{ id, name, href, authMethods, redirectUris, postLogoutRedirectUris, grantTypes, scope, document },
    registeredItselfAt,
  };
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
    documentClients: clients.documentClients().slice(-maxListedDocuments).reverse()
      .map((client) => toListedClient(context, client)),
    position,
  };
  return await pageWithForm(
    context,
    edit && { values, errors, isPersistent: clients.isPersistent },
    (pages, form) => pages.clients({ ...props, form }),
  );
}

async function showOne(
  context: Context,
  { edit, autoLogin }: DirectoryOptions,
  client: Client,
  newSecret?: string,
): Promise<HttpResponse> {
  const { app, server, site } = context;
  const urls = {
    issuer: server.issuer,
    authorize: endpointUrl(app, "authorize"),
    token: endpointUrl(app, "token"),
  };
  const isDemo = await client.secretDigest === await digest(demoSecret);
  const secret = newSecret ?? (isDemo ? demoSecret : "THE_CLIENT_SECRET");
  const { clientSnippets } = await import("./client_snippets/mod.ts");
  const props: ClientProps = {
    ...site,
    client: toListedClient(context, client),
    newSecret,
    snippets: clientSnippets(urls, client, { secret, autoLogin }),
  };
  return await pageWithForm(
    context,
    edit && client.document === undefined && { values: {}, errors: [], isPersistent: server.clients.isPersistent },
    (pages, form) => pages.client({ ...props, form }),
    newSecret === undefined ? 200 : 201,
  );
}

async function addClient(context: Context, options: DirectoryOptions): Promise<HttpResponse> {
  const { server } = context;
  const params = await readProtectedForm(context);
  const values = Object.fromEntries(
    ["client_id", "client_name", "redirect_uris", "token_endpoint_auth_method"].map((name) => [
      name,
      params.get(name) ?? "",
    ]),
  );
  const method = formAuthMethods.find((supported) => supported === values.token_endpoint_auth_method);
  const secret = method === "none" ? undefined : randomToken(server.randomBytes);
  const metadata = metadataFromForm(params, method, secret);
  const issues = [
    ...method === undefined ? [invalidAuthMethod(values.token_endpoint_auth_method!)] : [],
    ...await server.clients.registered.find(metadata.client_id) === undefined
      ? []
      : [clientIdTaken(metadata.client_id)],
    ...server.clients.isPersistent || await server.clients.count() < maxListLength ? [] : [tooManyClients],
  ];
  if (issues.length > 0) return await showIssues(context, options, values, issues);
  try {
    const client = await server.clients.set(metadata);
    if (secret !== undefined) return await showOne(context, options, client, secret);
    return redirect("POST", toListedClient(context, client).href);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return await showIssues(context, options, values, error.issues);
  }
}

/** Shows the form with its issues, and traces each. */
function showIssues(
  context: Context,
  options: DirectoryOptions,
  values: Readonly<Record<string, string>>,
  issues: readonly ConfigIssue[],
): Promise<HttpResponse> {
  const { server } = context;
  for (const { path, expected, received, hint: fix } of issues) {
    const reason = `the form at /clients adds no client: ${path} is invalid`;
    server.trace({ type: "warning", at: server.now(), explanation: { reason, expected, received, fix } });
  }
  return showList(context, options, values, issues.map(toFieldError));
}

/** The authentication methods that the form supports. */
const formAuthMethods = ["none", "client_secret_basic", "client_secret_post"] as const;

/** The form as client metadata (RFC 7591 §2), not yet validated. */
function metadataFromForm(
  params: Params,
  method: ClientAuthMethod | undefined,
  secret: string | undefined,
): ClientMetadata {
  return {
    client_id: params.get("client_id") ?? "",
    client_name: params.get("client_name"),
    redirect_uris: (params.get("redirect_uris") ?? "").split(/\s+/).filter((uri) => uri !== ""),
    token_endpoint_auth_method: method,
    client_secret: secret,
    grant_types: ["authorization_code", "refresh_token", ...secret === undefined ? [] : ["client_credentials"]],
  };
}

function invalidAuthMethod(received: string): ConfigIssue {
  return {
    path: "token_endpoint_auth_method",
    expected: `one of ${formAuthMethods.join(", ")}`,
    received: quote(received),
    hint: "Choose one of the three.",
  };
}

const tooManyClients: ConfigIssue = {
  path: "client_id",
  expected: `at most ${maxListLength} clients`,
  received: "one more",
  hint: "Remove one first.",
};

function clientIdTaken(id: string): ConfigIssue {
  return {
    path: "client_id",
    expected: "an ID that no other client has",
    received: quote(id),
    hint: "Choose another ID, or remove that client first.",
  };
}

/** `redirect_uris[1]` is the second line of the field `redirect_uris`. */
function toFieldError({ path, ...issue }: ConfigIssue): FieldError {
  return { field: path.replace(/\[\d+\]$/, ""), ...issue };
}

async function removeClient(context: Context, client: Client): Promise<HttpResponse> {
  await readProtectedForm(context);
  await context.server.clients.delete(client.id);
  return redirect("POST", `${context.site.base}/clients`);
}
