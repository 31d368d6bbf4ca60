/** Compares a rejected request with that of the client's last good login. */

import type { Exchange, Flow } from "../../recorder/exchange.ts";
import { redactFlow } from "../../recorder/redact.ts";
import { findFailure } from "./flow.ts";
import type { SinceSuccess } from "./pages/props.ts";

/** Parameters that a correct client sends with another value in each login. */
const newEachTime: ReadonlySet<string> = new Set([
  "state",
  "nonce",
  "code",
  "code_challenge",
  "code_verifier",
  "client_assertion",
  "request",
  "request_uri",
  "refresh_token",
  "token",
]);

/** Maximum number of characters of an earlier value. */
const maxValueChars = 100;

/**
 * Compares the request that failed a flow with the newest earlier one of the client that succeeded at the same endpoint
 * with the same grant type. Compares redacted values, so that no secret is part of the result.
 *
 * @param flows All recorded flows, oldest first.
 * @returns `undefined` without such a request, or without a difference.
 */
export function sinceSuccess(flows: readonly Flow[], flow: Flow): SinceSuccess | undefined {
  const failed = flow.exchanges[findFailure(flow.exchanges)];
  if (failed === undefined || flow.client === undefined) return undefined;
  const isLike = (exchange: Exchange) =>
    exchange.number < failed.number && exchange.outcome === "done" && exchange.endpoint === failed.endpoint &&
    grantTypeOf(exchange) === grantTypeOf(failed);
  const last = flows.findLast(({ id, client, exchanges }) =>
    id !== flow.id && client === flow.client && exchanges.some(isLike)
  );
  if (last === undefined) return undefined;
  const find = ({ exchanges }: Flow, number: number) => exchanges.find((exchange) => exchange.number === number)!;
  const before = find(redactFlow(last), last.exchanges.findLast(isLike)!.number);
  const differences = differencesOf(before, find(redactFlow(flow), failed.number));
  return differences.length === 0 ? undefined : { flow: last.id, differences };
}

function grantTypeOf({ request: { form } }: Exchange): string | undefined {
  return form.find(([name]) => name === "grant_type")?.[1];
}

function differencesOf(before: Exchange, now: Exchange): string[] {
  const [earlier, later] = [before, now].map(({ request: { query, form } }) => new Map([...query, ...form]));
  const names = new Set([...earlier!.keys(), ...later!.keys()]);
  return [
    ...before.auth === now.auth || before.auth === undefined ? [] : [`client authentication was ${before.auth}`],
    ...[...names].filter((name) => earlier!.get(name) !== later!.get(name)).flatMap((name) => {
      const value = earlier!.get(name);
      if (!later!.has(name)) return [`${name} is missing`];
      if (value === undefined) return [`${name} is new`];
      return newEachTime.has(name) ? [] : [`${name} was ${value.slice(0, maxValueChars)}`];
    }),
  ];
}
