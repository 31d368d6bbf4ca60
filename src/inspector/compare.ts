/** The props of the page that compares two flows: steps aligned by endpoint, and what differs between them. */

import type { EndpointDescription } from "../app/endpoint.ts";
import type { Exchange, Flow } from "../recorder/exchange.ts";
import { toFixture } from "../recorder/export/fixture.ts";
import type { Recorder } from "../recorder/recorder.ts";
import { normalizeExchanges } from "../recorder/export/normalize.ts";
import { redactFlow } from "../recorder/redact.ts";
import type { ComparedStep, CompareProps, Difference, DifferingText, StepPair } from "../ui/flows/compare.tsx";
import type { ComparableFlow, MessageDetails } from "../ui/flows/props.ts";
import { flowRow, stepPath } from "./flow.ts";
import { isImported } from "./import/imported_flows.ts";
import { readFlowFile } from "./import/read_file.ts";
import { exchangeStatus, exchangeTitle, flowKind, isFromClient } from "./labels.ts";
import { requestMessage, responseMessage } from "./message.ts";

/**
 * The recorded flow to compare a flow with. If it is not successful: the newest successful flow of the same client that
 * begins at the same endpoint. If it is imported: the newest such flow, if possible of that client.
 */
export function findComparable(recorder: Recorder, flow: Flow): ComparableFlow | undefined {
  const { client, exchanges: [first] } = flow;
  const flows = recorder.flows();
  const beginsAlike = (other: Flow) => other.exchanges[0]?.endpoint === first?.endpoint;
  if (isImported(flow)) {
    const alike = flows.filter(beginsAlike);
    const other = alike.findLast((other) => other.client === client) ?? alike.at(-1);
    return other && { id: other.id, label: `flow ${other.id}` };
  }
  if (client === undefined || flowKind(flow) === "done") return undefined;
  const successful = flows.findLast((other) =>
    other.client === client && flowKind(other) === "done" && beginsAlike(other)
  );
  return successful && { id: successful.id, label: "the last successful flow" };
}

/**
 * Makes two flows comparable: a test fixture lacks headers, so the flow beside one is converted to a fixture, too.
 *
 * @param endpoints The endpoints of this server.
 */
export function toComparable(
  flows: readonly [Flow, Flow],
  endpoints: readonly EndpointDescription[],
): readonly [Flow, Flow] {
  const isFixture = (flow: Flow) => isImported(flow) && flow.format === "test fixture";
  if (!flows.some(isFixture)) return flows;
  const [a, b] = flows.map((flow) => {
    const read = isFixture(flow)
      ? undefined
      : readFlowFile(JSON.stringify(toFixture(flow)), { endpoints, now: flow.startedAt }).flow;
    return read === undefined ? flow : { ...flow, exchanges: read.exchanges };
  });
  return [a!, b!];
}

/** A recorded exchange, as pages show it and as it is compared. */
interface Step {
  readonly original: Exchange;
  readonly masked: Exchange;
  /** The exchange with placeholders for values that differ in every login, such as codes and times. */
  readonly normalized: Exchange;
  /** Counts from 1. */
  readonly number: number;
  /** The path of the step. */
  readonly href: string;
}

type Pair = readonly [Step | undefined, Step | undefined];

/** The size of a page, in bytes by estimate, beside its head. */
const maxPageBytes = 10_000;

/** Bytes of a difference beside its texts, by estimate. */
const bytesPerDifference = 150;

/** Bytes of an equal value beside its texts, by estimate. */
const bytesPerEqual = 60;

/** Bytes of a pair of steps without its compared values, by estimate. */
const bytesPerPair = 700;

/** Maximum number of steps of each flow that are aligned. */
const maxAlignedSteps = 200;

/** The props for two flows, from a pair of steps on. Counts from 1. */
export function describeComparison(
  a: Flow,
  b: Flow,
  from: number,
): Pick<CompareProps, "flows" | "pairs" | "first" | "next" | "leftOut"> {
  const flows = [a, b] as const;
  const pairs = alignSteps(stepsOf(a), stepsOf(b));
  const start = Math.min(Math.max(1, Math.trunc(from)), Math.max(1, pairs.length));
  const shown: StepPair[] = [];
  let bytes = 0;
  for (const pair of pairs.slice(start - 1)) {
    const { described, size } = describePair(pair);
    if (shown.length > 0 && bytes + size > maxPageBytes) break;
    shown.push(described);
    bytes += size;
  }
  const next = start + shown.length;
  return {
    flows: flows.map((flow) => {
      const { id, client, outcome, status, rejection, imported } = flowRow(redactFlow(flow));
      const summary = cutText(rejection?.reason ?? status.label, maxDifferingChars);
      return {
        id,
        client: client && cutText(client, maxNameChars),
        outcome,
        imported: imported !== undefined,
        summary,
      };
    }),
    pairs: shown,
    first: start,
    next: next <= pairs.length ? next : undefined,
    leftOut: Math.max(0, ...flows.map(({ exchanges }) => exchanges.filter(isFromClient).length - maxAlignedSteps)),
  };
}

