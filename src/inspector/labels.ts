/** What flows and their steps are called, and how they stand, in words. */

import type { Exchange, Flow } from "../recorder/exchange.ts";
import type { FlowKind, Standing } from "../ui/flows/props.ts";

const titles: Readonly<Record<Exchange["endpoint"], string>> = {
  authorize: "Authorization request",
  login: "Login",
  consent: "Consent",
  token: "Token request",
  jwks: "Keys",
  userinfo: "Userinfo",
  revoke: "Revocation",
  introspect: "Introspection",
  logout: "Logout",
  discovery: "Metadata",
  page: "Page",
};

const grants: Readonly<Record<string, string>> = {
  authorization_code: "Code for tokens",
  refresh_token: "Refresh",
  client_credentials: "Tokens for the client itself",
};

/** What a step is called. */
export function titleOf({ endpoint, request }: Exchange): string {
  const grant = endpoint === "token" ? valueOf(request.form, "grant_type") : undefined;
  return grant !== undefined && Object.hasOwn(grants, grant) ? grants[grant]! : titles[endpoint];
}

/** How a step ended. */
export function standingOf(exchange: Exchange): Standing {
  const { endpoint, outcome, refusal, events, warnings, answer } = exchange;
  switch (outcome) {
    case "under way":
      return { mark: "open", words: "under way" };
    case "asked":
      return { mark: "open", words: "asks the person" };
    case "lost":
      return { mark: "bad", words: "no answer" };
    case "refused":
      return { mark: "bad", words: refusal === undefined ? `refused, ${answer?.status ?? "no status"}` : "refused" };
    case "done": {
      const issued = ["tokens_issued", "code_issued"].find((issued) => events.some(({ type }) => type === issued));
      const words = issued?.replace("_", " ") ?? done[endpoint] ?? "answered";
      return warnings.length === 0 ? { mark: "good", words } : { mark: "warn", words: `${words}, with a warning` };
    }
  }
}

const done: Partial<Readonly<Record<Exchange["endpoint"], string>>> = {
  login: "logged in",
  revoke: "revoked",
  logout: "logged out",
  userinfo: "claims told",
};

/** How a flow stands: by its last step, unless nothing but what came before it tells what is awaited. */
export function flowStanding({ outcome, exchanges }: Flow): Standing {
  const last = exchanges.at(-1);
  if (last === undefined) return { mark: "open", words: "empty" };
  if (outcome === "under way" && last.outcome === "done") return { mark: "open", words: "code not redeemed yet" };
  return standingOf(last);
}

/** What a flow is filtered by. */
export function kindOf({ outcome }: Flow): FlowKind {
  if (outcome === "done") return "done";
  return outcome === "refused" || outcome === "lost" ? "refused" : "open";
}

/** A time as it is from now: `in 5 minutes`, `2 hours ago`. Both in milliseconds. */
export function fromNow(at: number, now: number): string {
  const seconds = Math.round(Math.abs(at - now) / 1000);
  if (seconds === 0) return "now";
  const [unit, size] = units.find(([, size]) => seconds >= size)!;
  const amount = Math.floor(seconds / size);
  const words = `${amount} ${unit}${amount === 1 ? "" : "s"}`;
  return at > now ? `in ${words}` : `${words} ago`;
}

const units = [["day", 86_400], ["hour", 3600], ["minute", 60], ["second", 1]] as const;

/** A time in UTC: of day to the second, and with its date where that is not today's. */
export function clock(at: number, now: number): string {
  const [date, time] = new Date(at).toISOString().split("T") as [string, string];
  const today = new Date(now).toISOString().startsWith(date);
  return today ? time.slice(0, 8) : `${date} ${time.slice(0, 5)}`;
}

/** The first field of a name. */
export function valueOf(fields: Exchange["request"]["form"], name: string): string | undefined {
  return fields.find(([known]) => known === name)?.[1];
}
