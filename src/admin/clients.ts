/** GET and POST /clients and /clients/{id}: the clients, their settings for libraries, and forms that change them. */

import { mustProve } from "../extensions/dpop/settings.ts";
import { mustPush } from "../extensions/par/settings.ts";
import { mustSign } from "../extensions/signed_requests/settings.ts";
import { HttpError } from "../http/http_error.ts";
import type { HttpResponse } from "../http/message.ts";
import type { ClientMetadata } from "../oauth/clients/client.ts";
import type { Client } from "../oauth/clients/repository.ts";
import { clientValues } from "../oauth/config/extension_settings.ts";
import { type ConfigIssue, quote } from "../oauth/config/config_issue.ts";
import { policyOf } from "../oauth/clients/policy.ts";
import type { ClientDemand } from "./client_snippets/client_info.ts";
import type { Params } from "../oauth/params.ts";
import { digest, randomToken } from "../oauth/secrets.ts";
import { demoSecret } from "../oauth/config/settings.ts";
import { ConfigurationError } from "../oauth/config/configuration_error.ts";
import { hasTestHost } from "../oauth/test_hosts.ts";
import { directoryHandlers, type DirectoryOptions, idFromPath, pageWithForm, readPage } from "./admin_endpoint.ts";
import { changedEntry, metadataFromForm, metadataGroups } from "./client_form.ts";
import { redirectWithConfirmation } from "../app/confirmation.ts";
import { maxListLength, readProtectedForm } from "../app/csrf.ts";
import type { Context } from "../app/context.ts";
import { endpointUrl } from "../app/endpoint.ts";
import type { Handlers } from "../app/route.ts";
import type { ListedClient } from "../ui/client_details.tsx";
import type { ClientProps, ClientsProps } from "../ui/clients.tsx";
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
    if (client === undefined) {
      throw new HttpError(404, "HT-01", "No client has this ID", { fix: "Choose a client of the list at /clients." });
    }
    return client;
  };
  return directoryHandlers({
    show: async (context) => {
      const client = await findClient(context);
      const edits = isEditable(options, client) && new URLSearchParams(context.target.query).has("edit");
      return edits ? await showForm(context, client, []) : await showOne(context, options, client);
    },
    change: options.edit
      ? async (context) => await changeClient(context, options, await findClient(context))
      : undefined,
  });
}

/** The members of a client's metadata that say how it sends requests and receives responses. */
const requestMembers = [
  ...["require_pkce", "require_pushed_authorization_requests", "require_signed_request_object"] as const,
  ...["request_object_signing_alg", "dpop_bound_access_tokens", "response_modes"] as const,
  ...[
    "authorization_signed_response_alg",
    "userinfo_signed_response_alg",
    "introspection_signed_response_alg",
  ] as const,
  ...["default_acr_values", "default_max_age", "require_auth_time"] as const,
];

/** What the server demands of the requests of a client. */
function findDemands({ server }: Context, client: Client): ClientDemand[] {
  const { metadata } = client;
  const policy = policyOf(server, client);
  const modes = metadata.response_modes ?? policy.responseModes;
  const demands: Readonly<Record<ClientDemand, boolean | undefined>> = {
    par: mustPush(server, client),
    jar: mustSign(server, client),
    jarm: !modes.some((mode) => mode === "query" || mode === "form_post"),
    dpop: mustProve(server, client),
  };
  return (Object.keys(demands) as ClientDemand[]).filter((demand) => demands[demand]);
}

const demandTexts: Readonly<Record<ClientDemand, (parUrl: string) => string>> = {
  par: (url) => `Push each authorization request to ${url} (RFC 9126).`,
  jar: () => "Sign each authorization request (RFC 9101).",
  jarm: () => "Request a signed authorization response, for example with response_mode=jwt (JARM).",
  dpop: () => "Send a DPoP proof with each token request and to each resource (RFC 9449).",
};