function stepsOf(flow: Flow): Step[] {
  const masked = redactFlow(flow).exchanges;
  const normalized = normalizeExchanges(flow.exchanges);
  return flow.exchanges
    .map((original, i) => ({
      original,
      masked: masked[i]!,
      normalized: normalized[i]!,
      number: i + 1,
      href: stepPath(flow, i + 1),
    }))
    .filter(({ original }) => isFromClient(original))
    .slice(0, maxAlignedSteps);
}

/** The longest alignment in which the steps of each pair have the same endpoint, and if possible the same title. */
function alignSteps(first: readonly Step[], second: readonly Step[]): Pair[] {
  const likeness = ({ original: one }: Step, { original: other }: Step) =>
    one.endpoint !== other.endpoint || one.request.method !== other.request.method
      ? 0
      : one.title === other.title
      ? 3
      : 2;
  // best[i][j]: the likeness of the best alignment of the steps from i and from j on.
  const best = Array.from({ length: first.length + 1 }, () => new Array<number>(second.length + 1).fill(0));
  for (let i = first.length - 1; i >= 0; i--) {
    for (let j = second.length - 1; j >= 0; j--) {
      const alike = likeness(first[i]!, second[j]!);
      const paired = alike === 0 ? 0 : alike + best[i + 1]![j + 1]!;
      best[i]![j] = Math.max(paired, best[i + 1]![j]!, best[i]![j + 1]!);
    }
  }
  const pairs: Pair[] = [];
  let [i, j] = [0, 0];
  while (i < first.length && j < second.length) {
    const alike = likeness(first[i]!, second[j]!);
    if (alike > 0 && best[i]![j] === alike + best[i + 1]![j + 1]!) pairs.push([first[i++], second[j++]]);
    else if (best[i]![j] === best[i + 1]![j]) pairs.push([first[i++], undefined]);
    else pairs.push([undefined, second[j++]]);
  }
  return [
    ...pairs,
    ...first.slice(i).map((step): Pair => [step, undefined]),
    ...second.slice(j).map((step): Pair => [undefined, step]),
  ];
}

/** A value of a step: where it stands, as shown and as compared. */
interface Value {
  readonly place: string;
  readonly name: string;
  readonly shown: string;
  readonly compared: string;
}

/** The place of response headers. */
const headerPlace = "response header";

/** The headers that follow from the status of a response, because they belong to the page or JSON of an error. */
const pageHeader = /^(?:content-type|content-security-policy|link|referrer-policy|x-[\w-]+)$/;

/** The places of values, in the order of the page: the parts of the request come first. */
const places = [
  ...["request", "request query", "request body", "request header"],
  ...["response", "authorization response", "response body", headerPlace],
];

/** The pair as props, with its size in bytes by estimate. What does not fit on a page is counted. */
function describePair([one, other]: Pair): { readonly described: StepPair; readonly size: number } {
  const steps = [one, other].map((step) => step && describeStep(step));
  const differences: Difference[] = [];
  const equal: { name: string; value: string }[] = [];
  let size = bytesPerPair + bytesOf(steps.map((step) => step?.reason).join(""));
  let hidden = 0;
  const fits = (bytes: number) => {
    const isSmall = size + bytes <= maxPageBytes;
    if (isSmall) size += bytes;
    else hidden++;
    return isSmall;
  };
  if (one !== undefined && other !== undefined) {
    const [values, others] = [valuesOf(one), valuesOf(other)];
    const pairs = [...new Set([...values.keys(), ...others.keys()])].map((key) =>
      [values.get(key), others.get(key)] as const
    );
    const rank = ([value, other]: readonly [Value | undefined, Value | undefined]) =>
      places.indexOf((value ?? other)!.place);
    const haveOneStatus = one.original.response?.status === other.original.response?.status;
    for (const pair of pairs.toSorted((first, second) => rank(first) - rank(second))) {
      const { place, name } = (pair[0] ?? pair[1])!;
      if (!haveOneStatus && pair.includes(undefined) && place === headerPlace && pageHeader.test(name)) continue;
      if (isEqual(...pair)) {
        equal.push({ name, value: cutText(pair[0]!.shown, maxEqualChars) });
        continue;
      }
      const texts = differingTexts(pair[0]?.shown, pair[1]?.shown);
      const text = name + texts.flatMap((text) => Object.values(text ?? {})).join("");
      if (fits(bytesPerDifference + bytesOf(text))) differences.push({ place, name, texts });
    }
  }
  const shown = equal.filter(({ name, value }) => fits(bytesPerEqual + bytesOf(name + value)));
  return { described: { steps, differences, equal: shown, hidden }, size };
}

