/**
 * The methods of client authentication, and the authentication of a request, which every client endpoint begins with.
 */

import { immediate } from "../immediate.ts";
import { parameters } from "../http/params.ts";
import { reject } from "../rules/reject.ts";
import type { ClientAuth, Credentials, Server } from "../server.ts";
import { type Client, policyOf } from "../clients/clients.ts";
import { type CredentialCandidate, verifyClientSecret } from "../clients/auth_method.ts";

export const clientAuthParameters = parameters(
  "client_id",
  { name: "client_secret", secret: "client_secret" },
  "client_assertion_type",
  { name: "client_assertion", secret: "client_assertion" },
);

/**
 * The methods of a server, in the order of `token_endpoint_auth_methods_supported`.
 *
 * @param added Those of extensions.
 */
export function clientAuthentication(added: readonly ClientAuth[]): readonly ClientAuth[] {
  return [basic, post, ...added, none];
}

/**
 * Authenticates the client of a request (OAuth 2.1 §2.4, §3.2.1).
 *
 * @throws {OAuthError} `invalid_client` if authentication fails; `invalid_request` if the request uses several methods
 *   or names two clients.
 */
export async function authenticateClient(server: Server, credentials: Credentials): Promise<Client> {
  const { params } = credentials;
  const { clientAuthentication } = server;
  const used = clientAuthentication.filter((one) => !isNone(one) && isUsed(one, credentials));
  if (used.length > 1) throw reject("CA-09", { methods: used.map(({ method }) => method) });
  const clientAuth = used[0] ?? clientAuthentication.find(isNone) ?? none;
  const client = await clientAuth.authenticate(server, credentials);
  const claimedClientId = params.get("client_id");
  if (claimedClientId !== undefined && claimedClientId !== client.id) throw reject("TK-08");
  // Basic with an empty secret is accepted from a public client.
  const method = client.authMethods.includes(clientAuth.method) ? clientAuth.method : client.authMethod;
  assertMethodAllowed(policyOf(server, client), method);
  server.passed("CA-07", client.id);
  if (method === "none" && !isNone(clientAuth)) server.observe(server, client.id, "CA-17", undefined);
  return client;
}

/** Whether it is the method of requests that use no other one. */
function isNone({ method }: ClientAuth): boolean {
  return method === "none";
}

/**
 * Observes a client that sends its secret in the body although its metadata names no method. Called only after a
 * successful request, so that a rejection is explained by its own cause alone.
 */
export function observePostedSecret(server: Server, client: Client, { params }: Credentials): void {
  const { authMethod, authMethods } = client;
  if (authMethod === "client_secret_post" || !authMethods.includes("client_secret_post")) return;
  if (params.get("client_secret") !== undefined) server.observe(server, client.id, "CA-16", { client });
}

/** Rejects a method that the server no longer offers, although a client was registered for it. */
function assertMethodAllowed(policy: Server["policy"], used: ClientAuth["method"]): void {
  if (!policy.clientAuthMethods.includes(used)) throw reject("CA-07", { failure: "method not offered", used, policy });
}

/** The ids that the credentials of a request claim, whether such clients exist or not. */
export function claimedIds({ clientAuthentication }: Server, credentials: Credentials): string[] {
  return clientAuthentication.flatMap((clientAuth) =>
    (isUsed(clientAuth, credentials)
      ? immediate(`claimedId of ${clientAuth.method}`, clientAuth.claimedId(credentials))
      : undefined) ?? []
  );
}

function isUsed(clientAuth: ClientAuth, credentials: Credentials): boolean {
  return immediate(`isUsed of ${clientAuth.method}`, clientAuth.isUsed(credentials));
}

/**
 * The registered client that a rejected request claims to be, for the trace; `undefined` if it is unknown, because an
 * unknown id may be a secret in the wrong place.
 */
export function findClaimedClient(server: Server, credentials: Credentials): Client | undefined {
  const known = server.clients.known();
  return claimedIds(server, credentials).flatMap((id) => known.get(id) ?? [])[0];
}

/** Any `Authorization` header counts as this method: a malformed one does not fall back to the body. */
const basic: ClientAuth = {
  method: "client_secret_basic",
  isUsed: ({ authorization }) => authorization !== null,
  claimedId: ({ authorization }) => parseBasicHeader(authorization!)[0]?.id,
  async authenticate(server, { authorization }) {
    const candidates = parseBasicHeader(authorization!);
    if (candidates.length > 0) return await verifyClientSecret(server, "client_secret_basic", candidates);
    throw reject("CA-04");
  },
};

/**
 * The possible readings of a header: id and secret form-decoded, as the specification requires, and unchanged, as
 * `curl -u` and many clients send them. Each reading is compared with the registered secret.
 */
function parseBasicHeader(header: string): CredentialCandidate[] {
  const token = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header)?.[1];
  if (token === undefined) return [];
  let text: string;
  try {
    const binary = atob(token);
    // Rejects other base64 encodings of the same bytes, such as one without padding.
    if (btoa(binary) !== token) return [];
    const bytes = Uint8Array.from(binary, (byte) => byte.charCodeAt(0));
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return [];
  }
  const colon = text.indexOf(":");
  if (colon < 0) return [];
  const raw = { id: text.slice(0, colon), secret: text.slice(colon + 1) };
  if (!/[%+]/.test(text)) return isPrintable(raw) ? [raw] : [];
  const candidates: CredentialCandidate[] = [{ ...raw, isUnencoded: true }];
  try {
    candidates.unshift({ id: formDecode(raw.id), secret: formDecode(raw.secret) });
  } catch {
    // Not form-encoded: only the unchanged reading is possible.
  }
  return candidates.filter(isPrintable);
}

function formDecode(text: string): string {
  return decodeURIComponent(text.replaceAll("+", " "));
}

function isPrintable({ id, secret }: CredentialCandidate): boolean {
  return /^[\x20-\x7E]+$/.test(id) && /^[\x20-\x7E]*$/.test(secret);
}

/** The method of requests that use no other one. */
const none: ClientAuth = {
  method: "none",
  isUsed: ({ params }) => params.get("client_id") !== undefined,
  claimedId: ({ params }) => params.get("client_id"),
  async authenticate(server, credentials) {
    const { params, identifyClient } = credentials;
    const id = params.get("client_id") ?? await identifyClient?.(server, params);
    if (id === undefined) throw reject("CA-07", { failure: "no client" });
    const client = await server.clients.find(id, server);
    if (client === undefined) throw reject("CA-07", { failure: "unknown client", id, used: "none" });
    const { confidential, authMethod, authMethods } = client;
    if (!confidential) return client;
    throw reject("CA-07", { failure: "not authenticated", id, registered: authMethod, accepted: authMethods });
  },
};

/** For clients that are registered for it or name no method; any other client's secret in the body is rejected. */
const post: ClientAuth = {
  method: "client_secret_post",
  isUsed: ({ params }) => params.get("client_secret") !== undefined,
  claimedId: ({ params }) => params.get("client_id"),
  authenticate: (server, { params }) =>
    verifyClientSecret(server, "client_secret_post", [
      { id: params.get("client_id") ?? "", secret: params.get("client_secret")! },
    ]),
};
