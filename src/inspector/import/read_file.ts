/** Reads the file of an exported flow. It is untrusted: everything in it is checked before anything is used. */

import type { EndpointDescription } from "../../app/endpoint.ts";
import type { Fields } from "../../http/form.ts";
import { type ConfigIssue, type Path, quote, showPath } from "../../oauth/config/config_issue.ts";
import { validate } from "../../oauth/config/field.ts";
import { clientAuthMethodNames } from "../../oauth/clients/client.ts";
import type { Explanation } from "../../oauth/explanation.ts";
import { findTitle } from "../../recorder/exchange_draft.ts";
import { type Exchange, maxRecordedBodyChars, type RecordedResponse } from "../../recorder/exchange.ts";
import { getFlowOutcome } from "../../recorder/flow_index.ts";
import { parseJsonMembers } from "../../recorder/record_response.ts";
import { fixtureFile, harFile } from "./file_fields.ts";
import type { ReadFlow } from "./imported_flows.ts";

/** Maximum nesting of a file, of the items of a list or object, and of all values. */
const maxDepth = 40, maxItems = 1000, maxValues = 100_000;

/** Maximum number of issues to report. */
const maxIssues = 10;

/** What reading depends on. */
interface ReadOptions {
  /** The endpoints of this server: a test fixture has no titles. */
  readonly endpoints: readonly EndpointDescription[];
  /** The time of requests without one, in milliseconds since the epoch. */
  readonly now: number;
}

/** Reads a file: a HAR or a test fixture. Without a flow, `issues` says why. */
export function readFlowFile(
  text: string,
  options: ReadOptions,
): { readonly flow?: ReadFlow; readonly issues: readonly ConfigIssue[] } {
  let file: unknown;
  try {
    file = JSON.parse(text.replace(/^\ufeff/, ""));
  } catch {
    const hint = "Choose a file that “HAR” or “test fixture” on the page of a flow saved.";
    return { issues: [{ path: "file", expected: "JSON", received: quote(text.slice(0, 200)), hint }] };
  }
  const excess = findExcess(file);
  if (excess !== undefined) return { issues: [excess] };
  const isHar = typeof file === "object" && file !== null && "log" in file;
  const content = isHar ? file : withValueLists(file);
  const issues = validate(isHar ? harFile : fixtureFile, content);
  if (issues.length > 0) return { issues: issues.slice(0, maxIssues).map(withPath) };
  return isHar ? readHar(content as HarFile) : readFixture(content as FixtureFile, options);
}

function withPath(issue: ConfigIssue): ConfigIssue {
  return { ...issue, path: issue.path || "file" };
}

/** The first part of a file that is larger than any that this server writes. Not recursive: nesting may be deep. */
function findExcess(file: unknown): ConfigIssue | undefined {
  const open: { readonly value: unknown; readonly path: Path }[] = [{ value: file, path: [] }];
  let count = 0;
  const excess = (path: Path, expected: string, received: string): ConfigIssue => (
    { path: showPath(path) || "file", expected, received, hint: "Export a shorter flow." }
  );
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, path } = next;
    if (++count > maxValues) return excess([], `at most ${maxValues} values`, "more");
    if (typeof value === "string" && value.length > maxRecordedBodyChars) {
      return excess(path, `at most ${maxRecordedBodyChars} characters`, String(value.length));
    }
    if (typeof value !== "object" || value === null) continue;
    if (path.length === maxDepth) return excess(path.slice(0, 3), `at most ${maxDepth} levels`, "more");
    const isList = Array.isArray(value);
    const items = Object.entries(value);
    if (items.length > maxItems) return excess(path, `at most ${maxItems} items`, String(items.length));
    for (const [name, item] of items) open.push({ value: item, path: [...path, isList ? Number(name) : name] });
  }
  return undefined;
}

/** The names of the members of a fixture that have parameters by name. */
const fieldMembers: ReadonlySet<string> = new Set(["query", "form", "params"]);

