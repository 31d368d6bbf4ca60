/** The steps by which a token is made: those of the core, with those of extensions in their places. */

import type { CoreExtension } from "../extension.ts";
import { withRows } from "../place.ts";
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
  issuers: [
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
      for (const row of rows) nameFunctions(row, `${table} "${row.name}" of the extension ${name}`);
      return rows;
    });
    return withRows<AnyStep>(ownSteps[table], added, (row) => row.name);
  }) as unknown as TokenSteps<Server>;
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
export function replaceIssuer(
  steps: TokenSteps<Server>,
  token: string,
  replace: (issue: Issue<Server>) => Issue<Server>,
): TokenSteps<Server> {
  const { issuers } = steps;
  const known = issuers.map(({ name }) => name);
  if (!known.includes(token)) throw new ProgramError(`expected one of ${known.join(", ")}, received ${token}`);
  const replaced = issuers.map((row) => row.name === token ? { ...row, run: replace(row.run) } : row);
  return { ...steps, issuers: replaced };
}
