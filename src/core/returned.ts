/** What functions of a program may return by which a token is made: those of grant types, and steps of extensions. */

import type { Client } from "./clients/clients.ts";
import { isObject } from "./http/json_value.ts";
import { quoteValue } from "./http/quote_value.ts";
import { ignoreRejection, isThenable } from "./thenable.ts";
import {
  anyValue,
  type Field,
  findMismatches,
  functionFields,
  implementation,
  objectField,
  seconds,
  text,
  texts,
  union,
  whole,
} from "./policy/field.ts";
import { ProgramError } from "./rules/program_error.ts";
import type { GrantType, Server } from "./server.ts";
import type { Grant, Subject } from "./store/store.ts";
import type { Authorization } from "./token/grants/authenticated_request.ts";
import type { Granted } from "./token/grants/grant_functions.ts";
import type { TokenSteps } from "./token/steps.ts";

const scope = texts(["read"]);

/** What `authorize` of a grant type returns. Another member would have no effect, as a misspelt `consume`. */
const authorizationField: Field = {
  ...implementation<Authorization>({
    client: objectField,
    scope,
    ...{ grantId: text(["a random text"]), nonce: text(["a random text"]) },
    subject: {
      ...implementation<Pick<Subject, "sub">>({ sub: text(["alice"]) }, ["sub"]),
      expected: "an object with a sub, or left out",
    },
    grant: implementation<Pick<Grant, "scope" | "extensions">>({ scope, extensions: objectField }, ["scope"]),
    ...{ refresh: objectField, extensions: objectField, addedClaims: objectField, responseMembers: objectField },
    maxLifetimeSeconds: seconds(1800),
    ...functionFields("consume", "issue"),
  }, ["client", "scope", "grantId"]),
  others: undefined,
};

const string = text([]);
const time = whole(0, { expected: "a whole number" });

/** The claims that say whose a token is, for whom, until when, and what it is bound to. */
export const protocolClaims: Readonly<Record<string, Field>> = {
  ...{ iss: string, sub: string, client_id: string, scope: string, jti: string, nonce: string, sid: string },
  ...{ iat: time, exp: time, auth_time: time, at_hash: string, c_hash: string, s_hash: string },
  ...{ aud: union([string, texts([])], [], "a string or an array of strings"), act: objectField, cnf: objectField },
};

const tokens = { access_token: string, token_type: string, refresh_token: string, id_token: string, expires_in: time };

/** Claims, or members of a token response. Others may be any value. */
const membersField: Field = { ...objectField, members: { ...protocolClaims, ...tokens }, others: anyValue };

/** What the steps of a table return; those of other tables return nothing. */
export const returnedFields: Readonly<Partial<Record<keyof TokenSteps<Server>, Field>>> = {
  granted: {
    ...implementation<Granted>({ scope, consent: text([]), extensions: objectField }, ["scope"]),
    others: undefined,
  },
  narrowed: authorizationField,
  issue: membersField,
  accessTokenClaims: membersField,
  idTokenClaims: membersField,
  visibleClaims: objectField,
};

/**
 * Requires that what a function of a program returned matches its field.
 *
 * @param who The function, such as `authorize of the grant type urn:example:ticket`.
 * @throws {ProgramError} If it does not, or if a member or a claim is a promise.
 */
export function assertReturned(who: string, field: Field, returned: unknown): void {
  const members = Object.entries<unknown>(Object(returned));
  // The digest of a client's secret may be a promise.
  const inner = members.flatMap(([name, value]) =>
    typeof value === "object" && name !== "client" ? Object.entries<unknown>({ ...value }) : []
  );
  const promised = [...members, ...inner].filter(([, value]) => isThenable(value));
  for (const [, promise] of promised) ignoreRejection(promise);
  const [path] = promised[0] ?? [];
  const { issue, ...others } = path === undefined
    ? findMismatches(field, returned)[0] ?? {}
    : { issue: { path, expected: "a value", received: "a promise", hint: "Await it." }, suggestion: undefined };
  if (issue === undefined) return;
  // The hints for invalid values are those for settings.
  const fix = "suggestion" in others ? `. ${issue.hint}` : "";
  throw new ProgramError(
    `expected ${issue.path && `${issue.path} in `}what ${who} returned to be ${issue.expected}, received ` +
      issue.received + fix,
  );
}

/**
 * Requires that what `authorize` of a grant type returned is a result.
 *
 * @throws {ProgramError} If it is not.
 */
export function assertResult(result: Authorization, sender: Client, { type }: GrantType): void {
  // Without a user, the token is the client's own: `undefined` is probably a user who was not found.
  const present = ["subject", "consume"].filter((name) => isObject(result) && Object.hasOwn(result, name));
  const required = [...authorizationField.required!, ...present];
  assertReturned(`authorize of the grant type ${type}`, { ...authorizationField, required }, result);
  if (result.client.id === sender.id) return;
  throw new ProgramError(
    `expected client in what authorize of the grant type ${type} returned to be that of the request, received ` +
      quoteValue(result.client.id),
  );
}