/** A fixture whose parameters are lists of values, although one value is a text in the file. */
function withValueLists(file: unknown): unknown {
  const toLists = (part: unknown): unknown => mapMembers(part, (value) => typeof value === "string" ? [value] : value);
  const read = (part: unknown): unknown =>
    mapMembers(
      part,
      (value, name) => fieldMembers.has(name) ? toLists(value) : name === "authorizationResponse" ? read(value) : value,
    );
  return mapMembers(
    file,
    (exchanges, name) =>
      name !== "exchanges" || !Array.isArray(exchanges)
        ? exchanges
        : exchanges.map((exchange) =>
          mapMembers(exchange, (part, name) => name === "request" || name === "response" ? read(part) : part)
        ),
  );
}

/** The members of an object, changed. Any other value stays. */
function mapMembers(value: unknown, change: (member: unknown, name: string) => unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, change(member, name)]));
}

/** An exchange as a file contains it. */
type ReadExchange =
  & Omit<Exchange, "number" | "events" | "flow" | "auth" | "rejection" | "warnings">
  & {
    readonly auth?: string;
    readonly rejection?: { readonly error: string; readonly explanation: Explanation };
    readonly warnings: readonly Explanation[];
  };

/** The flow of exchanges. Their numbers count the steps. */
function toFlow(read: readonly ReadExchange[], format: ReadFlow["format"]): { flow: ReadFlow; issues: [] } {
  const exchanges = read.map(({ auth, rejection, warnings, ...exchange }, i): Exchange => {
    const method = clientAuthMethodNames.find((name) => name === auth);
    const doneLabel = issuedLabel(exchange.response) ?? exchange.doneLabel;
    return {
      ...exchange,
      number: i + 1,
      ...doneLabel !== undefined && { doneLabel },
      ...method && { auth: method },
      ...rejection &&
        { rejection: { error: rejection.error, explanation: withoutChange(rejection.explanation) } },
      warnings: warnings.map(withoutChange),
      events: [],
    };
  });
  const client = exchanges.find((exchange) => exchange.client !== undefined)?.client;
  const startedAt = exchanges[0]!.at;
  return {
    flow: { format, startedAt, ...client !== undefined && { client }, outcome: getFlowOutcome(exchanges), exchanges },
    issues: [],
  };
}

/** What a successful response issued: files have no events. */
function issuedLabel(response: RecordedResponse | undefined): string | undefined {
  if (response?.authorizationResponse?.params.some(([name]) => name === "code")) return "code issued";
  return response !== undefined && "access_token" in parseJsonMembers(response) ? "tokens issued" : undefined;
}

/** The explanation without the change of clients that would accept the request: a file must not lead to a form. */
function withoutChange({ change: _, ...explanation }: Explanation): Explanation {
  return explanation;
}

type Pairs = readonly { readonly name: string; readonly value: string }[];

/** A HAR after its validation. */
interface HarFile {
  readonly log: {
    readonly entries: readonly {
      readonly startedDateTime: string;
      readonly time: number;
      readonly request: {
        readonly method: string;
        readonly url: string;
        readonly headers: Pairs;
        readonly queryString: Pairs;
        readonly postData?: { readonly params?: Pairs; readonly text?: string };
      };
      readonly response: { readonly status: number; readonly headers: Pairs; readonly content: { text?: string } };
      readonly _latchkey:
        & Omit<ReadExchange, "at" | "respondedAt" | "request" | "response">
        & Pick<RecordedResponse, "authorizationResponse">
        & { readonly flow: string };
    }[];
  };
}

