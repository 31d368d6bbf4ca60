/** Verbs that mint tokens and codes without a login. */

import { anyValue, type Field, object, record, text, whole } from "../../../core/policy/field.ts";
import type { TokenResponse } from "../../../core/token/grants/authenticated_request.ts";
import { readMoment } from "../../clock.ts";
import { type Mint, mintFields } from "../../mint.ts";
import { withoutNulls } from "../../faults/response_body.ts";
import { defineVerb, type Verb } from "../verb.ts";

/** A minted token or code. */
interface MintedText {
  /** The token or code. */
  readonly token: string;
}

/** Members that accept values in a program that JSON does not have. */
const jsonMembers: Readonly<Record<string, Field>> = {
  client: text(["web"]),
  resource: { ...anyValue, examples: ["https://api.example"] },
  audience: { ...anyValue, examples: ["https://as.example"] },
  authTime: text(["2026-01-01T00:00:00Z"]),
  dpop: record(anyValue, { thumbprint: "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I" }, "an object with a thumbprint"),
  expiresIn: whole(60, { expected: "a whole number of seconds" }),
  claims: record(anyValue, { role: "admin", email: null }, "an object of claims"),
  events: { ...anyValue, examples: [{}] },
  signedBy: { ...anyValue, examples: ["wrong key", "unknown key"] },
  accessToken: text(["eyJhbGciOiJFUzI1NiJ9.e30.c2ln"]),
};

/** The input of a verb: the options of the function, as JSON. */
function inputOf(name: keyof Mint) {
  const field: Field = mintFields[name];
  const members = Object.entries(field.members!).map(([member, own]) => [member, jsonMembers[member] ?? own]);
  return { ...field, members: Object.fromEntries(members) } as Field<object> & { readonly members: never };
}

/** Converts the JSON input to the options of the function. */
function toOptions(input: object): object {
  const { claims, authTime, ...options } = input as {
    readonly claims?: Readonly<Record<string, unknown>>;
    readonly authTime?: string;
  };
  return {
    ...options,
    ...claims !== undefined && { claims: withoutNulls(claims) },
    ...authTime !== undefined && { authTime: toDate(authTime) },
  };
}

function toDate(text: string): Date {
  const date = new Date(readMoment(text));
  if (!Number.isNaN(date.getTime())) return date;
  throw new TypeError(`authTime: expected a time such as 2026-01-01T00:00:00Z, received ${JSON.stringify(text)}`);
}

const token = object<MintedText>("MintedText", { token: text(["eyJ…"]) }, { token: "eyJ…" });

function mintVerb(name: Exclude<keyof Mint, "tokens">, summary: string): Verb {
  return defineVerb<object, MintedText>({
    ...{ name: `mint.${name}`, summary, input: inputOf(name), result: token, returns: "token" },
    run: async ({ control, name: server }, input) => ({
      token: await control.underName(server).mint[name](toOptions(input)),
    }),
  });
}

/** Mints valid tokens and codes, and ones that recipients must reject. */
export const mintVerbs: readonly Verb[] = [
  mintVerb("accessToken", "Mints an access token in the format of the client."),
  mintVerb("idToken", "Mints an ID token."),
  mintVerb("logoutToken", "Mints a logout token for the `backchannel_logout_uri` of a client."),
  mintVerb("refreshToken", "Mints a refresh token, which the server accepts."),
  mintVerb("code", "Mints an authorization code, which the server accepts."),
  mintVerb("assertion", "Mints an assertion of another issuer for the JWT bearer grant (RFC 7523)."),
  mintVerb("idJag", "Mints an ID-JAG of another issuer."),
  defineVerb<object, TokenResponse>({
    name: "mint.tokens",
    summary: "Mints the tokens of one grant: the token response of a login.",
    input: inputOf("tokens"),
    result: record(
      anyValue,
      { access_token: "eyJ…", token_type: "Bearer", expires_in: 3600 },
      "a token response",
    ) as never,
    run: ({ control, name }, input) => control.underName(name).mint.tokens(toOptions(input)),
  }),
];
