/**
 * `authorization_details` of an attack: objects that are in order, and objects with the text of the step in any place.
 */

import type { AuthorizationDetailsType } from "../../src/mod.ts";
import type { Step } from "./attack.ts";
import type { Pair } from "./request_draft.ts";

/** The types: one is closed, in the other one any text may stand as name and value. */
export const detailsSettings: { readonly authorizationDetails: Readonly<Record<string, AuthorizationDetailsType>> } = {
  authorizationDetails: {
    payment: {
      title: 'Payment <b>"now"</b>',
      schema: {
        $defs: { money: { properties: { currency: { enum: ["EUR", "USD"] }, value: { type: "number" } } } },
        properties: { amount: { $ref: "#/$defs/money", required: ["currency"] }, creditor: { type: "string" } },
        required: ["creditor"],
      },
    },
    files: {
      clientsWithoutUser: ["machine"],
      schema: { properties: { actions: { uniqueItems: true }, locations: true }, additionalProperties: true },
    },
  },
};

/** The parameter, in some of the steps: whole, with a text in it, or the text alone. */
export function detailsField({ pick, text }: Pick<Step, "pick" | "text">): Pair[] {
  if (pick % 4 !== 2) return [];
  const payment = { type: "payment", creditor: "Shop", amount: { currency: "EUR", value: 12.5 } };
  const files = { type: "files", actions: ["read", "write"], locations: ["https://api.example/a"] };
  const changed: readonly unknown[] = [
    [{ ...payment, creditor: text }, files],
    [{ ...files, [text]: text }],
    [{ ...files, other: { [text]: [text, { [text]: null }] } }],
    [{ type: text }],
    [{ ...files, actions: [text] }],
    [{ ...files, locations: text }],
    [{ ...payment, amount: { [text]: 1 } }],
    { [text]: payment },
    Array(40).fill(files),
  ];
  const whole = [[payment, files], [files], [{ ...files, actions: ["read"] }], [payment, payment]];
  const choice = Math.floor(pick / 4);
  if (choice % 7 === 0) return [["authorization_details", text]];
  const list = choice % 2 === 0 ? whole : changed;
  return [["authorization_details", JSON.stringify(list[choice % list.length])]];
}
