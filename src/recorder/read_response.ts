/** An answer as it is remembered, and what became of the request by its word. */

import { parseFields } from "../http/form.ts";
import { isResponse } from "../http/message.ts";
import type { Answer } from "../http/message.ts";
import type { EndpointName } from "./endpoint_name.ts";
import { recordedBody } from "./exchange.ts";
import type { Outcome, RecordedAnswer } from "./exchange.ts";
import type { Heard } from "./body_tap.ts";
import { readPageForms } from "./page_form.ts";

/** Text that has an end; a stream of events has none. */
const text = /^(?:text\/(?!event-stream)|application\/(?:[\w.+-]*json|jwt|x-www-form-urlencoded)\b)/i;

/** Whether the body of an answer that somebody else made is worth hearing. */
export function isText(response: Response): boolean {
  return response.body !== null && text.test(response.headers.get("content-type") ?? "");
}

/** The answer; of a Response, what comes before its body. */
export function readAnswer(endpoint: EndpointName, answer: Answer): RecordedAnswer {
  const { status } = answer;
  const headers = isResponse(answer) ? headersOf(answer) : answer.headers;
  const body = isResponse(answer) ? undefined : answer.body?.slice(0, recordedBody);
  return withHandover(endpoint, { status, headers, ...body !== undefined && { body } });
}

/** The same answer, with what was heard of its body. */
export function withAnswerBody(
  endpoint: EndpointName,
  answer: RecordedAnswer,
  heard: Heard | undefined,
): RecordedAnswer {
  return heard === undefined ? answer : withHandover(endpoint, { ...answer, body: heard.text });
}

function headersOf({ headers }: Response): Record<string, string> {
  const all = Object.fromEntries(headers);
  const cookies = headers.getSetCookie();
  return cookies.length === 0 ? all : { ...all, "set-cookie": cookies.join("\n") };
}

/** The endpoints whose answers may be on their way to the client. */
const sendsOn: readonly EndpointName[] = ["authorize", "login", "consent"];

function withHandover(endpoint: EndpointName, answer: RecordedAnswer): RecordedAnswer {
  const { location } = answer.headers;
  if (location !== undefined) {
    const sent = readLocation(location);
    const leaves = endpoint === "logout" || (sendsOn.includes(endpoint) && isForClient(sent.params));
    return leaves ? { ...answer, handover: sent } : answer;
  }
  if (!sendsOn.includes(endpoint) || !isPage(answer)) return answer;
  const form = readPageForms(answer.body ?? "").find(({ submitsItself, fields }) =>
    submitsItself && isForClient(fields)
  );
  return form === undefined ? answer : { ...answer, handover: { uri: form.action, params: form.fields } };
}

/** Where a redirect leads, and with what; read as text, because a redirect URI may have a scheme of its own. */
export function readLocation(location: string): NonNullable<RecordedAnswer["handover"]> {
  const bare = location.split("#", 1)[0]!;
  const mark = bare.indexOf("?");
  if (mark < 0) return { uri: bare, params: [] };
  try {
    return { uri: bare.slice(0, mark), params: parseFields(bare.slice(mark + 1)) };
  } catch {
    return { uri: bare.slice(0, mark), params: [] };
  }
}

function isForClient(params: readonly (readonly [string, string])[]): boolean {
  return params.some(([name]) => name === "code" || name === "error");
}

/** Whether it is a page for people. */
export function isPage({ headers }: RecordedAnswer): boolean {
  return headers["content-type"]?.startsWith("text/html") === true;
}

/** The members of a JSON answer; none where it is something else. */
export function membersOf({ headers, body = "" }: RecordedAnswer): Readonly<Record<string, unknown>> {
  if (!/^application\/[\w.+-]*json\b/i.test(headers["content-type"] ?? "")) return {};
  try {
    const read = JSON.parse(body);
    return typeof read === "object" && read !== null && !Array.isArray(read) ? read : {};
  } catch {
    return {};
  }
}

/** The OAuth error code that an answer carries, in whatever form. */
export function errorIn(answer: RecordedAnswer): string | undefined {
  const sent = answer.handover?.params.find(([name]) => name === "error")?.[1];
  if (sent !== undefined) return sent;
  const { error } = answer.status < 400 ? {} as { error?: unknown } : membersOf(answer);
  return typeof error === "string" ? error : undefined;
}

/** How a request ended that was answered. */
export function outcomeOf(endpoint: EndpointName, answer: RecordedAnswer): Outcome {
  if (answer.status >= 400 || errorIn(answer) !== undefined) return "refused";
  if (answer.handover !== undefined) return "done";
  if (endpoint === "authorize" && answer.headers.location !== undefined) return "asked";
  if (sendsOn.includes(endpoint)) return isPage(answer) ? "asked" : "done";
  return endpoint === "logout" && isPage(answer) && readPageForms(answer.body ?? "").length > 0 ? "asked" : "done";
}
