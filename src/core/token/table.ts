/** The steps by which a token is made: those of the core, with those of extensions in their places. */

import type { UserClaims } from "../clients/claims.ts";
import type { CoreExtension } from "../extension.ts";
import { quoteValue } from "../http/quote_value.ts";
import { replacedName, withRows } from "../place.ts";
import { nameFunctions } from "../replacements.ts";
import { ProgramError } from "../rules/program_error.ts";
import type { Server } from "../server.ts";
import type { Authorization } from "./grants/authenticated_request.ts";
import { grantApproved } from "./grants/default_grant_functions.ts";
import { assertReturned, protocolClaims, returnedFields } from "../returned.ts";
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
  showClaims,
} from "./tokens/mod.ts";

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

type AnyStep = TokenSteps<Server>[keyof TokenSteps<Server>][number];

/** The names of the tables, with those of the rows of the core, which name places. */
export const placeNames: Readonly<Record<keyof TokenSteps<Server>, readonly string[]>> = mapTables(
  (table) => ownSteps[table].map(({ name }) => name),
);

/**
 * The steps of a server with these extensions.
 *
 * @param supplied See `grantTypesOf`.
 */
export function stepsWith(
  extensions: readonly CoreExtension[],
  supplied: readonly CoreExtension[] = [],
): TokenSteps<Server> {
  return mapTables((table) => {
    const added = extensions.flatMap((extension): readonly AnyStep[] => {
      const rows: readonly AnyStep[] = extension.steps?.[table] ?? [];
      const isSupplied = supplied.includes(extension);
      return rows.map((row) => (isSupplied ? namedStep : checkedStep)(table, row, extension.name));
    });
    return withRows<AnyStep>(ownSteps[table], added, (row) => row.name);
  }) as unknown as TokenSteps<Server>;
}

/** A step of an extension; its function has a name in stack traces. */
function namedStep(table: keyof TokenSteps<Server>, row: AnyStep, extension: string): AnyStep {
  nameFunctions([row.run], stepLabel(table, row, extension));
  return { ...row, name: replacedName(row.place) ?? row.name };
}

function stepLabel(table: keyof TokenSteps<Server>, { name }: AnyStep, extension: string): string {
  return `${table} "${name}" of the extension ${extension}`;
}

/** A step of a program, which throws if its function returns what it may not. */
function checkedStep(table: keyof TokenSteps<Server>, row: AnyStep, extension: string): AnyStep {
  const label = stepLabel(table, row, extension);
  const run = async (...input: readonly unknown[]) => {
    const returned: unknown = await (row.run as (...input: readonly unknown[]) => unknown)(...input);
    const field = returnedFields[table];
    if (field === undefined) return;
    assertReturned(label, field, returned);
    const mistake = findMistake(table, row, extension, Object(input[1]), Object(returned));
    if (mistake === undefined) return returned;
    throw new ProgramError(`expected ${label} to ${mistake}`);
  };
  return namedStep(table, { ...row, run } as AnyStep, extension);
}

/** What a step should have done instead, if what it returned loses or changes what it may not. */
function findMistake(
  table: keyof TokenSteps<Server>,
  { changes = [] }: AnyStep,
  extension: string,
  before: Partial<Authorization> & UserClaims,
  after: Partial<Authorization> & UserClaims,
): string | undefined {
  if (table.endsWith("TokenClaims")) {
    const isChanged = (claim: string) => claim in before && claim in after && before[claim] !== after[claim];
    const changed = Object.keys(protocolClaims).find((claim) => isChanged(claim) && !changes.includes(claim));
    return changed && `leave the claim ${changed} as it is. To change it, declare changes: ["${changed}"].`;
  }
  if (table !== "granted" && table !== "narrowed") return undefined;
  return findUnkept(table, "before", before, after, extension) ??
    findUnkept(table, "before.grant", { ...before.grant }, { ...after.grant }, extension);
}

/** What a step did not keep of an object: members, values of other extensions, whose it is, and the limit of scope. */
function findUnkept(
  table: "granted" | "narrowed",
  path: string,
  before: Partial<Authorization> & UserClaims,
  after: Partial<Authorization> & UserClaims,
  extension: string,
): string | undefined {
  const findLost = (path: string, former: UserClaims = {}, current: UserClaims = {}, ignored: string) => {
    const isLost = (name: string) => name !== ignored && former[name] !== undefined && current[name] === undefined;
    const lost = Object.keys(former).find(isLost);
    return lost && `return ${lost} too: begin with { ...${path} }`;
  };
  const lost = findLost(path, before, after, "extensions") ??
    findLost(`${path}.extensions`, before.extensions, after.extensions, extension);
  if (lost !== undefined || table === "granted") return lost;
  if (before.subject?.sub !== after.subject?.sub) return `leave the user of ${path} as it is`;
  const changed = ["grantId", "clientId", "consent", "approvedAt"].find((name) => before[name] !== after[name]);
  if (changed !== undefined) return `leave ${changed} of ${path} as it is`;
  const more = after.scope?.find((value) => !before.scope?.includes(value));
  return more === undefined ? undefined : `return only scope values of ${path}, received ${quoteValue(more)}`;
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
 * @param token The name of the step, such as `refresh_token`.
 * @param replace Returns the new function. It receives the former one, which the new one can call.
 * @throws {ProgramError} If nothing issues it.
 */
export function wrapIssueStep(
  steps: TokenSteps<Server>,
  token: string,
  replace: (issue: Issue<Server>) => Issue<Server>,
): TokenSteps<Server> {
  const known = steps.issue.map(({ name }) => name);
  if (!known.includes(token)) throw new ProgramError(`expected one of ${known.join(", ")}, received ${token}`);
  const wrap = (row: TokenSteps<Server>["issue"][number]) =>
    checkedStep("issue", { ...row, run: replace(row.run) }, "that wraps it") as typeof row;
  return { ...steps, issue: steps.issue.map((row) => row.name === token ? wrap(row) : row) };
}
