/** Records the exchanges of many servers, and compares two commits: `deno task exchanges --help`. */

import { cp } from "node:fs/promises";
import { copyVersion } from "./bench/versions.ts";
import { exitWithError, readCommand } from "./command.ts";
import type { Exchange } from "./exchanges/record.ts";
import { run } from "./run.ts";

const { flags } = readCommand({
  call: "deno task exchanges",
  does:
    "Plays the requests of scripts/exchanges/requests.ts at many servers of the present source, with fixed clock, " +
    "chance and keys, and prints how many exchanges there were. With --against it plays them at another commit too, " +
    "prints each difference of status, headers, body and events, and fails if there is any.",
  flags: {
    against: { value: "REF", does: "the commit to compare with" },
    masked: { does: "compare with a number instead of each random value: which of them, and how long it is" },
    out: { value: "FILE", does: "where to write the exchanges, as lines of JSON; default: nowhere" },
  },
});

await compare().catch(exitWithError);

async function compare(): Promise<void> {
  const folders: string[] = [];
  const play = async (name: string, ref?: string) => {
    const { folder } = await copyVersion(name, ref);
    folders.push(folder);
    return await record(folder);
  };
  try {
    const [present, earlier] = await Promise.all([
      play("new"),
      flags.against === undefined ? undefined : play("old", flags.against),
    ]);
    if (flags.out !== undefined) {
      await Deno.writeTextFile(flags.out, present.map((exchange) => `${JSON.stringify(exchange)}\n`).join(""));
    }
    console.log(`${present.length} exchanges.`);
    if (earlier === undefined) return;
    const groups = groupDifferences(earlier, present);
    for (const [difference, names] of groups) {
      const shown = names.slice(0, 5).join("\n  ");
      const others = names.length > 5 ? `\n  and ${names.length - 5} others` : "";
      console.log(`\n${names.length} × ${shown}${others}\n${difference}`);
    }
    const different = [...groups.values()].reduce((sum, names) => sum + names.length, 0);
    console.log(`\n${different} of ${present.length} exchanges differ, in ${groups.size} ways.`);
    if (different > 0) Deno.exitCode = 1;
  } finally {
    await Promise.all(folders.map((folder) => Deno.remove(folder, { recursive: true })));
  }
}

/** Plays the present requests at the source in a folder, and writes the exchanges there. */
async function record(folder: string): Promise<readonly Exchange[]> {
  await cp("scripts/exchanges", `${folder}/scripts/exchanges`, { recursive: true });
  const options = [`--config=${folder}/deno.json`, `--lock=${folder}/dev.lock`, "-A", "--no-check"];
  const out = `${folder}/exchanges.jsonl`;
  await run([Deno.execPath(), "run", ...options, `${folder}/scripts/exchanges/record.ts`, out]);
  const lines = (await Deno.readTextFile(out)).trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line));
}

/** The names of the exchanges with each difference. */
function groupDifferences(earlier: readonly Exchange[], present: readonly Exchange[]): Map<string, string[]> {
  const key = ({ server, name }: Exchange) => `${server}: ${name}`;
  const before = new Map(earlier.map((exchange) => [key(exchange), exchange]));
  const groups = new Map<string, string[]>();
  for (const exchange of present) {
    const name = key(exchange);
    const old = before.get(name);
    before.delete(name);
    const difference = old === undefined ? "  only now" : findDifference(show(old), show(exchange));
    if (difference !== undefined) groups.set(difference, [...groups.get(difference) ?? [], name]);
  }
  for (const name of before.keys()) groups.set("  only before", [...groups.get("  only before") ?? [], name]);
  return groups;
}

/** The lines that only one of two texts has; `undefined` if the texts are equal. */
function findDifference(old: string, present: string): string | undefined {
  if (old === present) return undefined;
  const [before, after] = [old.split("\n"), present.split("\n")];
  const [inBefore, inAfter] = [new Set(before), new Set(after)];
  const lines = [
    ...before.filter((line) => !inAfter.has(line)).map((line) => `  - ${line}`),
    ...after.filter((line) => !inBefore.has(line)).map((line) => `  + ${line}`),
  ];
  return lines.length === 0 ? "  other order of lines" : lines.map((line) => line.slice(0, 300)).join("\n");
}

/** An exchange as lines, one for each part that can differ. */
function show({ status, headers, body, events }: Exchange): string {
  const text = [
    `status ${status}`,
    ...headers.map(([name, value]) => name === "location" ? showLocation(value) : `${name}: ${value}`),
    ...events.map((event) => `event ${event}`),
    showBody(body),
  ].join("\n");
  return flags.masked ? mask(text) : text;
}

function showLocation(location: string): string {
  return `location: ${location.replaceAll(/[?&#]/g, "\n    $&")}`;
}

function showBody(body: string): string {
  if (!body.startsWith("{")) return body.replaceAll(/>(?=.)/g, ">\n");
  try {
    return JSON.stringify(JSON.parse(body), null, 1);
  } catch {
    return body;
  }
}

/** Replaces each random value by its number and its length, and each JWT by its header and claims. */
function mask(text: string): string {
  const numbers = new Map<string, number>();
  const withoutJwts = text.replaceAll(
    /\b(eyJ[\w-]+)\.(eyJ[\w-]+)\.[\w-]+/g,
    (_, ...parts: string[]) =>
      parts.slice(0, 2).map((part) => new TextDecoder().decode(Uint8Array.fromBase64(part, { alphabet: "base64url" })))
        .join("."),
  );
  return withoutJwts.replaceAll(/[\w-]{22,}|\b[B-Z]{4}-[B-Z]{4}\b/g, (word) => {
    if (!/[A-Z]/.test(word) || !/[a-z]|-/.test(word)) return word;
    if (!numbers.has(word)) numbers.set(word, numbers.size + 1);
    return `<${word.length} characters, number ${numbers.get(word)}>`;
  });
}
