/**
 * `latchkey explain PK-09`: a rule, how to fix a request that breaks it, its sources, and its group;
 * `latchkey explain PK`: the rules of a group. It takes what a user has in the clipboard: a line of the log, an error
 * code, a parameter, the URL of a flow, the error of a client library. What it does not know, it says so.
 */

import type { RuleDescription } from "../devtools/rules/pages/rule_page.tsx";
import { findMessages, type FoundMessage, hasSpecificCode } from "../devtools/messages/find_messages.ts";
import { errorProblems, isErrorCode } from "../devtools/messages/oauth_errors.ts";
import { orderCauses, type ServerFact } from "../devtools/messages/what_server_saw.ts";
import { rulesOfSentence } from "../devtools/rules/find_by_sentence.ts";
import { describeRule, nearestRules, ruleGroups, rulesOfCode } from "../devtools/rules/rule.ts";
import type { ReadRules } from "../devtools/rules/rules_file.ts";
import { findRule, rules } from "../server/rules.ts";
import { suggest } from "../core/policy/suggest.ts";
import { quote } from "../server/config/config_issue.ts";
import { printable, printableLines } from "../core/http/quote_value.ts";
import { isTestHost } from "../core/http/test_hosts.ts";
import { CommandLineError } from "./command_line_error.ts";
import { wrap } from "./operating/wrap.ts";
import { findOption, findSetting, type NamedSetting } from "./explain_setting.ts";
import type { ProcessEnvironment } from "../platform/runtime/process_environment.ts";
import { citedSections } from "../server/pages/specifications.ts";

export const explainHelpText = `Usage: latchkey explain TEXT

TEXT is what you have at hand; without it, or with -, standard input:

  PK-09             a rule: what it requires, how to fix a request that breaks
                    it, its sources with links, its group
  a line of the log, or an error_description
                    the rule in it, by its ID or its sentence
  invalid_grant, "jwt expired", or another error of a client; a whole stack
  trace or log      what it means, the usual causes, and what to change
  an issue of a start, or a flag or variable alone
                    the setting or the command that it is about
  PK                the rules of a group
  redirect_uri      the rules of a parameter
  --server http://localhost:9000 TEXT
                    the same, with what this server saw of it
  http://localhost:9000/flows/of/7
                    the recorded flow, from the running server
  id-token/aud-wrong, or another id of an attack, a fault or a practice
                    what it does, and what a correct client does
  faults            the list of these; faults NAME explains a category, and
                    --json prints one JSON object`;

/** Maximum number of rules to show that mention a word; of further ones, only the IDs. */
const maxMentions = 8;

/** The global `fetch`, as far as it is used. */
export type FetchFlow = (url: string, init: RequestInit) => Promise<Response>;

/**
 * The output of the command, without a final newline.
 *
 * @param args The words after `explain`; the ID of a rule in capital or small letters.
 * @param fetch Asks a running server for a flow. Default: no server is asked.
 * @throws {CommandLineError} If they are none of these.
 */
