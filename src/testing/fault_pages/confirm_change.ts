/** Expires or revokes a token that a recorded flow issued: the form is on the page of the flow. */

import type { Context } from "../../core/http/context.ts";
import type { HostedServer } from "../../server/hosted_server.ts";
import { HttpError, type HttpResponse } from "../../core/http/message.ts";
import type { Params } from "../../core/http/params.ts";
import { storageKey } from "../../core/keys/secrets.ts";
import type { Server } from "../../core/server.ts";
import { revokeIssuedToken } from "../../core/token/revoke.ts";
import type { Flow } from "../../recorder/exchange.ts";
import type { TestClock } from "../clock.ts";
import { findIssuedToken, type IssuedToken } from "../../recorder/issued_tokens.ts";
import type { ServerControl } from "../test_control.ts";
import { redirectWithConfirmation } from "../../server/login/confirmation.ts";
import { formatLongDuration } from "../../server/pages/duration.ts";

/** What the page controls: a part of the control of a mock. */
export type PageControl = Pick<ServerControl, "clock" | "faults" | "revoke">;

/**
 * Expires the token that `expire` names, or revokes the one of `revoke`; `undefined` if the form names none.
 *
 * @throws {HttpError} 409 if the token is not recorded, not valid, or of a client that is not configured, or if the
 *   clock cannot reach its expiry.
 */
export async function changeToken(
  context: Context<HostedServer>,
  { clock }: PageControl,
  flows: readonly Flow[],
  form: Params,
): Promise<HttpResponse | undefined> {
  const { server, site } = context;
  const expire = form.get("expire");
  const reference = expire ?? form.get("revoke");
  if (reference === undefined) return undefined;
  const { flow, token } = findIssuedToken(flows, reference) ?? {};
  const client = token?.client === undefined ? undefined : await server.clients.find(token.client);
  if (flow === undefined || token === undefined || client?.standing !== "configured") throw notChangeable();
  const name = `${token.kind.replace("_", " ").replace("id ", "ID ")} of step ${token.step}`;
  let confirmation: string;
  if (expire === undefined) {
    if (!await revokeIssuedToken(server, token.value, "revoked on the page of its flow")) throw notChangeable();
    confirmation = `Revoked: ${name}${token.kind === "refresh_token" ? ", with every token of its grant" : ""}`;
  } else {
    const expiresAt = await findExpiry(server, token);
    if (expiresAt === undefined || expiresAt <= clock.now()) throw notChangeable();
    const seconds = Math.ceil((expiresAt - clock.now()) / 1000);
    confirmation = `Expired: ${name}. ${moveToExpiry(clock, seconds)}; /faults resets the clock`;
  }
  return await confirmChange(context, `${site.base}/flows/${flow.id}`, confirmation);
}

/** When a token expires: codes and refresh tokens as their records say. */
async function findExpiry(server: Server, { kind, value, expiresAt }: IssuedToken): Promise<number | undefined> {
  if (kind !== "code" && kind !== "refresh_token") return expiresAt;
  return (await server.store.get(kind, await storageKey(server, value)))?.value.validUntil;
}

function moveToExpiry(clock: TestClock, seconds: number): string {
  try {
    return moveClock(clock, seconds);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new HttpError(409, "FL-17", "This token cannot be expired: the clock cannot reach its expiry", {
      expected: "a token that expires before the year 10000",
      received: error.message,
    });
  }
}

function notChangeable(): HttpError {
  return new HttpError(
    409,
    "FL-17",
    "This token cannot be changed: it is not recorded or not valid, or its client is not configured",
    {
      expected: "a valid token of a configured client in a recorded flow",
    },
  );
}

/** Redirects to a page that shows the sentence. */
export async function confirmChange(
  context: Context<HostedServer>,
  location: string,
  change: string,
): Promise<HttpResponse> {
  const { server } = context;
  server.trace({ type: "changed_by_hand", at: server.now(), change });
  return await redirectWithConfirmation(context, location, change);
}

/**
 * Moves the clock. Returns the sentence that confirms it.
 *
 * @throws {RangeError} For an invalid number, and for a time outside of the years 1970 to 9999.
 */
function moveClock(clock: TestClock, seconds: number): string {
  const before = clock.now();
  clock.advance(seconds);
  return movedTo(before, clock.now());
}

/** The sentence that confirms a move of the clock between two times in milliseconds. */
export function movedTo(before: number, now: number): string {
  const seconds = Math.round((now - before) / 1000);
  const how = seconds < 0 ? "set back" : "moved";
  return `Clock ${how} by ${formatLongDuration(Math.abs(seconds))} to ${new Date(now).toISOString()}`;
}
