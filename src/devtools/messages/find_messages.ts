/** Which known problems a text has: a stack trace, a line of a log, an error code, the text of an error page. */

import { compareTimes, compareValues, findMissing } from "./compare_values.ts";
import { compileSigns, type FoundSign, isOtherService } from "./find_signs.ts";
import { problems, problemsByName } from "./messages.ts";
import { errorProblems, isErrorCode, otherCodes, problemOfNumber } from "./oauth_errors.ts";
import type { LibraryMessage, Problem } from "./problem.ts";

/** A known problem in a text. */
export interface FoundMessage {
  readonly problem: Problem;
  /** The message of a library that reports it; absent if only its words or its error code do. */
  readonly message?: LibraryMessage;
  /** The message as the text has it. */
  readonly found: string;
  /** The causes, the one that the text tells apart first. */
  readonly causes: readonly string[];
  /** The OAuth error code that names the problem. */
  readonly code?: string;
}

/** Maximum length of a text that is searched; the rest is ignored. */
export const maxTextLength = 100_000;
/** Maximum number of problems that a text is about: an error and its causes. */
const maxProblems = 3;
/** Maximum number of causes behind each other that are told apart. */
const maxDepth = 30;
/** Maximum length of a clause that is shown. */
const maxFoundLength = 200;

interface Match
  extends Pick<FoundSign<Problem>, "start" | "end" | "cause">, Pick<FoundMessage, "problem" | "message" | "code"> {
  /** A code with a meaning of its own says most, then a message of the table, the connection, other words, and a general code. */
  readonly weight: number;
  /** Whether words alone report it, and where the last of them begins. */
  readonly isSign?: true;
  readonly last?: number;
}

/** The text as it is searched: without stack frames, and runs of blanks are one, so that no pattern needs to repeat them. */
export function searchedText(text: string): string {
  return plainText(text.slice(0, maxTextLength)).replaceAll(frame, "")
    .replaceAll(/\s+/g, (blanks) => blanks.includes("\n") ? "\n" : " ");
}

/** A line that names code and no error: a frame of a stack trace, the category of a log, the state of a process. */
const frame = new RegExp(
  [
    /[ \t]{1,20}at (?=[^\n]{0,300}(?:\w\(|:\d+:\d+))[^\n]*/, // Java, .NET, JavaScript
    /[ \t]{0,20}File "[^"\n]{1,300}", line \d+[^\n]*(?:\n[ \t]{4,20}[^\n]*)?/, // Python, with its line of code
    /#\d{1,3} [^\n]{0,300}\(\d+\): [^\n]*/, // PHP
    /[ \t]{0,20}(?:\w[\w-]{0,40} )?\(\w[\w.-]{0,40}\) [\w/.]{1,200}:\d+:?[^\n]*/, // Ruby, Elixir
    /(?:[\w-]{1,40} {0,9}\| {0,9})?(?:warn|fail|info|dbug|crit|trce): [\w.]{1,200}\[\d+\]/, // .NET
    /(?:State|Last message): [^\n]*/, // Erlang
  ].map(({ source }) => `^${source}$`).join("|"),
  "gm",
);

/** The known problems of a text, the one that says most first; none if it has none. */
export function findMessages(text: string): readonly FoundMessage[] {
  const found = findIn(searchedText(text));
  if (found.length > 0) return found;
  // The frames of a stack trace name the step that failed.
  const withSteps = text.slice(0, maxTextLength).replaceAll(step, " $1");
  return withSteps.length < text.length ? findIn(searchedText(withSteps)) : found;
}

/** A frame of JavaScript or Java, with the name of its function. */
const step = /\n[ \t]{1,20}at (?:async |PluginClassLoader for [\w-]{1,80}\/\/)?([\w.$]{1,200})[^\n]*/g;

