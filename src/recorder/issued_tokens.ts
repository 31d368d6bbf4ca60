/** The codes and tokens that a flow issued. */

import type { Exchange, Flow } from "./exchange.ts";
import { decodeJwtPart } from "../platform/http/jwt_part.ts";
import { parseJsonMembers } from "./record_response.ts";

export interface IssuedToken {
  readonly kind: "code" | "access_token" | "refresh_token" | "id_token";
  /** The code or token itself: redact it before you show it. */
  readonly value: string;
  /** The step that issued it; counts from 1 within the flow. */
  readonly step: number;
  /** Identifies the code or token among all flows: the number of the exchange, and the kind. */
  readonly reference: string;
  /** The client that it was issued to, by the event of the server; absent if a fault inserted the token. */
  readonly client?: string;
  /** When it expires according to the response, in milliseconds since the epoch. */
  readonly expiresAt?: number;
  /** The code or refresh token that it was issued for. */
  readonly exchangedFor?: string;
}

/** The codes and tokens that a flow issued, oldest first. The flow must not be redacted. */
export function issuedTokens(flow: Flow): IssuedToken[] {
  const tokens: IssuedToken[] = [];
  for (const [i, exchange] of flow.exchanges.entries()) {
    for (const token of findIssued(exchange, i + 1)) {
      // Without rotation, a refresh returns the same refresh token again.
      if (!tokens.some(({ value }) => value === token.value)) tokens.push(token);
    }
  }
  return tokens;
}

export function findIssuedToken(
  flows: readonly Flow[],
  reference: string,
): { readonly flow: Flow; readonly token: IssuedToken } | undefined {
  const number = Number(reference.split(".", 1)[0]);
  const flow = flows.find(({ exchanges }) => exchanges.some((exchange) => exchange.number === number));
  const token = flow && issuedTokens(flow).find((token) => token.reference === reference);
  return token && { flow: flow!, token };
}

/** The ID token that was issued last; `undefined` if no recorded response has one. */
export function findLastIdToken(exchanges: readonly Exchange[]): string | undefined {
  for (const exchange of exchanges.toReversed()) {
    for (const { kind, value } of findIssued(exchange, 0)) if (kind === "id_token") return value;
  }
  return undefined;
}

/** The exchange that issued the last code of a flow; `undefined` if there is none, or a token request followed it. */
export function findUnexchangedCode({ exchanges }: Flow): Exchange | undefined {
  const issued = exchanges.findLast((exchange) => sentCode(exchange) !== undefined);
  if (issued === undefined) return undefined;
  const isExchanged = exchanges.some(({ endpoint, number }) => endpoint === "token" && number > issued.number);
  return isExchanged ? undefined : issued;
}

/** The code that a response sends to the client. */
export function sentCode({ response }: Pick<Exchange, "response">): string | undefined {
  return response?.authorizationResponse?.params.find(([name]) => name === "code")?.[1];
}

function* findIssued(
  exchange: Exchange,
  step: number,
): Generator<IssuedToken> {
  const { caller, number, request, response, at, events } = exchange;
  // Not the client that the request names: its query may name any client.
  const client = events.find((event) => event.type === "code_issued" || event.type === "tokens_issued")?.client;
  const code = sentCode(exchange);
  if (code !== undefined) yield { kind: "code", value: code, step, reference: `${number}.code`, client };
  if (caller !== "client" || response?.status !== 200) return;
  const members = parseJsonMembers(response);
  const exchangedFor = ["code", "refresh_token"].flatMap((name) => request.form.filter((field) => field[0] === name))[0]
    ?.[1];
  for (const kind of ["access_token", "refresh_token", "id_token"] as const) {
    const value = members[kind];
    if (typeof value !== "string") continue;
    const { exp } = decodeJwtPart(value, 1);
    const expiresIn = kind === "access_token" ? members.expires_in : undefined;
    const expiresAt = typeof exp === "number"
      ? exp * 1000
      : typeof expiresIn === "number"
      ? at + expiresIn * 1000
      : undefined;
    yield { kind, value, step, reference: `${number}.${kind}`, client, expiresAt, exchangedFor };
  }
}
