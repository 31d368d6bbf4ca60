/** Checks one token: its kind, its signature, and each rule of its kind. */

import { tokenHash } from "../../../server/oauth/keys/jwt.ts";
import { mediaType } from "../../../server/oauth/keys/jwt_policies.ts";
import { type SigningAlgorithm, signingAlgorithms } from "../../../server/oauth/keys/signing_algorithm.ts";
import { storageKey } from "../../../server/oauth/secrets.ts";
import type { Server } from "../../../server/oauth/server.ts";
import { checkAccessToken } from "../../../server/oauth/tokens/read_access_token.ts";
import type { TokenCheck, TokenResult } from "../pages/tokens.tsx";
import { type FormProblem, type ParsedToken, parseToken } from "./parse_token.ts";
import type { PastedToken, TokenKind } from "./read_input.ts";
import type { Expectations } from "./rule.ts";
import { tokenRules } from "./rules.ts";
import { findKeys, type KeySource, verifySignature } from "./signature.ts";

/** What the form says besides the token. */
export interface TokenCheckOptions {
  /** The kind that the user chose. */
  readonly kind?: TokenKind;
  /** The keys of the issuer. Default: those of this server, or of the client that signs such a token. */
  readonly keys?: KeySource;
  readonly issuer?: string;
  readonly clientId?: string;
  readonly nonce?: string;
  /** The access token of the same response. */
  readonly accessToken?: string;
}

/** The names of the kinds on pages. */
export const kindNames: Readonly<Record<TokenKind, string>> = {
  id_token: "ID token",
  access_token: "Access token",
  logout_token: "Logout token",
  request: "Request object",
  response: "Authorization response",
  dpop: "DPoP proof",
  client_assertion: "Client assertion",
  other: "JWT",
};

/** Kinds by the `typ` of the header. */
const kindByType: ReadonlyMap<string, TokenKind> = new Map([
  ["at+jwt", "access_token"],
  ["logout+jwt", "logout_token"],
  ["dpop+jwt", "dpop"],
  ["oauth-authz-req+jwt", "request"],
  ["client-authentication+jwt", "client_assertion"],
]);

/** The kind of a token by its header and its claims. */
function detectKind({ header = {}, claims = {} }: ParsedToken): TokenKind {
  const { typ } = header;
  const type = typeof typ === "string" ? mediaType(typ) : "jwt";
  const named = kindByType.get(type);
  if (named !== undefined || type !== "jwt") return named ?? "other";
  const has = (...names: string[]) => names.every((name) => claims[name] !== undefined);
  if (has("events")) return "logout_token";
  if (has("htm", "htu")) return "dpop";
  if (has("response_type") || has("client_id", "redirect_uri")) return "request";
  if (has("iss", "sub") && claims.iss === claims.sub) return "client_assertion";
  if (has("sub", "aud", "exp")) return has("scope") || has("client_id") ? "access_token" : "id_token";
  return has("code", "aud") || has("error", "aud") ? "response" : "other";
}

/** Checks a token. It never throws, whatever the token contains. */
export async function checkToken(
  server: Server,
  pasted: PastedToken,
  options: TokenCheckOptions,
): Promise<TokenResult> {
  const parsed = await parseToken(pasted.token);
  const { form, jwt, header, claims, disclosures, problems } = parsed;
  const chosen = options.kind ?? pasted.kind;
  const base = { source: pasted.source, header, claims, disclosures, form };
  if (form !== "signed") {
    const isRefreshToken = form === "opaque" && chosen === undefined && await isRefresh(server, pasted);
    const revocation = form === "opaque" && !isRefreshToken ? await checkRevocation(server, jwt) : [];
    const kind = revocation.length > 0 ? "access_token" : chosen;
    const name = isRefreshToken ? "Refresh token" : kind === undefined ? "Token" : kindNames[kind];
    const notJwt = form === "opaque" && kind === "id_token" ? [notJwtCheck] : [];
    return { ...base, name, isRefreshToken, checks: [...problems.map(toFormCheck), ...notJwt, ...revocation] };
  }
  const kind = chosen ?? detectKind(parsed);
  const signature = header === undefined ? undefined : await checkSignature(server, kind, parsed, options.keys);
  return {
    ...base,
    name: kindNames[kind],
    signature: problems.length === 0 ? signature : undefined,
    checks: [
      ...problems.map(toFormCheck),
      ...signature === undefined ? [] : [signature],
      ...claims === undefined ? [] : await checkRules(server, kind, parsed, options),
      ...kind === "access_token" && claims?.iss === server.issuer ? await checkRevocation(server, jwt) : [],
    ],
  };
}

