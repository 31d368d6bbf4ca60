/** A flow as Markdown for an issue of GitHub or GitLab. */

import { upperFirst } from "../../server/pages/first_letter.ts";
import { explanationLines } from "../../server/explain/explanation_lines.ts";
import { findRule } from "../../server/rules.ts";
import type { Exchange, Flow } from "../exchange.ts";
import { redactFlow } from "../redact.ts";
import { requestLines, responseLines, toOneLine } from "./text.ts";

/**
 * A flow as Markdown: the rejected step with expected, received and fix, the warnings and notes of accepted requests,
 * and all other steps folded. Always redacted, because issues are public. Text of clients is in code, so that it can
 * neither mention users nor link nor format.
 *
 * @param failure The index of the step that explains the failure; negative: the flow did not fail.
 */
export function formatFlowMarkdown(flow: Flow, failure: number): string {
  const { client, outcome, exchanges } = redactFlow(flow);
  const failed = exchanges[failure];
  const others = exchanges.flatMap((exchange, i) => i === failure ? [] : [stepBlock(exchange, i + 1)]);
  const observations = exchanges.flatMap((exchange, i) => observationItems(exchange, i + 1));
  const whose = client === undefined ? "" : ` of client ${code(client)}`;
  return [
    `### ${failed?.rejection === undefined ? `Login${whose}: ${outcome}` : prose(failed.rejection.explanation.reason)}`,
    ...failed === undefined ? [] : [failureList(failed, failure + 1, exchanges.length, client).join("\n")],
    ...observations.length === 0 ? [] : [observations.join("\n")],
    ...failed === undefined ? [] : [stepBlock(failed, failure + 1)],
    ...others.length === 0
      ? []
      : [`<details>\n<summary>${failed === undefined ? "All" : "The other"} steps</summary>`, ...others, "</details>"],
    `Recorded by Latchkey at ${new Date(flow.startedAt).toISOString()}. Secrets are redacted.`,
    "",
  ].join("\n\n");
}

function failureList(exchange: Exchange, step: number, steps: number, client: string | undefined): string[] {
  const { request: { method, path }, response, rejection } = exchange;
  const { error, explanation } = rejection!;
  const { rule } = explanation;
  const cites = findRule(rule)?.cites ?? [];
  return [
    ["Step", `${step} of ${steps}`],
    ["Client", client && code(client)],
    ["Request", code(`${method} ${path}`)],
    ["Response", code(`${response?.status ?? "none"} ${error}`)],
    ...explanationLines(explanation).map(([label, text]) =>
      label === "fix" ? ["How to fix it", text && prose(text)] : [upperFirst(label), text && code(text)]
    ),
    ["Rule", rule && [rule, ...cites].map(prose).join(", ")],
  ].flatMap(([name, value]) => value ? [`- **${name}:** ${value}`] : []);
}

/** The warnings and notes of a step. */
function observationItems({ events }: Exchange, step: number): string[] {
  return events.flatMap((event) => {
    if (event.type !== "warning" && event.type !== "note") return [];
    const { rule, reason, expected, received, fix } = event.explanation;
    const texts = [
      prose(reason) + (rule === undefined ? "" : ` (${rule})`),
      ...expected === undefined ? [] : [`expected ${code(expected)}`],
      ...received === undefined ? [] : [`received ${code(received)}`],
    ];
    return [`- **${upperFirst(event.type)} of step ${step}:** ${texts.join(", ")}.${fix ? ` ${prose(fix)}` : ""}`];
  });
}

/** The request and the response of a step as a block of code. */
function stepBlock(exchange: Exchange, number: number): string {
  const { title, request, response, outcome, rejection } = exchange;
  const text = [
    `${request.method} ${toOneLine(request.path)}`,
    ...requestLines(request),
    "",
    ...response === undefined ? [`← no response, ${outcome}`] : responseLines(response, outcome),
  ].join("\n");
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1));
  const result = rejection === undefined ? outcome : `${outcome}, ${rejection.error}`;
  return `**${number}. ${prose(title)}** (${prose(result)})\n\n${fence}text\n${text}\n${fence}`;
}

/** Words and punctuation that Markdown shows unchanged: no mentions, references, links, tags, emoji or emphasis. */
const plainText = /^(?:[A-Za-z\d ,;()'"§]|(?<=[A-Za-z\d])_(?=[A-Za-z\d])|-(?=[A-Za-z ])|[.:](?= |$)|(?<=\d)\.(?=\d))*$/;

const commitId = /(?<![\w])[\da-f]{7,}(?![\w])/;

/** A sentence; in code if Markdown would change it. */
function prose(text: string): string {
  return plainText.test(text) && !commitId.test(text) ? text : code(text);
}

/** Text in code, on one line. */
function code(text: string): string {
  const line = toOneLine(text);
  const fence = "`".repeat(longestRun(line) + 1);
  // A span must not begin or end with a backtick, and loses one space on both sides.
  const space = /^[` ]|[` ]$/.test(line) || line === "" ? " " : "";
  return `${fence}${space}${line}${space}${fence}`;
}

/** The length of the longest run of backticks. */
function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((longest, { length }) => Math.max(longest, length), 0);
}
