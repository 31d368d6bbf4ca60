/** Requests of an attack with a token as the grant: assertions of a trusted issuer, and token exchange. */

import { importJWK, type JWTHeaderParameters, type JWTPayload, SignJWT } from "jose";
import { builtInKeys } from "../../src/testing/built_in_keys.ts";
import { foreignJwks } from "../../src/testing/mint_assertion.ts";
import type { AttackerState, Step } from "./attack.ts";
import type { Pair } from "./request_draft.ts";
import type { AttackedServer } from "./servers.ts";

const idp = "https://idp.example";
const idJags = "https://corp.example";

/** The grant types, for clients that use them. */
export const assertionGrantTypes = [
  "urn:ietf:params:oauth:grant-type:jwt-bearer",
  "urn:ietf:params:oauth:grant-type:token-exchange",
] as const;

/** The settings that switch the grant types on. */
export const assertionSettings = {
  trustedIssuers: [
    { issuer: idp, jwks: foreignJwks(idp), users: "sub" as const, singleUse: true },
    { issuer: idp, tenant: "acme", jwks: foreignJwks(idp), users: "email" as const, allowPublicClients: true },
    {
      issuer: idJags,
      jwks: foreignJwks(idJags),
      users: "sub" as const,
      grantProfile: "id-jag" as const,
      provision: true,
    },
  ],
  tokenExchange: { targets: { web: ["https://api.example/a"] } },
  resourceAuthorizationServers: [{ issuer: "https://rs.example", allowPublicClients: true, claims: ["email"] }],
};

// Its signatures are the same each time.
const key = await importJWK(builtInKeys.EdDSA.at(-1)!.jwk, "EdDSA");

/** The form of a JWT bearer request; any claim may be, or contain, the text of the step. */
export async function assertionForm(server: AttackedServer, step: Step): Promise<Pair[]> {
  const { pick, text } = step;
  const now = Math.floor(server.now() / 1000);
  const isIdJag = pick % 2 === 0;
  const issuer = isIdJag ? idJags : idp;
  const claims: Record<string, unknown> = {
    iss: issuer,
    sub: ["alice", "bob"][pick % 2],
    aud: server.as.issuer,
    ...{ jti: `jti${pick}`, iat: now, exp: now + 60 },
    client_id: ["web", "spa", "poster"][pick % 3],
    ...pick % 5 === 0 && { scope: "read profile", resource: "https://api.example/a" },
    ...pick % 11 === 0 && { tenant: "acme", email: "alice@example.com" },
  };
  const values = [text, [text], { [text]: text }, [[text]], null, 1e308, -1, true, "", [text, text]];
  const name = claimNames[pick % claimNames.length]!;
  if (pick % 3 === 0) claims[name === "" ? text : name] = values[Math.floor(pick / 7) % values.length];
  const typ = pick % 13 === 0 ? text : isIdJag ? "oauth-id-jag+jwt" : undefined;
  const header = { alg: "EdDSA", kid: issuer, typ } as JWTHeaderParameters;
  const assertion = await new SignJWT(claims as JWTPayload).setProtectedHeader(header).sign(key);
  return [
    ["grant_type", assertionGrantTypes[0]],
    ["assertion", pick % 17 === 0 ? text : assertion],
    ...pick % 7 === 0 ? [["scope", "read"]] as const : [],
  ];
}

const claimNames = [
  ...["iss", "sub", "aud", "jti", "iat", "exp", "nbf", "client_id", "scope", "resource", "tenant", "email"],
  ...["auth_time", "cnf", "name", "email_verified", "__proto__", ""],
];

/** The form of a token exchange, with any token that the attacker has. */
export function exchangeForm({ tokens }: AttackerState, { pick, text }: Step): Pair[] {
  const type = (name: string) => `urn:ietf:params:oauth:token-type:${name}`;
  const kinds = ["access_token", "id_token", "refresh_token"];
  const kind = kinds[Math.floor(pick / 3) % 3]!;
  const token = String(tokens.at(-1)?.[kind] ?? text);
  const idJag: Pair[] = [["requested_token_type", type("id-jag")], ["audience", "https://rs.example"]];
  return [
    ["grant_type", assertionGrantTypes[1]],
    ["subject_token", pick % 11 === 0 ? text : token],
    ["subject_token_type", type(pick % 13 === 0 ? kinds[0]! : kind)],
    ...kind === "access_token" ? [] : idJag,
    ...pick % 19 === 0 ? [["actor_token", token], ["actor_token_type", type("access_token")]] as const : [],
    ...pick % 7 === 0 ? [["resource", text]] as const : [],
    ...pick % 4 === 0 ? [["scope", ["read", "openid", text][pick % 3]!]] as const : [],
  ];
}
