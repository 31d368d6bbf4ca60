/** `latchkey explain faults`: the catalogue of faults, and the practices of clients, as text or JSON. */

import { normalizeName, suggest } from "../../core/policy/suggest.ts";
import { quote } from "../../server/config/config_issue.ts";
import { CommandLineError } from "../command_line_error.ts";
import { attacks as allAttacks } from "../../check/attacks/mod.ts";
import { faultDefinitions } from "../../testing/faults/mod.ts";
import { practices as allPractices } from "../../recorder/practices/mod.ts";
import { type AttackLevel, categoryOf, idsNamed } from "../../check/attack.ts";
import { formerNames } from "../../check/attacks/former_names.ts";
import { faultsHelpText } from "./check_help.ts";

/** The members that faults and practices have in common. */
interface Listed {
  readonly id: string;
  readonly title: string;
  readonly correctClient?: string;
  readonly parameters?: readonly { readonly name: string; readonly description: string; readonly default?: unknown }[];
}

/** A row of the catalogue: an attack of the check if it has a level. */
interface Row extends Listed {
  readonly level?: AttackLevel;
  readonly endpoints: readonly string[];
  readonly on?: string;
  /** Further names of it. Default: none. */
  readonly also?: readonly string[];
  create?(): unknown;
}

const rows: readonly Row[] = [
  ...allAttacks.map((attack) => ({ ...attack, also: formerNames[attack.id] })),
  ...faultDefinitions,
];

/**
 * The output of the command, without a final newline.
 *
 * @param args The words after `explain faults`: a category, an id or `all`, to show all about them, and flags. Default:
 *   the names alone, one line for each category.
 * @param width Of a line of names, in characters.
 * @throws {CommandLineError} If there is another flag, a second name, or an unknown name.
 */
export function listFaults(args: readonly string[], width = 80): string {
  if (args.includes("--help") || args.includes("-h")) {
    return faultsHelpText.trimEnd();
  }
  const [given, ...others] = args.filter((word) => word !== "--json");
  const unknown = given?.startsWith("-") ? given : others[0];
  if (unknown !== undefined) throw invalidWord("a category or an id, --json or --help", unknown, "Remove it.");
  const all = [...rows, ...allPractices];
  const known = ["all", "practices", ...all.flatMap(({ id }) => [categoryOf(id), id])];
  const written = given && (rows.find(({ also }) => also?.includes(given))?.id ?? given.replace(/\/$/, ""));
  const named = written === undefined || known.includes(written) ? [] : idsNamed(written, all.map(({ id }) => id));
  const name = named.length === 1 ? named[0] : written;
  const isListed = ({ id }: Listed) =>
    name === undefined || name === "all" || name === id ||
    normalizeName(name) === normalizeName(categoryOf(id));
  const faults = rows.filter(isListed);
  const practices = name === "practices" ? allPractices : allPractices.filter(isListed);
  if (faults.length + practices.length === 0) {
    const suggestion = named.length > 0 ? named.join(" or ") : suggest(name!, known);
    const hint = suggestion === undefined ? "latchkey explain faults lists all." : `Did you mean ${suggestion}?`;
    throw invalidWord("a category or the id of a fault or a practice", name!, hint);
  }
  if (args.includes("--json")) return JSON.stringify({ faults, practices }, null, 2);
  if (name === undefined) {
    const byCategory = (items: readonly Listed[]) => formatIds(Map.groupBy(items, ({ id }) => categoryOf(id)), width);
    return [
      `${faults.length} faults. latchkey check LOGIN_URL --only NAME,… tries those with a slash;`,
      "a test injects a fault with as.on(ENDPOINT).once(fault(ID)):",
      ...byCategory(faults),
      "",
      `${practices.length} best practices of a client, for --only practices and checkPractices(as):`,
      ...formatIds(new Map([["practices", practices]]), width),
      "",
      "latchkey explain faults NAME shows what a category or an id does, what a correct",
      "client does, and the parameters; latchkey explain faults all shows them all.",
    ].join("\n");
  }
  const section = (items: readonly string[][], what: string, use: string) =>
    items.length === 0 ? [] : [[`${items.length} ${what}${items.length === 1 ? "" : "s"}${use}`, ...items.flat()]];
  return [
    ...section(
      faults.map((fault) => [
        ...formatItem(fault, fault.level ?? fault.endpoints.join(", ")),
        ...fault.create === undefined
          ? []
          : [`  In a test: as.on("${fault.on ?? fault.endpoints[0]}").once(fault("${fault.id}"))`],
        ...fault.also?.length ? [`  Also named: ${fault.also.join(", ")}`] : [],
      ]),
      "fault",
      ". Those with a level, such as must-reject, can be run with\nlatchkey check LOGIN_URL --only ID,…",
    ),
    ...section(
      practices.map((practice) => formatItem(practice, practice.level)),
      "best practice",
      " of a client: checkPractices(as) and latchkey check LOGIN_URL --only practices",
    ),
  ].map((lines) => lines.join("\n")).join("\n\n");
}

/** The attack or fault whose id stands in a text, or else the one whose title or advice does. */
export function findFault(text: string): string | undefined {
  const words = new Set(text.match(/[a-zA-Z][\w-]{1,40}\/[\w-]{1,60}/g));
  const plain = text.replaceAll(/\s+/g, " ");
  const has = (sentence = "") => sentence.includes(" ") && plain.includes(sentence.replace(/\.$/, ""));
  const all: readonly Listed[] = [...rows, ...allPractices];
  return (rows.find(({ id, also = [] }) => [id, ...also].some((name) => words.has(name))) ??
    all.find(({ title, correctClient }) => has(title) || has(correctClient)))?.id;
}

function invalidWord(expected: string, word: string, hint: string): CommandLineError {
  return new CommandLineError([{
    path: "latchkey explain faults",
    expected,
    received: quote(word.slice(0, 80)),
    hint,
  }]);
}

/** One line for each category: its number of ids, and the ids that fit. */
function formatIds(categories: ReadonlyMap<string, readonly Listed[]>, width: number): string[] {
  return [...categories].map(([category, items]) => {
    const line = `  ${`${category} (${items.length})`.padEnd(22)} ` +
      items.map(({ id }) => id.startsWith(category) && id.slice(category.length + 1) || id).join(", ");
    return line.length <= width ? line : `${line.slice(0, line.lastIndexOf(", ", width - 3))}, …`;
  });
}

function formatItem({ id, title, correctClient, parameters = [] }: Listed, kind: string): string[] {
  return [
    "",
    `${id} (${kind})`,
    `  ${title}`,
    ...correctClient === undefined ? [] : [`  A correct client: ${correctClient}`],
    ...parameters.map(({ name, description, default: value }) => {
      const defaultText = value === undefined ? "" : ` Default: ${JSON.stringify(value)}.`;
      return `  ${name}: ${description}${defaultText}`;
    }),
  ];
}