/** Placeholders of secrets that a client keeps between logins: two different redacted forms are a difference. */
const keptSecret = /\{\{(?:client_secret|password) \d+\}\}/;

function isEqual(one: Value | undefined, other: Value | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  return one.compared === other.compared && (one.shown === other.shown || !keptSecret.test(one.compared));
}

function describeStep({ masked, number, href }: Step): ComparedStep {
  return {
    ...{ number, href, title: exchangeTitle(masked), status: exchangeStatus(masked) },
    ...masked.rejection && { reason: cutText(masked.rejection.explanation.reason, maxDifferingChars) },
  };
}

/** The link of a rejection to its own step. */
const stepLink = /(\/flows\/of\/)\d+/g;

/** The values of request and response, by place and name; the key of a repeated name has another number. */
function valuesOf({ original, masked, normalized }: Step): Map<string, Value> {
  const values = new Map<string, Value>();
  const options = { secrets: false, now: 0 };
  const add = (message: string, shown: MessageDetails | undefined, compared: MessageDetails | undefined) => {
    if (shown === undefined || compared === undefined) return;
    const put = (place: string, name: string, comparedName: string, texts: Pick<Value, "shown" | "compared">) => {
      const key = JSON.stringify([place, comparedName]);
      let count = 1;
      while (values.has(`${key}${count}`)) count++;
      values.set(`${key}${count}`, {
        place,
        name: cutText(name, maxNameChars),
        shown: texts.shown,
        compared: texts.compared.replace(stepLink, "$1"),
      });
    };
    const line = message === "request" ? "method and path" : "status";
    put(message, line, line, { shown: shown.line, compared: compared.line });
    shown.parts.forEach(({ title, sent }, p) => {
      const [, target] = /^Sent to ([^]*)/.exec(title) ?? [];
      if (target !== undefined) {
        const comparedTarget = compared.parts[p]!.title.slice("Sent to ".length);
        put("authorization response", "sent to", "sent to", { shown: target, compared: comparedTarget });
      }
      const place = target !== undefined
        ? "authorization response"
        : `${message} ${title === "In the query" ? "query" : "body"}`;
      sent.forEach(({ name, value }, i) => {
        const other = compared.parts[p]!.sent[i]!;
        put(place, name, other.name, { shown: value, compared: other.value });
      });
    });
    if (shown.text !== undefined) {
      put(`${message} body`, "text", "text", { shown: shown.text, compared: compared.text ?? "" });
    }
    shown.headers.forEach(({ name, value }, i) => {
      // The length follows from values that differ in every login.
      if (name === "content-length") return;
      const other = compared.headers[i]!;
      put(`${message} header`, name, other.name, { shown: value, compared: other.value });
    });
  };
  add(
    "request",
    requestMessage({ original, masked }, options),
    requestMessage({ original, masked: normalized }, options),
  );
  add(
    "response",
    responseMessage({ original, masked }, options),
    responseMessage({ original, masked: normalized }, options),
  );
  return values;
}

/** Maximum length of a name, in characters. */
const maxNameChars = 80;

/** Maximum length of an equal value, in characters. */
const maxEqualChars = 100;

/** Maximum length of the text that differs, in characters. */
const maxDifferingChars = 200;

/** Maximum length of the equal text on each side of it, in characters. */
const maxContextChars = 60;

/** Two values, each with the part that differs; undefined: absent. */
function differingTexts(one: string | undefined, other: string | undefined): (DifferingText | undefined)[] {
  const [first, second] = [one, other].map((text) => text === undefined ? undefined : [...text]);
  let [start, end] = [0, 0];
  if (first !== undefined && second !== undefined) {
    const shorter = Math.min(first.length, second.length);
    while (start < shorter && first[start] === second[start]) start++;
    while (end < shorter - start && first.at(-1 - end) === second.at(-1 - end)) end++;
  }
  return [first, second].map((text) =>
    text && {
      before: (start > maxContextChars ? "…" : "") + text.slice(Math.max(0, start - maxContextChars), start).join(""),
      differing: cutText(text.slice(start, text.length - end), maxDifferingChars),
      after: cutText(text.slice(text.length - end), maxContextChars),
    }
  );
}

function cutText(text: string | readonly string[], maxChars: number): string {
  const characters = [...text];
  return characters.length > maxChars ? `${characters.slice(0, maxChars).join("")}…` : characters.join("");
}

/** An upper estimate: HTML and the escapes of control characters are longer than the text. */
function bytesOf(text: string): number {
  return text.length + 7 * (text.match(/[^\w .:/=(){},;%+-]/gu)?.length ?? 0);
}