function findIn(searched: string): readonly FoundMessage[] {
  const exact = findExact(searched).filter(({ problem }) => !problem.isTransport || !isOtherService(searched));
  const lineOf = ({ start }: Match) => searched.slice(0, start).split("\n").length;
  const placed = placesOf(searched);
  const isTaken = (match: Match) =>
    exact.some((one) =>
      !(isHidden(one) && (match.problem.isTransport || match.code && !match.isSign)) && overlap(one, match)
    );
  const byMeaning = Map.groupBy(
    findCodes(searched),
    (code) => `${code.problem.title} ${code.cause} ${code.weight} ${placed(code)}`,
  );
  const written = [...byMeaning.values()].map(([first]) => first!);
  const words = findWords(searched, written.length > 0).map((sign) => ({
    ...sign,
    weight: sign.weight + (written.some((code) => isDetail(code, sign)) ? weights.code : 0),
  }));
  const codes = written.map((match) => ({
    ...match,
    cause: match.cause ?? words.find(({ problem }) => problem === match.problem)?.cause,
    weight: words.some((sign) => isDetail(match, sign)) ? weights.generalCode : match.weight,
  }));
  const all = [...exact, ...[...words, ...codes].filter((match) => !isTaken(match))]
    .sort((one, other) =>
      Number(isHidden(one)) - Number(isHidden(other)) || placed(one) - placed(other) || other.weight - one.weight ||
      // The cause stands last in a line, and first in a text.
      lineOf(one) - lineOf(other) || (one.message ? other.start - one.start : one.start - other.start) ||
      (other.last ?? 0) - (one.last ?? 0)
    );
  const firsts = all.filter((match, index) =>
    all.findIndex(({ problem }) => problem === match.problem) === index &&
    // What a clause says besides is no second error, and neither is a general code beside a message.
    !all.slice(0, index).some((one) => match.isSign ? overlap(one, match) : one.message && match.weight < 1)
  );
  const open = firsts.filter((match) => !isHidden(match));
  const shown = (open.length > 0 ? open : firsts).slice(0, maxProblems);
  return shown.map((match) => describe(match, searched));
}

