/** The steps by which a token is made: those of the core, with those of extensions in their places. */

import type { CoreExtension } from "../extension.ts";
import { isObject } from "../http/json_value.ts";
import { describeKind } from "../http/quote_value.ts";
import { replacedName, withRows } from "../place.ts";
import { nameFunctions } from "../replacements.ts";
import { ProgramError } from "../rules/program_error.ts";
import type { Server } from "../server.ts";
import { grantApproved } from "./grants/default_functions.ts";
import type { Issue, TokenSteps } from "./steps.ts";
import { issueRefreshToken } from "./tokens/issue_refresh_token.ts";
import {
  addClaimsOfGrantType,
  addProtocolClaims,
  addProtocolClaimsOfIdToken,
  addUserClaims,
  addUserClaimsOfIdToken,
  issueAccessToken,
  issueIdToken,
} from "./tokens/mod.ts";
import { showClaims } from "./introspect.ts";

/** The tables of every server. The ID token contains a digest of the access token, and so is issued after it. */
const ownSteps: TokenSteps<Server> = {
  granted: [{ name: "scope", run: grantApproved }],
  narrowed: [],
  beforeIssue: [],
  issue: [
    { name: "access_token", run: issueAccessToken },
    { name: "refresh_token", run: issueRefreshToken },
    { name: "id_token", run: issueIdToken },
  ],
  accessTokenClaims: [
    { name: "grant type", run: addClaimsOfGrantType },
    { name: "protocol", run: addProtocolClaims },
    { name: "user", run: addUserClaims },
  ],
  idTokenClaims: [
    { name: "protocol", run: addProtocolClaimsOfIdToken },
    { name: "user", run: addUserClaimsOfIdToken },
  ],
  afterIssue: [],
  visibleClaims: [{ name: "claims", run: showClaims }],
};

/** What the rows of a table return; those of other tables return nothing. */
const returns: Readonly<Partial<Record<keyof TokenSteps<Server>, string>>> = {
  granted: "what is granted",
  narrowed: "the authorization",
  issue: "members of the response",
  accessTokenClaims: "claims",
  idTokenClaims: "claims",
  visibleClaims: "claims",
};

/** What says whose a token is, for whom and until when: another claim of a user or an extension must not replace it. */
const protocolClaims = ["iss", "sub", "aud", "client_id", "scope", "iat", "exp", "jti", "nonce", "auth_time", "sid"];

type AnyStep = TokenSteps<Server>[keyof TokenSteps<Server>][number];

/** The names of the tables, with those of the rows of the core, which name places. */
export const placeNames: Readonly<Record<keyof TokenSteps<Server>, readonly string[]>> = mapTables(
  (table) => ownSteps[table].map(({ name }) => name),
);

/** The steps of a server with these extensions. */
export function stepsWith(extensions: readonly CoreExtension[]): TokenSteps<Server> {
  return mapTables((table) => {
    const added = extensions.flatMap(({ name, steps }): readonly AnyStep[] => {
      const rows: readonly AnyStep[] = steps?.[table] ?? [];
      return rows.map((row) => checkedStep(table, row, name));
    });
    return withRows<AnyStep>(ownSteps[table], added, (row) => row.name);
  }) as unknown as TokenSteps<Server>;
}

/** A step of an extension, which has a name in stacks, and rejects what it may not return. */
function checkedStep(table: keyof TokenSteps<Server>, row: AnyStep, extension: string): AnyStep {
  const { name, place, changes = [] } = row;
  const label = `${table} "${name}" of the extension ${extension}`;
  const run = async (...input: readonly unknown[]) => {
    const returned: unknown = await (row.run as (...input: readonly unknown[]) => unknown)(...input);
    const expected = returns[table];
    if (expected === undefined) return;
    if (!isObject(returned) || returned instanceof Error) {
      throw new ProgramError(`expected ${label} to return ${expected}, received ${describeKind(returned)}`);
    }
    const before = Object(input[1]);
    const changed = table.endsWith("TokenClaims") &&
      protocolClaims.find((claim) =>
        Object.hasOwn(returned, claim) && before[claim] !== undefined && returned[claim] !== before[claim] &&
        !changes.includes(claim)
      );
    if (!changed) return returned;
    throw new ProgramError(
      `expected ${label} to leave the claim ${changed} as it is. To change it, declare changes: ["${changed}"].`,
    );
  };
  nameFunctions([run], label);
  return { ...row, name: replacedName(place) ?? name, run: run as AnyStep["run"] } as AnyStep;
}

function mapTables<Value>(
  value: (table: keyof TokenSteps<Server>) => Value,
): Readonly<Record<keyof TokenSteps<Server>, Value>> {
  const tables = Object.keys(ownSteps) as (keyof TokenSteps<Server>)[];
  return Object.fromEntries(tables.map((table) => [table, value(table)])) as Record<keyof TokenSteps<Server>, Value>;
}

/**
 * The steps with another function that issues a token.
 *
 * @param token Its name, such as `refresh_token`.
 * @throws {ProgramError} If nothing issues it.
 */
export function replaceIssue(
  steps: TokenSteps<Server>,
  token: string,
  replace: (issue: Issue<Server>) => Issue<Server>,
): TokenSteps<Server> {
  const known = steps.issue.map(({ name }) => name);
  if (!known.includes(token)) throw new ProgramError(`expected one of ${known.join(", ")}, received ${token}`);
  return { ...steps, issue: steps.issue.map((row) => row.name === token ? { ...row, run: replace(row.run) } : row) };
}
