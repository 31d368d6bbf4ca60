/** Requests of an attack that are signed by the client, and the responses that the server signs. */

import { importSigningKey } from "../../src/client/jwt.ts";
import { signedRequest } from "../../src/client/request_object.ts";
import { builtInKeys } from "../../src/testing/built_in_keys.ts";
import { decodeJwtPart } from "../../src/platform/http/jwt_part.ts";
import type { Step } from "./attack.ts";
import type { Pair } from "./request_draft.ts";
import type { AttackedServer, KnownClient } from "./servers.ts";

const responseModes = ["query", "fragment", "form_post", "jwt", "query.jwt", "fragment.jwt", "form_post.jwt"] as const;
const responseTypes = ["code", "id_token", "code id_token"] as const;

/** The settings that switch on all response modes and types. */
export const responseSettings = { responseModes, responseTypes };

/** The response type of a request: mostly `code`. */
export function responseTypeField({ pick }: Step): Pair {
  return ["response_type", pick % 5 === 2 ? ["id_token", "id_token code"][pick % 2]! : "code"];
}

/** The response mode of a request, in some steps. */
export function responseModeField({ pick }: Step): Pair[] {
  return pick % 4 === 0 ? [["response_mode", responseModes[Math.floor(pick / 4) % responseModes.length]!]] : [];
}

/** The code inside of a signed response in a redirect or a page; `undefined` without one. */
export function findSignedCode(text: string): string | undefined {
  const jwt = /(?:[?&#]response=|name="response" value=")(eyJ[\w.-]+)/.exec(text)?.[1] ?? "";
  const { code } = decodeJwtPart(jwt, 1);
  return typeof code === "string" ? code : undefined;
}

// The attacker's key, for clients whose key is not known.
const unknownKey = builtInKeys.ES256[2]!.jwk;

/** The fields of a signed request; any member may be, or contain, the text of the step. */
export async function signedFields(
  server: AttackedServer,
  { metadata: { client_id }, privateJwk }: KnownClient,
  { pick, text }: Step,
  fields: readonly Pair[],
): Promise<Pair[]> {
  const claims: Record<string, unknown> = {
    ...Object.fromEntries(fields),
    ...pick % 7 === 0 && { max_age: 3600, claims: { id_token: { email: null } }, resource: ["https://api.example/a"] },
  };
  const values = [text, [text], { [text]: text }, [[text]], null, 1e308, -1, true, "", [text, text], 0];
  const name = memberNames[pick % memberNames.length]!;
  if (pick % 3 === 0) claims[name === "" ? text : name] = values[Math.floor(pick / 7) % values.length];
  const typ = pick % 13 === 0 ? text : "oauth-authz-req+jwt";
  const key = await importSigningKey(privateJwk ?? unknownKey, "ES256");
  const context = { issuer: server.as.issuer, now: server.now, randomBytes: server.random };
  const { request } = await signedRequest(context, key, { client_id }, { header: { typ }, claims });
  return [
    ["client_id", client_id],
    ["request", pick % 17 === 0 ? text : request],
    // Some are repeated outside, where they do not count.
    ...fields.filter(([field], i) => field !== "client_id" && (pick + i) % 5 === 0),
  ];
}

const memberNames = [
  ...["iss", "sub", "aud", "jti", "iat", "exp", "nbf", "client_id", "redirect_uri", "response_type", "response_mode"],
  ...["scope", "state", "nonce", "prompt", "max_age", "claims", "authorization_details", "resource", "acr_values"],
  ...["code_challenge", "request", "request_uri", "id_token_hint", "registration", "__proto__", ""],
];