export async function explain(
  args: readonly string[],
  { terminalWidth }: Pick<ProcessEnvironment, "terminalWidth">,
  readRules: ReadRules,
  fetch?: FetchFlow,
): Promise<string> {
  if (args[0] === "faults") return await explainFaults(args.slice(1), terminalWidth());
  if (args.includes("--help") || args.includes("-h")) return explainHelpText;
  if (args[0] === "--server") return await explainWithServer(args.slice(1), { terminalWidth }, readRules, fetch);
  const written = args.join(" ").trim();
  if (written === "") {
    const hint =
      'Add it, like latchkey explain PK-09 or latchkey explain "jwt expired". latchkey explain --help lists all.';
    throw new CommandLineError([{ path: "latchkey explain", expected: knownTexts, received: "no text", hint }]);
  }
  const setting = await findSetting(written);
  if (setting !== undefined) return describeSetting(setting, terminalWidth());
  const flow = flowUrl(written);
  if (flow !== undefined) return await explainFlow(flow, fetch);
  const text = readRules();
  const describe = (id: string) => describeRule(id, () => text);
  const list = (found: readonly (RuleDescription | undefined)[]) =>
    found.flatMap((rule) =>
      wrap(`${rule!.id}  ${rule!.requirement ?? rule!.passes ?? rule!.fix}`, " ".repeat(7), terminalWidth())
    );
  const more = (mentioned: readonly (RuleDescription | undefined)[]) => {
    const others = mentioned.slice(maxMentions).map((one) => one!.id);
    const groups = [...new Set(others.map((id) => id.slice(0, 2)))];
    const text = `${others.length} more, in the groups ${groups.join(", ")}: latchkey explain ${groups[0]}`;
    return others.length > 0 ? wrap(text, " ".repeat(7), terminalWidth()) : [];
  };
  if (ruleGroups().includes(written.toUpperCase())) {
    return list(await Promise.all(nearestRules(written).map(describe))).join("\n");
  }
  // A report of this program lists the rules that a request satisfied too.
  const inText = written.replace(/^ {0,40}passed {2}.*/gm, "").match(/\b[A-Z]{2}-\d{2}\b/g)?.find(findRule);
  // Other servers write some of the sentences too: then the error code says more.
  const ids = inText !== undefined ? [inText] : hasSpecificCode(written) ? [] : rulesOfSentence(written);
  if (ids.length > 1) return list(await Promise.all(ids.map(describe))).join("\n");
  const rule = await describe(ids[0] ?? written);
  if (rule === undefined) {
    const isWord = /^\S+$/.test(written);
    const word = written.replaceAll("-", "_");
    if (isWord && !isErrorCode(word)) {
      // The table has the rules of every server before those of extensions.
      const all = await Promise.all(Object.keys(rules).map(describe));
      const mentioned = all.filter((one) => mentions([one!.passes, one!.requirement, one!.fix].join(" "), word))
        .sort((a, b) => Number(mentions(b!.passes ?? "", word)) - Number(mentions(a!.passes ?? "", word)));
      // A category of attacks may be a parameter too, an id is nothing else.
      const fault = mentioned.length === 0 || /[./]/.test(written)
        ? await explainFaults(args, terminalWidth()).catch(() => undefined)
        : undefined;
      if (fault !== undefined) return fault;
      if (mentioned.length > 0) return [...list(mentioned.slice(0, maxMentions)), ...more(mentioned)].join("\n");
    }
    const messages = findMessages(isErrorCode(word) ? word : written);
    const fault = messages.length === 0 || namesFault.test(written) ? await findFault(written) : undefined;
    if (fault !== undefined) return await explainFaults([fault], terminalWidth());
    const option = messages.length === 0 ? await findOption(written) : undefined;
    if (option !== undefined) return describeSetting(option, terminalWidth());
    if (messages.length === 0) throw unknownText(written);
    return messages.map((found) => describeMessage(found, terminalWidth())).join("\n\n");
  }
  const { id, level, passes, requirement, fix, cites, group } = rule;
  const sections = citedSections(cites);
  const sources = sections.length > 0 ? sections.map(({ title, url }) => `${title}  ${url}`) : cites;
  const rows: readonly (readonly [label: string, text: string | undefined])[] = [
    ["rule", requirement ?? passes],
    ["correct", requirement === undefined ? undefined : passes],
    ["fix", fix],
    ...(sources.length > 0 ? sources : ["a decision of this project"]).map((source, i) =>
      [i === 0 ? "source" : "", source] as const
    ),
    ["group", group],
  ];
  return table(level === undefined ? id : `${id}  ${level}`, rows, terminalWidth());
}

/** The explanation, after what a running server saw of the problem in its newest requests. */
async function explainWithServer(
  [address = "", ...args]: readonly string[],
  environment: Pick<ProcessEnvironment, "terminalWidth">,
  readRules: ReadRules,
  fetch?: FetchFlow,
): Promise<string> {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !isTestHost(url.hostname)) {
    const expected = "the URL of a server on this machine, such as http://localhost:9000";
    throw new CommandLineError([{
      path: "explain --server",
      expected,
      received: quote(address),
      hint: "Add its URL.",
    }]);
  }
  const explained = await explain(args, environment, readRules, fetch);
  const [message] = findMessages(args.join(" "));
  if (message === undefined || fetch === undefined) return explained;
  const query = new URLSearchParams({ q: message.found });
  const base = `${url.origin}${url.pathname.replace(/\/$/, "")}`;
  const response = await fetch(`${base}/flows.json?${query}`, {
    redirect: "manual",
    signal: AbortSignal.timeout(2_000),
  })
    .then((response) => response.ok ? response.json() : undefined).catch(() => undefined) as
      | { readonly seen?: readonly ServerFact[] }
      | undefined;
  if (response === undefined) {
    return `${base} has no list of flows, so only the text is explained. Name the issuer.\n\n${explained}`;
  }
  const { seen = [] } = response;
  const rows = seen.map(({ flow, text }, i) =>
    [i === 0 ? "saw" : "", `${flow === undefined ? "" : `flow ${flow}: `}${printable(text)}`] as const
  );
  const causes = orderCauses(message, seen);
  const known = describeMessage({ ...message, causes }, environment.terminalWidth());
  return seen.length === 0
    ? explained
    : `${table("What the server saw", rows, environment.terminalWidth())}\n\n${known}`;
}

function table(
  title: string,
  rows: readonly (readonly [label: string, text: string | undefined])[],
  width: number | undefined,
): string {
  return [
    title,
    ...rows.flatMap(([label, text]) =>
      text === undefined ? [] : wrap(`  ${label.padEnd(labelWidth)}${text}`, " ".repeat(labelWidth + 2), width)
    ),
  ].join("\n");
}

