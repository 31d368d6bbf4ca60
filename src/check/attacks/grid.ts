/**
 * The response grid: rows of wrong values of one member of a response. A row is an attack, with the values that its
 * requirement forbids.
 */

import type { Fault } from "../../testing/faults/fault.ts";
import { status } from "../../testing/faults/mod.ts";
import { choiceParameter } from "../../testing/faults/parameters.ts";
import { overrideClaims, type SignedKind } from "../../testing/faults/resign.ts";
import { editJsonBody, editResponse, hasBody, responseText, withBodyText } from "../../testing/faults/response_body.ts";
import { editAuthorizationResponse } from "../../testing/faults/edit_authorization_response.ts";
import type { Scene, Stage } from "../attack.ts";
import { type Attack, type AttackSource, defineAttack } from "../define_attack.ts";
import { type WrongValues, wrongValues } from "./wrong_values.ts";

type Write = (value: unknown) => unknown;

/** A response of the server. */
export interface GridResponse {
  /** What titles call it. */
  readonly name: string;
  /** Whether every response is changed. Default: the next one. */
  readonly isSteady?: boolean;
  /** A fault that changes one member of the response. */
  change(name: string, member: string, write: Write): Fault;
}

export const jsonResponse = (name: string, others: Omit<GridResponse, "name" | "change"> = {}): GridResponse => ({
  name,
  ...others,
  change: (cell, member, write) => editJsonBody(cell, (members) => ({ ...members, [member]: write(members[member]) })),
});

export const claimsOf = (name: string, of?: SignedKind): GridResponse => ({
  name,
  change: (cell, claim, write) => overrideClaims(cell, (claims) => ({ [claim]: write(claims[claim]) }), of),
});

/** The parameters of an authorization response; one that has no such parameter stays as it is. */
export const authorizationResponseGrid: GridResponse = {
  name: "The authorization response",
  change: (cell, parameter, write) =>
    editAuthorizationResponse(cell, (fields) => {
      if (!fields.some(([name]) => name === parameter)) return undefined;
      return fields.flatMap(([name, value]): [string, string][] => {
        const written = name === parameter ? write(value) : value;
        return written === undefined ? [] : [[name, String(written)]];
      });
    }),
};

/** A row of the grid. */
export interface Row
  extends Omit<AttackSource<readonly []>, "title" | "parameters" | "variants" | "once" | "always" | "start"> {
  /** The member; several have the same requirement. */
  readonly member: string | readonly string[];
  /** The names of wrong values, or values of this row alone, by name. */
  readonly values: readonly string[] | WrongValues;
  /** Default: what the member is. */
  readonly title?: string;
}

const listed = (names: readonly string[]) =>
  names.length === 1 ? names[0]! : `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;

/** The attacks of some rows of one response. */
export function gridAttacks(response: GridResponse, rows: readonly Row[]): readonly Attack[] {
  return rows.map(({ member: given, values, perform, ...row }) => {
    const members = [given].flat();
    const [table, names] = values instanceof Array
      ? [wrongValues, values] as const
      : [values as WrongValues, Object.keys(values)] as const;
    const change = (
      { member = members[0]!, value }: { readonly member?: string; readonly value: string },
      scene: Scene,
    ) => response.change(`wrong ${member}: ${value}`, member, (old) => table[value]!(old, scene));
    const valueParameter = choiceParameter("value", names, "The wrong value, or how it differs from the correct one.");
    return defineAttack({
      title: `${response.name} has a wrong ${listed(members)}: ${listed(names)}.`,
      ...row,
      parameters: members.length === 1
        ? [valueParameter]
        : [choiceParameter("member", members, "The member that is changed."), valueParameter],
      variants: members.flatMap((member) => names.map((value) => ({ ...members.length > 1 && { member }, value }))),
      ...response.isSteady ? { always: change } : { once: change },
      ...perform && { perform: (stage: Stage) => perform(stage, {}) },
    });
  });
}

/** A successful response with this body. */
const ok = (text: string, type = "application/json") => status(200, { body: text, headers: { "content-type": type } });

/** Bodies that are no JSON object, by name; the page is that of a gateway. */
export const wrongBodies = {
  html: ok("<!DOCTYPE html>\n<title>Bad gateway</title>\n<h1>Bad gateway</h1>\n", "text/html"),
  truncated: editResponse("truncated body", "got a response with a body", hasBody, async (response) => {
    const text = await responseText(response);
    return withBodyText(response, text.slice(0, Math.ceil(text.length / 2)));
  }),
  ...{ empty: ok(""), null: ok("null"), list: ok("[]") },
} satisfies Readonly<Record<string, Fault>> as Readonly<Record<string, Fault>>;