/** Whether the pasted text names it a refresh token, or this server issued it as one. */
async function isRefresh(server: Server, { source, token }: PastedToken): Promise<boolean> {
  if (source !== undefined) return source === "refresh_token";
  return await server.store.get("refresh_token", await storageKey(server, token)) !== undefined;
}

/** Asks this server as its resources do. Nothing for a token that it cannot read: the other checks say why. */
async function checkRevocation(server: Server, token: string): Promise<TokenCheck[]> {
  const read = await checkAccessToken(server, token);
  if (read === "unreadable") return [];
  const problem = typeof read === "string" ? read : undefined;
  return [{
    title: "The token is not revoked",
    cites: ["RFC 6750 §3.1", "RFC 7662 §2.2"],
    passed: problem === undefined,
    expected: "a token that this server still accepts",
    received: problem ?? "a token that this server accepts",
    fix: token.includes(".")
      ? "Get a new token. A resource that checks only the JWT accepts a revoked token until exp: to learn of the " +
        "revocation, it must call the introspection endpoint."
      : "Get a new token.",
  }];
}

function toFormCheck(problem: FormProblem): TokenCheck {
  return { ...problem, title: "The token is well-formed", cites: ["RFC 7515 §2, §7.1"], passed: false };
}

const notJwtCheck: TokenCheck = {
  title: "The ID token is a signed JWT",
  cites: ["OpenID Connect Core §2"],
  passed: false,
  expected: "a signed JWT",
  received: "text that is not a JWT",
  fix: "Use the member id_token of the token response, whole.",
};

async function checkSignature(
  server: Server,
  kind: TokenKind,
  parsed: ParsedToken,
  keys: KeySource | undefined,
): Promise<TokenCheck & { readonly heading: string }> {
  const source = await findKeys(server, kind, parsed, keys);
  return {
    title: `The signature was made with a key of ${source?.owner ?? "its issuer"}`,
    cites: ["RFC 7515 §5.2", "RFC 8725 §3.1"],
    fix: keys === undefined
      ? "If another issuer signed the token, paste the keys of its jwks_uri above. Otherwise the token was changed, forged, or signed with a key that is no longer in use."
      : "Compare kid and alg with the pasted keys. If they match, the token was changed or forged.",
    ...await verifySignature(parsed, source),
  };
}

async function checkRules(
  server: Server,
  kind: TokenKind,
  { header = {}, claims = {} }: ParsedToken,
  options: TokenCheckOptions,
): Promise<TokenCheck[]> {
  const clients = await findClients(server, [claims.aud, claims.azp, claims.iss]);
  const expectations: Expectations = {
    issuer: options.issuer ?? server.issuer,
    server: server.issuer,
    clientId: options.clientId,
    nonce: options.nonce,
    accessTokenHash: await hashAccessToken(header.alg, options.accessToken),
    isClient: (id) => clients.has(id),
    isAudience: (uri) => uri === server.audience || server.resources.find(uri) !== undefined,
    now: Math.floor(server.now() / 1000),
  };
  return tokenRules[kind].flatMap((rule) => {
    const verdict = rule.check(claims, header, expectations);
    if (verdict === undefined) return [];
    const { title, cites, fix, rule: id } = rule;
    return [{ title, cites, fix, rule: id, ...verdict }];
  });
}

/** Maximum number of values to look up as a client. */
const maxLookedUp = 8;

/** Returns the values that are IDs of registered clients. Fetches no metadata document. */
async function findClients(server: Server, values: readonly unknown[]): Promise<ReadonlySet<string>> {
  const ids = new Set(values.flat().filter((value) => typeof value === "string").slice(0, maxLookedUp));
  const found = await Promise.all([...ids].map(async (id) => await server.clients.registered.find(id)));
  return new Set(found.flatMap((client) => client === undefined ? [] : [client.id]));
}

async function hashAccessToken(alg: unknown, accessToken: string | undefined): Promise<string | undefined> {
  const known = signingAlgorithms.find((candidate): candidate is SigningAlgorithm => candidate === alg);
  return accessToken === undefined || known === undefined ? undefined : await tokenHash(known, accessToken);
}