/** What follows is the cause of what stands before; in Python's traces, and of an error while another was handled, its effect. */
const chainMark =
  /\bcaused by\b|\[cause\]|\bcause["']?: |---> |^The above exception was the direct cause|^During handling of the above/gim;
/** A line of a log about what happened before, or besides. */
const besides =
  /^(?:I\d{4} |[^\n]{0,100}?(?:\b(?:INFO|DEBUG|TRACE|VERBOSE|level["']?[=:] ?"?(?:info|debug|trace))\b|\[[ID]\]))/;

/** Orders the places of a text: the innermost cause first, lines without an error last. */
function placesOf(searched: string): (match: Match) => number {
  const marks = [...searched.matchAll(chainMark)].slice(0, maxDepth).map(({ 0: mark, index }) => ({
    index,
    step: /^(?:the|during)/i.test(mark) ? 1 : -1,
  }));
  // Most matches are in the line of the one before.
  let line = { start: 0, end: -1, isBesides: false };
  return ({ start, end, weight }) => {
    if (start < line.start || start >= line.end) {
      const lineStart = searched.lastIndexOf("\n", start) + 1;
      const lineEnd = searched.indexOf("\n", start);
      line = {
        start: lineStart,
        end: lineEnd < 0 ? searched.length : lineEnd,
        isBesides: besides.test(searched.slice(lineStart)),
      };
    }
    const depth = marks.reduce((sum, { index, step }) => index < end ? sum + step : sum, 0);
    return (line.isBesides ? 1_000 : 0) + (weight < weights.words ? 1_000 : depth);
  };
}

/** Whether what a match says is a wrapper: it names no cause. */
const isHidden = ({ problem, message, cause = message?.cause }: Match) => problem.hides === true && cause === undefined;

const overlap = (one: Match, other: Match) => one.start < other.end && other.start < one.end;

/** The problems that say in words what a code means. */
const details: Readonly<Record<string, readonly string[]>> = {
  invalid_grant: ["pkce"],
  unauthorized_client: ["invalid_client"],
  invalid_client: ["assertion", "client_certificate"],
};
const isDetail = ({ code = "" }: Match, { problem, weight }: Match) =>
  weight > 2 && details[code]?.some((name) => problemsByName[name] === problem);

/** The match with its causes: the values that the text names decide which is the first. */
function describe(
  { problem, message, code, start, end, weight, isSign, cause: own }: Match,
  text: string,
): FoundMessage {
  const cause = own ?? message?.cause ?? 1;
  const isNumbered = own !== undefined && weight >= weights.number;
  const { compares, tells = "" } = problem;
  const compare = compares !== undefined && "minutes" in compares ? compareTimes : compareValues;
  const name = Object.keys(problemsByName).find((name) => problemsByName[name] === problem);
  const clause = text.slice(start, end);
  const said = withoutData(text);
  const line = said.slice(said.lastIndexOf("\n", start) + 1);
  const [told = ""] = isNumbered
    ? []
    : [...message ?? isSign ? [clause] : [], line.split("\n", 1)[0]!, said].flatMap((part) =>
      tells.split(" ; ").map((tell) => tell.split(" > ")).filter(([pattern]) => new RegExp(pattern!, "i").test(part))
        .map(
          ([, one]) => one,
        )
    );
  const compared = compares && (compare(clause, name) ?? findMissing(clause) ??
    (told ? undefined : compare(said.slice(start), name) ?? compare(text.slice(start), name) ?? compare(line, name)));
  // Lines that are not indented are other records of a log.
  const status = problem.hides &&
    statusPattern.exec(/^[^\n]*(?:\n[ {}][^\n]*)*/.exec(text.slice(start).trimStart())![0])?.[0];
  const first = Number(told) || compared && compares?.[compared.difference] || cause;
  const inOrder = [problem.causes[first - 1]!, ...problem.causes.filter((_, index) => index !== first - 1)];
  const found = clause.replaceAll("\n", " ").trim();
  return {
    ...{ problem, message, code },
    found: message === undefined && found.length > maxFoundLength ? `${found.slice(0, maxFoundLength)}…` : found,
    causes: [
      ...told.length > 1 ? [told] : [],
      // Two names or random values say only that they differ.
      ...compared && compared.difference !== "value" ? [compared.text] : [],
      ...status ? [`${status}: ${statusCauses[status]}`] : [],
      ...inOrder,
    ],
  };
}

/** What a status means that a wrapper names. */
const statusCauses: Readonly<Record<string, string>> = {
  400: "the server rejected a parameter, and its response has error and error_description.",
  401:
    "the server accepted neither the client nor its token: a secret, the way in which it is sent, or an expired token.",
  403: "the server knows who asks, and refuses: a scope or role is missing, or a proxy or firewall in between refuses.",
  404: "nothing is at this URL: the path, the realm or the port is wrong.",
  405: "the endpoint takes another method, such as POST; a redirect from http to https makes a GET of it.",
  415: "the endpoint takes a form (application/x-www-form-urlencoded), not JSON.",
  429: "too many requests: a loop, or tests without pause. Retry-After says how long to wait.",
  500: "the server failed, and its log says why. A test may have queued this.",
  502:
    "a proxy in front of the server did not get its response: the server does not run there, or speaks http and not https.",
  503: "the server is not up yet or is overloaded, or a proxy has no server behind it. A test may have queued this.",
  504: "a proxy in front of the server waited in vain for its response.",
};
const statusPattern = new RegExp(`(?<![\\w.:-])(?:${Object.keys(statusCauses).join("|")})(?![\\w:-]|\\.\\d)`);

/** The messages of the table in a text, one a problem, in its order, without those that are parts of a longer one. */
function findExact(searched: string): readonly Match[] {
  const lowerCased = searched.toLowerCase();
  const matches = patterns().flatMap(({ problem, message, words, pattern }): Match[] => {
    const match = words.every((word) => lowerCased.includes(word)) ? pattern.exec(searched) : null;
    if (match === null) return [];
    return [{ problem, message, weight: weights.message, start: match.index, end: match.index + match[0].length }];
  });
  const longest = matches.filter((match) => !matches.some((other) => contains(other, match)));
  // Two libraries may have the same text but for case.
  const isExact = ({ start, end, message }: Match) => Number(searched.slice(start, end) === message!.text);
  longest.sort((one, other) => one.start - other.start || isExact(other) - isExact(one));
  // A code in a line of an outer one is its cause.
  const isInside = (inner: Match, outer: Match) =>
    inner.start > outer.start && [inner, outer].every(({ message }) => isCode.test(message!.text)) &&
    !searched.slice(outer.start, inner.start).includes("\n");
  return longest.filter((match, index) =>
    longest.every((other, place) =>
      other === match || other.problem !== match.problem || isInside(match, other) ||
      place > index && !isInside(other, match)
    )
  );
}

/** A text of the table that is an error code. */
const isCode = /^[a-z]+(?:_[a-z]+)+$/;

/** How much a match says, besides the number of its words. */
const weights = { number: 4_000, code: 3_000, message: 2_000, transport: 1_000, words: 1, generalCode: 0.5 };

/** Codes whose words are about anything. */
const generalCodes = new Set(
  "invalid_request invalid_token access_denied server_error slow_down request_denied temporarily_unavailable transaction_failed"
    .split(" "),
);

let findSigns: ReturnType<typeof compileSigns<Problem>> | undefined;

/** The problems whose words a text has; whether it is about OAuth, if its words do not tell. */
function findWords(searched: string, isAbout: boolean): readonly Match[] {
  findSigns ??= compileSigns(
    Object.entries(problemsByName).map(([name, problem]) => [
      problem,
      // A class of exceptions has the words of the code: InvalidGrantError.
      [
        ...problem.signs?.trim().split(/\n */) ?? [],
        ...Object.hasOwn(errorProblems, name) ? [`${generalCodes.has(name) ? "-?" : ""}${name}`] : [],
      ],
    ]),
    // What a connection says is the same everywhere, and a code is of the field.
    (problem) => problem.isTransport === true || codeOf(problem) !== undefined,
  );
  return findSigns(withoutNames(searched), isAbout).map(({ owner, weight, ...sign }) => ({
    ...sign,
    problem: owner,
    code: codeOf(owner),
    weight: weight + (owner.isTransport ? weights.transport : weights.words),
    isSign: true,
  }));
}

const codeOf = (problem: Problem) => Object.keys(errorProblems).find((code) => problemsByName[code] === problem);

/** The text without its error codes, printed headers and what surrounds the path in its URLs, which are no words; others keep their place. */
function withoutNames(searched: string): string {
  const blank = (text: string) => " ".repeat(text.length);
  return withoutData(searched)
    .replaceAll(
      url,
      (_, host, path, query) =>
        blank(host) + path.replace(/\/certs\b/, " jwks ") + query.replaceAll(parameter, keepSaying),
    )
    .replaceAll(codePattern, (word) => isErrorCode(word) ? blank(word) : word)
    .replaceAll(headerMember, blank).replaceAll(generalException, blank);
}

/** The text without the fields of logs and JSON that do not say what happened; others keep their place. */
const withoutData = (searched: string): string =>
  searched.replaceAll(fieldsOfLog, (line) => line.replaceAll(field, keepSaying)).replaceAll(member, keepSaying);

const keepSaying = (text: string, key?: string) => says.test(key ?? "") ? text : " ".repeat(text.length);

/** A line of a log that has three fields or more: `time="…" level=error msg="…"`. */
const fieldsOfLog = /^(?=(?:[^\n]{0,300}?[\w-]=["\w]){3})[^\n]*$/gm;
const field = /(?<![?&\w.-])([\w.-]{1,40})=(?:"[^"\n]{0,1000}"|[^\s",;]{1,300})/g;
const member =
  /(?<=[{,[] ?|^ ?)"([\w.-]{1,40})" ?: ?(?:"[^"\n]{0,1000}"|[\d.]{1,20}|true|false|null)(?=\s?[,}\]]|$)|\b[A-Z]\w{1,40}:(?:true|false)\b/gm;
const parameter = /[?&#](?:([\w.-]{1,40})=)?[^&#\s]*/g;
/** The names of the fields that say what happened. */
const says =
  /^(?:err|error\w*|msg|message|reason|cause|detail\w*|exception\w*|description|hint|name|code|claim|attribute|expected|actual|received|text|body|response|active)$/i;

const codePattern = /(?<![A-Za-z])[a-z]{2,20}(?:_[a-z]{2,20}){1,4}(?![A-Za-z])/g;
/** A type of Go, the ID of a log, a member of a printed header or key, `"typ":"JWT"`, a number with its name, `"code":9`, the package `requests`, a list of parameters, `(scope: 'a', audience: 'b')`. */
const headerMember =
  /\(\*[\w./]{1,80}\)|\b(?:correlation|request|session|span|trace|transaction)_?[Ii][Dd]["']? ?[:=]|(?<=[Cc]ookie )"[\w.-]{1,80}"(?= (?:has been|was|is|will be) )|"(?:type|code|status)": ?(?:-?\d{1,6}|(?="))|\b[Cc]ode ?[:=] ?(?=[A-Z\d-])|(?<=\d{3} )(?:Client|Server) Error|\brequests\.(?:\w{1,20}\.)?(?=[A-Z])|\(\w{1,20}: '[^'\n]{0,200}'(?:, \w{1,20}: '[^'\n]{0,200}'){1,9}\)|(["'])(?:typ|alg|kty|kid|use|crv|x5t)\1 ?: ?(["'])(?!none)[\w.+/-]{0,200}\2/g;
/** Classes of exceptions that say nothing by their name. */
const generalException =
  /\bERR_ASSERTION\b|\b(?:Assertion(?:Failed)?|Illegal(?:Argument|State)|InvalidOperation|InvalidParameter|Not(?:Authorized|Found)|Runtime|Server|Unexpected)(?:Exception|Error)\b/g;
const url = /(\b[a-z][\w.+-]{0,60}:\/\/[^\s/?#"'<>]{1,300})([^\s?#"'<>]{0,500})([^\s"'<>]{0,2000})/g;

/** A prefix or domain with its number; AppAuth for Android prints a type and a code instead, oauth4webapi a claim, Keycloak a type. */
const numberPattern = new RegExp(
  [
    /\b(IDX|AADSTS|AADB2C)(\d{4,8})\b/,
    /\b([\w.]{1,80})["')]?:?(?: \p{L}{1,12})?[ =:]{1,2}"?(-?\d{1,6})\b/u,
    /AuthorizationException: \{"type":(\d),"code":(\d{1,4})/,
    /\b(claim|attribute)["']?: ["']([a-z_]{2,20})["']/,
    /\b(type|error)="?(\w{2,30})/,
  ].map(({ source }) => source).join("|"),
  "gu",
);

/** Maximum length of the object of a cause. */
const maxObjectLength = 2_000;

/** The numbered errors in a text. */
function findNumbers(searched: string): readonly Match[] {
  return [...searched.matchAll(numberPattern)].flatMap((match): Match[] => {
    const [found, ...groups] = match;
    const [domain = "", number = ""] = groups.filter((group) => group !== undefined);
    const parts = domain.replace(/^\d$/, "appauth$&").split(/\W/);
    // The last two parts of a domain, or its last one.
    const names = [parts.slice(-2).join("."), parts.at(-1)!];
    const known = names.map((name) => problemOfNumber(name, number)).find(Boolean);
    if (known === undefined) return [];
    const [problem, cause] = problemAndCause(known);
    // The object of the cause has the values that were compared.
    const isClaim = domain === "claim" || domain === "attribute";
    const before = searched.slice(Math.max(0, match.index - maxObjectLength), match.index);
    const object = isClaim ? before.lastIndexOf("cause") : -1;
    const start = object < 0 ? match.index : match.index - before.length + object;
    const place = { start, end: match.index + found.length };
    const weight = isClaim ? weights.transport : weights.number;
    return [{ problem, cause, code: codeOf(problem), weight, ...place }];
  });
}

/** What a table names: a problem, and the cause that stands first: `popup>2`. */
function problemAndCause(text: string): readonly [problem: Problem, cause: number | undefined] {
  const [name = "", cause] = text.split(">");
  return [problemsByName[name]!, cause === undefined ? undefined : Number(cause)];
}

/** The error codes in a text. */
function findCodes(searched: string): readonly Match[] {
  const codes = [...searched.matchAll(codePattern)].flatMap(({ 0: word, index }): Match[] => {
    const name = Object.hasOwn(errorProblems, word)
      ? word
      : Object.hasOwn(otherCodes, word)
      ? otherCodes[word]
      : undefined;
    if (name === undefined) return [];
    const [problem, cause] = problemAndCause(name);
    const weight = saysLittle(name) ? weights.generalCode : weights.code;
    return [{ problem, cause, code: codeOf(problem), weight, start: index, end: index + word.length }];
  });
  return [...findNumbers(searched), ...codes];
}

/** Whether a text has an error code that says what is wrong. */
export const hasSpecificCode = (text: string): boolean =>
  findCodes(searchedText(text)).some(({ weight }) => weight > weights.generalCode);

/** Whether the description says more than the code. */
const saysLittle = (code: string) => generalCodes.has(code) || !Object.hasOwn(errorProblems, code);

/** Whether a match is longer than another one, and has its place. */
function contains(one: Match, other: Match): boolean {
  return one.start <= other.start && one.end >= other.end && one.end - one.start > other.end - other.start;
}

/** Undoes what logs, pages and URLs do to a text: escapes of JSON and URLs, entities of HTML, typographic quotes. */
function plainText(text: string): string {
  return text.replaceAll(/%([2-7][\dA-F])/gi, (_, hex) => String.fromCharCode(parseInt(hex, 16))).replaceAll('\\"', '"')
    .replaceAll("\\n", "\n").replaceAll(/&quot;|&#34;|[\u201c\u201d]/g, '"')
    .replaceAll(/&#39;|&apos;|[\u2018\u2019]/g, "'");
}

/** A message of the table, as it is searched for. */
interface MessagePattern {
  readonly problem: Problem;
  readonly message: LibraryMessage;
  readonly pattern: RegExp;
  /** What `longestWords()` returns for the message. */
  readonly words: readonly string[];
}

let compiled: readonly MessagePattern[] | undefined;

function patterns(): readonly MessagePattern[] {
  return compiled ??= problems.flatMap((problem) =>
    problem.messages.map((message) => ({
      ...{ problem, message, pattern: compile(message.text) },
      words: longestWords(message.text),
    }))
  );
}

/** The longest word of each part between two values, in lower case: a text without them does not have the message. */
export function longestWords(message: string): readonly string[] {
  return message.toLowerCase().split("*").map((part) =>
    (part.match(/\w+/g) ?? []).reduce((longest, word) => word.length > longest.length ? word : longest, "")
  );
}

/** Up to three ordinary words, which many other sentences have too. */
const fewWords = /^[A-Za-z]+( [A-Za-z]+){0,2}\.?$/;
const constant = /^[A-Z]+$/;

function compile(text: string): RegExp {
  const [first = "", ...others] = text.replace(/\.$/, "").split("*").map(textPattern);
  const words = first + others.map(afterValue).join("") + (text.endsWith(".") ? "\\.?" : "");
  if (fewWords.test(text) && !constant.test(text)) {
    return new RegExp(`(?<=^|[:=("'\`[{>|] ?|[.!?]\\s)${words}(?= ?(?:$|[.,;)"'\`\\]}<|(]))`, "im");
  }
  const before = /^\w/.test(text) ? "(?<!\\w)" : "";
  const after = /\w$/.test(text) ? "(?!\\w)" : "";
  return new RegExp(before + words + after, "i");
}

/**
 * A value, and the part of a message after it. Another part follows the first place of this one, and is not searched
 * for behind each further place: otherwise the time would be quadratic. A lookahead does not go back.
 */
function afterValue(part: string, index: number, parts: readonly string[]): string {
  if (part === "") return "[^\\n]{0,300}";
  const search = `[^\\n]{0,300}?${part}`;
  return index === parts.length - 1 ? search : `(?=(${search}))\\${index + 1}`;
}

/** The pattern of a text without values, for `searchedText()`: a log breaks lines at spaces, a shell takes quotes away. */
export function textPattern(text: string): string {
  return text.split(" ").map(escapePattern).join("\\s");
}

function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&").replaceAll(/["'`]/g, "$&?");
}