/** A client for pages. */
export function toListedClient({ site, server }: Context, client: Client): ListedClient {
  const { id, name, metadata, authMethods, redirectUris, grantTypes, scope, document, registration } = client;
  const { post_logout_redirect_uris: postLogoutRedirectUris = [] } = metadata;
  const href = `${site.base}/clients/${encodeURIComponent(id)}`;
  const { authorization_details_types: detailsTypes = [] } = clientValues(server.settings);
  return {
    ...{ id, name, href, authMethods, redirectUris, postLogoutRedirectUris, grantTypes, scope, document },
    detailsTypes: metadata.authorization_details_types ?? detailsTypes,
    registeredItselfAt: registration?.issuedAt,
    profile: metadata.profile,
    logoutUris: [metadata.backchannel_logout_uri ?? [], metadata.frontchannel_logout_uri ?? []].flat(),
    requestMembers: requestMembers.flatMap((name) => {
      const { [name]: value = false } = metadata;
      return value === false ? [] : [`${name}: ${[value].flat().join(" ")}`];
    }),
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
  done: "Added" | "Saved",
  newSecret: string | undefined,
): Promise<HttpResponse> {
  if (newSecret !== undefined) {
    if (!hasTestHost(context.server.issuer)) return await showOne(context, options, client, newSecret);
    options.generatedSecrets.set(client.id, newSecret);
  }
  return await redirectWithConfirmation(context, toListedClient(context, client).href, `${done} ${client.id}`);
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
  const { server, site } = context;
  const generatedSecret = newSecret ?? await findGeneratedSecret(options, client);
  const isDemo = await client.secretDigest === await digest(demoSecret);
  const secret = generatedSecret ?? (isDemo ? demoSecret : "THE_CLIENT_SECRET");
  const demands = findDemands(context, client);
  const urls = {
    issuer: server.issuer,
    authorize: endpointUrl(context, "authorize"),
    token: endpointUrl(context, "token"),
    par: demands.includes("par") ? endpointUrl(context, "par") : "",
  };
  const { clientSnippets } = await import("./client_snippets/mod.ts");
  const props: ClientProps = {
    ...site,
    client: toListedClient(context, client),
    generatedSecret,
    isSecretKept: newSecret === undefined,
    demands: demands.map((demand) => demandTexts[demand](urls.par)),
    snippets: clientSnippets(urls, client, { secret, autoLogin, demands }),
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
  const choice = values.token_endpoint_auth_method!;
  const secret = choice === "none" ? undefined : randomToken(server.randomBytes);
  const metadata = newMetadata(params, choice, secret);
  const issues = [
    ...formAuthChoices.includes(choice) ? [] : [invalidAuthMethod(choice)],
    ...await server.clients.registered.find(metadata.client_id) === undefined
      ? []
      : [clientIdTaken(metadata.client_id)],
    ...server.clients.isPersistent || await server.clients.count() < maxListLength ? [] : [tooManyClients],
  ];
  if (issues.length > 0) return await showIssues(context, options, values, issues);
  try {
    return await showChanged(context, options, await server.clients.set(metadata), "Added", secret);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return await showIssues(context, options, values, error.issues);
  }
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
const formAuthChoices: readonly string[] = [...formAuthMethods, "client_secret_basic client_secret_post"];

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
    expected: `one of ${formAuthChoices.map((choice) => choice.replace(" ", " or ")).join(", ")}`,
    received: quote(received),
    hint: "Choose one of these values.",
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

/** `redirect_uris[1]` is the second line of the field `redirect_uris`; `jwks.keys` is in the field `jwks`. */
function toFieldError({ path, ...issue }: ConfigIssue): FieldError {
  return { field: path.replace(/[.[].*$/, ""), ...issue };
}

/** Whether visitors may change a client. A metadata document is changed by its client alone. */
function isEditable({ edit }: DirectoryOptions, { document }: Client): boolean {
  return edit && document === undefined;
}

/** The form of all metadata. */
async function showForm(
  context: Context,
  client: Client,
  errors: readonly FieldError[],
  typed?: Params,
): Promise<HttpResponse> {
  const { id, name, href } = toListedClient(context, client);
  return await pageWithForm(
    context,
    { values: {}, errors, isPersistent: context.server.clients.isPersistent },
    (pages, form) =>
      pages.clientEdit({
        ...context.site,
        client: { id, name, href, hasSecret: client.secretDigest !== undefined },
        groups: metadataGroups(client.metadata, typed),
        form: form!,
      }),
  );
}

async function changeClient(context: Context, options: DirectoryOptions, client: Client): Promise<HttpResponse> {
  const { server, site } = context;
  const params = await readProtectedForm(context);
  if (params.get("action") !== "save") {
    await server.clients.delete(client.id);
    return await redirectWithConfirmation(context, `${site.base}/clients`, `Removed ${client.id}`);
  }
  if (!isEditable(options, client)) {
    const fix = "Change the metadata document at its client_id; this server fetches it again.";
    throw new HttpError(404, "HT-01", "No registered client has this ID", { fix });
  }
  const { metadata, errors } = metadataFromForm(client.metadata, params);
  if (errors.length > 0) return await showForm(context, client, errors, params);
  const entry = await changedEntry(server, client, metadata, params.get("new_secret") !== undefined);
  try {
    const changed = await server.clients.set(entry);
    const newSecret = entry.client_secret === client.assertionSecret ? undefined : entry.client_secret;
    return await showChanged(context, options, changed, "Saved", newSecret);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    traceIssues(context, `the form at /clients does not change ${client.id}`, error.issues);
    return await showForm(context, client, error.issues.map(toFieldError), params);
  }
}
