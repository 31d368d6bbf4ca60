/** Rejected requests: a separate server rejects each, and the page of the rule shows the explanation. */

import type { RejectedExample } from "../ui/docs/props.ts";
import type { Fields, Mistake, Step } from "./mistakes.ts";

/** The examples so far; each is made once. */
const made = new Map<string, Promise<RejectedExample | undefined>>();

/** The rejection of a request that breaks the rule; `undefined` if there is no such request. */
export function rejectedExample(id: string): Promise<RejectedExample | undefined> {
  const example = made.get(id) ?? makeExample(id);
  made.set(id, example);
  example.catch(() => made.delete(id));
  return example;
}

async function makeExample(id: string): Promise<RejectedExample | undefined> {
  const { issuer, mistakes } = await import("./mistakes.ts");
  return Object.hasOwn(mistakes, id) ? await reject(issuer, mistakes[id as keyof typeof mistakes]!) : undefined;
}

async function reject(issuer: string, { steps, options = {} }: Mistake): Promise<RejectedExample> {
  const { latchkey } = await import("../server/latchkey.ts");
  const last = steps.at(-1)!;
  let now = Date.UTC(2026, 0, 1);
  let example: RejectedExample | undefined;
  await using server = await latchkey({
    issuer,
    alg: "ES256",
    now: () => now,
    ...options,
    trace(event) {
      if (event.type !== "rejected") return;
      const { reason, expected, received, rule } = event.explanation;
      const settings = Object.keys(options).length === 0 ? undefined : JSON.stringify(options);
      example = {
        ...describe(last),
        earlier: steps.length - 1,
        settings,
        error: event.error,
        rule,
        reason,
        expected,
        received,
      };
    },
  });
  /** The members of the responses so far; `first_…` is that of the first response with it. */
  const known = new Map<string, string>();
  for (const step of steps) {
    now += (step.seconds ?? 0) * 1000;
    const response = await server.fetch(toRequest(issuer, step, known));
    for (const [name, value] of await readMembers(response)) {
      if (!known.has(name)) known.set(`first_${name}`, value);
      known.set(name, value);
    }
  }
  if (example === undefined) throw new Error("The server accepted the request of an example");
  return example;
}

function toRequest(issuer: string, { to, fields, from, headers = {}, body }: Step, known: Map<string, string>) {
  const fill = (text: string) => text.replace(/\$(\w+)/, (whole, name) => known.get(name) ?? whole);
  const [method, path] = to.split(" ") as [string, string];
  const parameters = new URLSearchParams(
    listFields({ ...from, ...fields }).map(([name, value]) => [name, fill(value)]),
  );
  const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fill(value)]));
  return method === "GET"
    ? new Request(`${issuer}${path}${parameters.size > 0 ? `?${parameters}` : ""}`, { headers: sent })
    : new Request(issuer + path, { method, headers: sent, body: body ?? parameters });
}

/** The members of a JSON body, and the parameters of a redirect. */
async function readMembers(response: Response): Promise<[string, string][]> {
  const location = response.headers.get("location");
  const isJson = response.headers.get("content-type")?.startsWith("application/json");
  const body = await response.text();
  return [
    ...location === null ? [] : new URL(location).searchParams,
    ...isJson
      ? Object.entries<unknown>(JSON.parse(body)).map(([name, value]): [string, string] => [name, String(value)])
      : [],
  ];
}

function listFields(fields: Fields): [string, string][] {
  return Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((one): [string, string] => [name, one])
  );
}

/** What the request has in place of a correct one. */
function describe({ to, fields, headers = {}, body, seconds }: Step): Pick<RejectedExample, "to" | "sent" | "seconds"> {
  const left = Object.keys(fields).filter((name) => fields[name] === undefined).map((name) => `no ${name}`);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const sent = listFields(fields).map(([name, value]) => `${name}=${value}`);
  return { to, sent: [...left, ...sent, ...lines, ...body === undefined ? [] : [body]].map(shorten), seconds };
}

/** Maximum length of a shown value, in characters. */
const maxShownChars = 120;

/** Leaves out the values that the server chose, and the end of long ones. */
function shorten(value: string): string {
  const text = value.replace(/\$\w+/, "…");
  return text.length <= maxShownChars ? text : `${text.slice(0, maxShownChars / 2)}… (${text.length} characters)`;
}
