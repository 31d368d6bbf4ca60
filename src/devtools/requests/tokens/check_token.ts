/** Checks one token: its kind, its signature, and what its kind must have. */

import { tokenHash } from "../../../core/keys/jwt.ts";
import { isKind, mediaType } from "../../../core/keys/verification.ts";
import { type SigningAlgorithm, signingAlgorithms } from "../../../core/keys/signing_algorithm.ts";
import { storageKey } from "../../../core/keys/secrets.ts";
import type { HostedServer } from "../../../server/hosted_server.ts";
import { checkAccessToken } from "../../../core/token/tokens/read_access_token.ts";
import { asIssued } from "../../../server/token/claim_change.ts";
import type { TokenCheck, TokenResult } from "../pages/tokens.tsx";
import { type DecodedToken, decodeToken, type FormProblem } from "./decode.ts";
import { checkClaims, kindsOfTokens } from "./kinds.ts";
import type { CheckedTokenKind, PastedToken } from "./read_input.ts";
import { type CandidateKeys, findKeys, verifySignature } from "./signature.ts";

/** What the form says besides the token. */
export interface TokenCheckOptions {
  /** The kind that the user chose. */
  readonly kind?: CheckedTokenKind;
  /** The keys of the issuer. Default: those of this server, or of the client that signs such a token. */
  readonly keys?: CandidateKeys;
  readonly issuer?: string;
  readonly clientId?: string;
  readonly nonce?: string;
  /** The access token of the same response. */
  readonly accessToken?: string;
}

/** Kinds by the `typ` of the header. */
const kindByType: ReadonlyMap<string, CheckedTokenKind> = new Map([
  ["at+jwt", "access_token"],
  ["logout+jwt", "logout_token"],
  ["dpop+jwt", "dpop"],
  ["oauth-authz-req+jwt", "request"],
  ["client-authentication+jwt", "client_assertion"],
]);

function detectKind({ header = {}, claims = {} }: DecodedToken): CheckedTokenKind {
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
  server: HostedServer,
  pasted: PastedToken,
  options: TokenCheckOptions,
): Promise<TokenResult> {
  const decoded = decodeToken(pasted.token);
  const { form, jwt, header, claims, problem } = decoded;
  const chosen = options.kind ?? pasted.kind;
  const base = { source: pasted.source, header, claims, form };
  if (form === "encrypted") return { ...base, name: chosen ? kindsOfTokens[chosen].name : "Token", checks: [] };
  if (form === "opaque") {
    const isRefreshToken = chosen === undefined && await isRefresh(server, pasted);
    const revocation = isRefreshToken ? [] : await checkRevocation(server, jwt);
    const kind = revocation.length > 0 ? "access_token" : chosen;
    const name = isRefreshToken ? "Refresh token" : kind === undefined ? "Token" : kindsOfTokens[kind].name;
    return {
      ...base,
      name,
      isRefreshToken,
      checks: [...kind === "id_token" ? [formCheck(notJwt)] : [], ...revocation],
    };
  }
  const isOwn = claims?.iss === server.issuer;
  const isOwnAccessToken = isOwn && isKind(server.policy, "access_token", header ?? {}, claims);
  const kind = chosen ?? (isOwnAccessToken ? "access_token" : detectKind(decoded));
  const signature = problem === undefined
    ? await verifySignature(server, kind, decoded, options.keys ?? await findKeys(server, kind, decoded))
    : undefined;
  return {
    ...base,
    name: kindsOfTokens[kind].name,
    signature,
    checks: [
      ...problem === undefined ? [] : [formCheck(problem)],
      ...signature === undefined ? [] : [signature],
      ...claims === undefined ? [] : await checkKind(server, kind, decoded, options),
      ...kind === "access_token" && isOwn ? await checkRevocation(server, jwt) : [],
    ],
  };
}

const notJwt: FormProblem = {
  expected: "a signed JWT",
  received: "text that is not a JWT",
  fix: "Use the member id_token of the token response, whole.",
};

function formCheck(problem: FormProblem): TokenCheck {
  return { ...problem, title: "The token is well-formed", cites: ["RFC 7515 §2, §7.1"], passed: false };
}

/** Whether the pasted text names it a refresh token, or this server issued it as one. */
async function isRefresh(server: HostedServer, { source, token }: PastedToken): Promise<boolean> {
  if (source !== undefined) return source === "refresh_token";
  return await server.store.get("refresh_token", await storageKey(server, token)) !== undefined;
}

/** Asks this server as its resources do. Nothing for a token that it cannot read: the other checks say why. */
async function checkRevocation(server: HostedServer, token: string): Promise<TokenCheck[]> {
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

async function checkKind(
  server: HostedServer,
  kind: CheckedTokenKind,
  { header = {}, claims = {} }: DecodedToken,
  { issuer, clientId, nonce, accessToken }: TokenCheckOptions,
): Promise<TokenCheck[]> {
  const clients = await findClients(server, [claims.aud, claims.azp, claims.iss]);
  const { cites } = kindsOfTokens[kind];
  // The profile of a provider may give claims of access tokens other names.
  const isOwn = kind === "access_token" && claims.iss === server.issuer;
  return checkClaims(kind, header, isOwn ? asIssued(server, claims).claims : claims, {
    issuer: issuer ?? server.issuer,
    server: server.issuer,
    clientId,
    nonce,
    accessTokenHash: await hashAccessToken(header.alg, accessToken),
    isClient: (id) => clients.has(id),
    isAudience: (uri) => uri === server.audience || server.resources.find(uri) !== undefined,
    accessTokenTyp: isOwn ? server.policy.accessTokenTyp : undefined,
    now: Math.floor(server.now() / 1000),
  }).map((check) => ({ ...check, cites }));
}

/** Maximum number of values to look up as a client. */
const maxLookedUp = 8;

/** Returns the values that are IDs of registered clients. Fetches no metadata document. */
async function findClients(server: HostedServer, values: readonly unknown[]): Promise<ReadonlySet<string>> {
  const ids = new Set(values.flat().filter((value) => typeof value === "string").slice(0, maxLookedUp));
  const found = await Promise.all([...ids].map(async (id) => await server.clients.registered.find(id)));
  return new Set(found.flatMap((client) => client === undefined ? [] : [client.id]));
}

async function hashAccessToken(alg: unknown, accessToken: string | undefined): Promise<string | undefined> {
  const known = signingAlgorithms.find((candidate): candidate is SigningAlgorithm => candidate === alg);
  return accessToken === undefined || known === undefined ? undefined : await tokenHash(known, accessToken);
}
