/** GET and POST /clients and /clients/{id}: who may ask for tokens, what their libraries need, and forms that change it. */

import { HttpFault } from "../http/http_error.ts";
import type { Incoming, Reply } from "../http/message.ts";
import { htmlWithForms, redirect } from "../http/responses.ts";
import type { Target } from "../http/router.ts";
import type { ClientAuthMethod, ClientMetadata } from "../oauth/clients/client.ts";
import type { Client } from "../oauth/clients/repository.ts";
import { quote } from "../oauth/config/config_issue.ts";
import type { Fault } from "../oauth/config/config_issue.ts";
import type { Params } from "../oauth/params.ts";
import { digest, drawSecret } from "../oauth/secrets.ts";
import { demoSecret } from "../oauth/config/settings.ts";
import { ConfigurationError } from "../oauth/config/configuration_error.ts";
import { recogniseBrowser } from "../app/browser_cookie.ts";
import { answerHere, readId } from "./admin_endpoint.ts";
import type { DirectoryOptions } from "./admin_endpoint.ts";
import { editToken, longestList, readEdit } from "../app/csrf.ts";
import type { Answers, Desk } from "../app/endpoint.ts";
import type { ClientProps, ClientsProps, FieldFault, ListedClient } from "../app/pages.ts";

/** The list. */
export function clients(desk: Desk, options: DirectoryOptions): Answers {
  return answerHere(desk, {
    show: (here, request) => showList(here, options, request, {}, []),
    change: options.edit ? (here, request) => add(here, options, request) : undefined,
  });
}

/** The page of each client. */
export function client(desk: Desk, options: DirectoryOptions): Answers {
  const find = (here: Desk, target: Target): Client => {
    const known = here.server.clients.find(readId(here, "/clients/", target));
    if (known === undefined) throw new HttpFault(404, "HT-01", "There is no client of this id");
    return known;
  };
  return answerHere(desk, {
    show: (here, request, target) => showOne(here, options, request, find(here, target)),
    change: options.edit ? (here, request, target) => remove(here, request, find(here, target)) : undefined,
  });
}

/** A client as pages show it. */
export function listClient({ site }: Desk, client: Client): ListedClient {
  const { id, name, authMethods, redirectUris, postLogoutRedirectUris, grantTypes, scope } = client;
  const href = `${site.base}/clients/${encodeURIComponent(id)}`;
  return { id, name, href, authMethods, redirectUris, postLogoutRedirectUris, grantTypes, scope };
}

async function showList(
  here: Desk,
  { edit }: DirectoryOptions,
  request: Incoming,
  values: Readonly<Record<string, string>>,
  faults: readonly FieldFault[],
): Promise<Reply> {
  const browser = await recogniseBrowser(here, request);
  const props: ClientsProps = {
    ...here.site,
    clients: here.server.clients.all().map((client) => listClient(here, client)),
    form: edit
      ? { token: await editToken(here, browser), values, faults, isKept: here.server.clients.isKept }
      : undefined,
  };
  const pages = await here.pages();
  return htmlWithForms(faults.length > 0 ? 400 : 200, pages.clients(props), browser.headers);
}

async function showOne(
  here: Desk,
  { edit, unattended }: DirectoryOptions,
  request: Incoming,
  client: Client,
  drawnSecret?: string,
): Promise<Reply> {
  const { server, site } = here;
  const browser = await recogniseBrowser(here, request);
  const isDemo = await client.secretDigest === await digest(demoSecret);
  const secret = drawnSecret ?? (isDemo ? demoSecret : "THE_CLIENT_SECRET");
  const { settingsFor } = await import("./client_snippets/mod.ts");
  const props: ClientProps = {
    ...site,
    client: listClient(here, client),
    drawnSecret,
    settings: settingsFor(server.issuer, client, { secret, unattended }),
    form: edit
      ? { token: await editToken(here, browser), values: {}, faults: [], isKept: server.clients.isKept }
      : undefined,
  };
  const pages = await here.pages();
  return htmlWithForms(drawnSecret === undefined ? 200 : 201, pages.client(props), browser.headers);
}

async function add(here: Desk, options: DirectoryOptions, request: Incoming): Promise<Reply> {
  const { server } = here;
  const params = await readEdit(here, request);
  const values = Object.fromEntries(
    ["client_id", "client_name", "redirect_uris", "token_endpoint_auth_method"].map((name) => [
      name,
      params.get(name) ?? "",
    ]),
  );
  const method = methods.find((known) => known === values.token_endpoint_auth_method);
  const secret = method === "none" ? undefined : drawSecret(server.random);
  const metadata = readMetadata(params, method, secret);
  const faults = [
    ...method === undefined ? [methodFault(values.token_endpoint_auth_method!)] : [],
    ...server.clients.find(metadata.client_id) === undefined ? [] : [takenFault(metadata.client_id)],
    ...server.clients.all().length < longestList ? [] : [fullFault],
  ];
  if (faults.length > 0) return await showList(here, options, request, values, faults.map(atField));
  try {
    const client = server.clients.set(metadata);
    await server.clients.kept();
    if (secret !== undefined) return await showOne(here, options, request, client, secret);
    return redirect("POST", listClient(here, client).href);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return await showList(here, options, request, values, error.faults.map(atField));
  }
}

/** The ways of authentication that need nothing but what a form can hold. */
const methods = ["none", "client_secret_basic", "client_secret_post"] as const;

/** A form in the words of RFC 7591 §2; what it holds is judged by the server's own rules. */
function readMetadata(
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

function methodFault(found: string): Fault {
  return {
    place: "token_endpoint_auth_method",
    expected: `one of ${methods.join(", ")}`,
    found: quote(found),
    mend: "Choose one of the three.",
  };
}

const fullFault: Fault = {
  place: "client_id",
  expected: `at most ${longestList} clients`,
  found: "as many as that",
  mend: "Remove one first.",
};

function takenFault(id: string): Fault {
  return {
    place: "client_id",
    expected: "an id that no other client has",
    found: quote(id),
    mend: "Choose another one, or remove that client first.",
  };
}

/** `redirect_uris[1]` is the second line of the field `redirect_uris`. */
function atField({ place, ...fault }: Fault): FieldFault {
  return { field: place.replace(/\[\d+\]$/, ""), ...fault };
}

async function remove(here: Desk, request: Incoming, client: Client): Promise<Reply> {
  await readEdit(here, request);
  here.server.clients.delete(client.id);
  await here.server.clients.kept();
  return redirect("POST", `${here.site.base}/clients`);
}