/** A message of a client library: what it means, its causes, and what to change. */
function describeMessage({ problem, message, code, found, causes }: FoundMessage, width: number | undefined): string {
  const { title, application, server, guide } = problem;
  return table(printable(found) + (message === undefined ? "" : `  (${message.libraries.join(", ")})`), [
    ["means", `${title.startsWith(`${found}: `) ? title.slice(found.length + 2) : title}.`],
    ...causes.map((cause, i) => [i === 0 ? "causes" : "", `${i + 1}. ${cause}`] as const),
    ["client", application],
    ["", message?.fix],
    ["here", server],
    ["rules", code && rulesOfCode(code)],
    ["guide", guide],
  ], width);
}

/** What a message of this program is about. */
function describeSetting({ title, description, example, guide }: NamedSetting, width: number | undefined): string {
  return table(title, [["means", description], ["example", example], ["guide", guide]], width);
}

async function explainFaults(args: readonly string[], width: number | undefined): Promise<string> {
  // It has all attacks and faults.
  return (await import("./check/list_faults.ts")).listFaults(args, width);
}

/** What may be the id of an attack, and is no path. */
const namesFault = /(?<![\w./@-])[a-z][a-z-]{1,40}\/[a-z][a-z-]{1,60}(?![\w/@-]|\.\w)/;

/** The attack, fault or practice that a text names, or else describes. */
async function findFault(text: string): Promise<string | undefined> {
  return (await import("./check/list_faults.ts")).findFault(text);
}

const labelWidth = 9;

const flowPath = /^[\w./-]*\/flows\/(?:of\/)?[\w-]+$/;

/**
 * The URL of a flow on a test host, if it is the last word of a text, as in a line of the log. A pasted text may come
 * from anywhere, so a URL with a query, which could be an action of another program, is none.
 */
function flowUrl(text: string): URL | undefined {
  const [word = ""] = /\S{1,2000}$/.exec(text.slice(-2000)) ?? [];
  if (!/^https?:\/\//.test(word) || !URL.canParse(word)) return undefined;
  const url = new URL(word);
  const isPlain = /^(?:\?step=\d{1,9})?(?:#step-\d{1,9})?$/.test(url.search + url.hash);
  return isTestHost(url.hostname) && isPlain && flowPath.test(url.pathname) ? url : undefined;
}

/** The flow as Markdown; if no server has it, a sentence that says where to find it. */
async function explainFlow(url: URL, fetch?: FetchFlow): Promise<string> {
  const flow = fetch && await fetchFlow(url, fetch).catch(() => undefined);
  const [, step] = /#step-(\d+)/.exec(url.hash) ?? [];
  const meant = step === undefined ? [] : [`The link is to step ${step} of a recorded login.`];
  if (flow !== undefined) return [...meant, printableLines(flow.trimEnd())].join("\n\n");
  const missing =
    `The server of this flow is not running, or no longer keeps it: ${url.href}. While it runs, the page shows each ` +
    `step and why a request was rejected, and exports it as Markdown.`;
  return [...meant, missing].join(" ");
}

/** A flow as Markdown. The text with its URL may come from anywhere, so no other origin is asked. */
async function fetchFlow(url: URL, fetch: FetchFlow): Promise<string | undefined> {
  const get = (href: string) => fetch(href, { redirect: "manual", signal: AbortSignal.timeout(2_000) });
  const page = await get(url.href);
  await page.body?.cancel();
  const flow = new URL(page.headers.get("location") ?? url.href, url);
  if (flow.origin !== url.origin || !flowPath.test(flow.pathname)) return undefined;
  const markdown = await get(`${flow.origin}${flow.pathname}.md`);
  return markdown.ok ? await markdown.text() : undefined;
}

function mentions(text: string, word: string): boolean {
  return text.split(/[^\w]+/).includes(word);
}

const knownTexts =
  "a rule, a line of the log, an error code, a parameter, a message of a client library, an attack, or the " +
  "URL of a flow";

/** The error for a text that nothing is known of. Only the misspelt name of a rule or an error code has a near one. */
function unknownText(text: string): CommandLineError {
  const isWord = /^\S+$/.test(text);
  const code = isWord ? suggest(text, Object.keys(errorProblems)) : undefined;
  const nearest = /^[a-z]{2}-?\w{0,3}$/i.test(text) ? nearestRules(text) : [];
  const hint = code !== undefined
    ? `Did you mean ${code}?`
    : nearest.length === 1
    ? `The nearest rule is ${nearest[0]}. latchkey explain ${nearest[0]!.slice(0, 2)} lists the rules of its group.`
    : nearest.length > 1
    ? `The rules of the group ${nearest[0]!.slice(0, 2)} are ${nearest.join(", ")}.`
    : isWord
    ? `latchkey explain PK lists the rules of a group. The groups are ${ruleGroups().join(", ")}.`
    : "Latchkey does not know this message, and does not guess. Try the rule at the end of an error_description, such " +
      "as PK-09, or the OAuth error code, such as invalid_grant. Or open /flows of the running server, which shows " +
      "what the application sent and what it got.";
  return new CommandLineError([{
    path: "latchkey explain",
    expected: knownTexts,
    received: quote(text.length > 80 ? `${text.slice(0, 80)}…` : text),
    hint,
  }]);
}
