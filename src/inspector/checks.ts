/** What was looked at in an exchange, in order: what held, what did not, and what was therefore left unlooked at. */

import type { Exchange } from "../recorder/exchange.ts";
import type { Check } from "../ui/flows/props.ts";
import { valueOf } from "./words.ts";

type Looked = readonly (readonly [rule: string, statement: string])[];

/** In the order of looking; a test compares it with what a request is found to hold that nothing is wrong with. */
const orders: Readonly<Record<string, Looked>> = {
  authorize: [
    ["AZ-02", "client_id is the id of a registered client"],
    ["RU-01", "redirect_uri is one that the client registered"],
    ["AZ-07", "no parameter was sent twice"],
    ["AZ-09", "response_type asks for a code, and the client is registered for it"],
    ["AZ-17", "scope holds what the server knows and the client may ask for"],
    ["PK-07", "code_challenge is an S256 challenge"],
  ],
  authorization_code: [
    ["TK-06", "grant_type is one that the client is registered for"],
    ["TK-16", "the code is one that this server issued"],
    ["CI-05", "the code was issued to the client that sends it"],
    ["TK-15", "redirect_uri is the one of the authorization request"],
    ["PK-09", "the S256 transformation of code_verifier is the code_challenge"],
    ["CI-02", "the code has not expired"],
    ["CI-06", "the code was not redeemed before, and never will be again"],
  ],
  refresh_token: [
    ["TK-06", "grant_type is one that the client is registered for"],
    ["RT-02", "the refresh token was issued to the client that sends it"],
    ["RT-07", "its grant goes on, and it has not lain idle too long"],
    ["RT-06", "scope asks for no more than was granted"],
    ["RT-04", "the refresh token was not used before; another one takes its place"],
  ],
};

/** Every check of an exchange. */
export function checksOf({ endpoint, request, held, refusal, warnings }: Exchange): Check[] {
  const checks: Check[] = held.map(({ rule, statement, value }) => ({ holds: true, rule, statement, value }));
  if (refusal === undefined) return checks;
  const { rule, reason, expected, received, earlier } = refusal.why;
  const order = endpoint === "token" ? valueOf(request.form, "grant_type") ?? "" : endpoint;
  const all = Object.hasOwn(orders, order) ? orders[order]! : [];
  const left = all.slice(all.findLastIndex(([known]) => held.some((one) => one.rule === known)) + 1)
    .filter(([known]) => known !== rule && !warnings.some((warning) => warning.rule === known));
  return [
    ...checks,
    { holds: false, rule, statement: reason, expected, received, earlier },
    ...left.map(([rule, statement]): Check => ({ holds: undefined, rule, statement })),
  ];
}

/** What was let pass, but should be mended. */
export function warningsOf({ warnings }: Exchange): Check[] {
  return warnings.map(({ rule, reason, ...compared }) => ({
    holds: undefined,
    rule,
    statement: `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`,
    ...compared,
  }));
}