function readHar({ log: { entries } }: HarFile): ReturnType<typeof readFlowFile> {
  const flows = new Set(entries.map(({ _latchkey }) => _latchkey.flow));
  if (flows.size > 1) {
    const hint = "Export each flow from its page.";
    return { issues: [{ path: "log.entries", expected: "the entries of one flow", received: `${flows.size}`, hint }] };
  }
  return toFlow(
    entries.map(({ startedDateTime, time, request, response, _latchkey }): ReadExchange => {
      const { flow: _flow, newestAtResponse: _newest, authorizationResponse, ...facts } = _latchkey;
      const { params = [], text } = request.postData ?? {};
      const form = toFields(params);
      const body = form.length > 0 ? String(new URLSearchParams(form.map((field) => [...field]))) : text;
      const { status, headers, content } = response;
      const at = Date.parse(startedDateTime);
      return {
        ...facts,
        at,
        ...status !== 0 && { respondedAt: at + time },
        request: {
          method: request.method,
          path: (facts.origin === undefined ? "" : `//${new URL(facts.origin).host}`) +
            /^https?:\/\/[^/?#]*([^?]*)/i.exec(request.url)![1]!,
          headers: headersOf(request.headers),
          query: toFields(request.queryString),
          form,
          ...body !== undefined && { body },
        },
        ...status !== 0 && {
          response: {
            status,
            headers: headersOf(headers),
            ...content.text !== undefined && { body: content.text },
            ...authorizationResponse && {
              authorizationResponse: {
                uri: authorizationResponse.uri,
                params: authorizationResponse.params.map(([name = "", value = ""]) => [name, value]),
              },
            },
          },
        },
      };
    }),
    "HAR",
  );
}

function toFields(pairs: Pairs): Fields {
  return pairs.map(({ name, value }) => [name, value]);
}

/** Headers by lower-case name; repeated ones are separated by line breaks. */
function headersOf(pairs: Pairs): Readonly<Record<string, string>> {
  const headers = new Map<string, string>();
  for (const { name, value } of pairs) {
    const key = name.toLowerCase();
    const earlier = headers.get(key);
    headers.set(key, earlier === undefined ? value : `${earlier}\n${value}`);
  }
  return Object.fromEntries(headers);
}

type ValueLists = Readonly<Record<string, readonly string[]>>;

/** A test fixture after its validation. */
interface FixtureFile {
  readonly exchanges: readonly (
    & Pick<ReadExchange, "endpoint" | "outcome" | "client" | "auth" | "faults">
    & {
      readonly request: {
        readonly method: string;
        readonly path: string;
        readonly headers?: Readonly<Record<string, string>>;
        readonly query?: ValueLists;
        readonly form?: ValueLists;
        readonly body?: string;
      };
      readonly response?: {
        readonly status: number;
        readonly headers?: Readonly<Record<string, string>>;
        readonly authorizationResponse?: { readonly uri: string; readonly params: ValueLists };
        readonly body?: unknown;
      };
      readonly passed: readonly Exchange["passed"][number]["rule"][];
      readonly rejection?: Explanation & { readonly error: string };
      readonly warnings: readonly NonNullable<Explanation["rule"]>[];
    }
  )[];
}

function readFixture({ exchanges }: FixtureFile, { endpoints, now }: ReadOptions): ReturnType<typeof readFlowFile> {
  return toFlow(
    exchanges.map(({ request, response, passed, rejection, warnings, ...facts }): ReadExchange => {
      const form = toValues(request.form);
      const endpoint = endpoints.find(({ name }) => name === facts.endpoint);
      const { error, ...explanation } = rejection ?? {};
      return {
        ...facts,
        at: now,
        title: endpoint === undefined ? facts.endpoint : findTitle(endpoint, { form }),
        ...endpoint?.doneLabel !== undefined && { doneLabel: endpoint.doneLabel },
        caller: endpoint?.caller ?? "any",
        request: {
          method: request.method,
          path: request.path,
          headers: request.headers ?? {},
          query: toValues(request.query),
          form,
          ...request.body !== undefined && { body: request.body },
        },
        ...response && {
          response: {
            status: response.status,
            headers: response.headers ?? {},
            ...response.body !== undefined && { body: toText(response.body) },
            ...response.authorizationResponse && {
              authorizationResponse: {
                uri: response.authorizationResponse.uri,
                params: toValues(response.authorizationResponse.params),
              },
            },
          },
        },
        passed: passed.map((rule) => ({ rule })),
        ...error !== undefined && { rejection: { error, explanation: explanation as Explanation } },
        warnings: warnings.map((rule) => ({ rule, reason: `A warning of rule ${rule}` })),
      };
    }),
    "test fixture",
  );
}

function toValues(lists: ValueLists = {}): Fields {
  return Object.entries(lists).flatMap(([name, values]) => values.map((value) => [name, value] as const));
}

function toText(body: unknown): string {
  return typeof body === "string" ? body : JSON.stringify(body);
}
