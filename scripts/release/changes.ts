/** Reads the change log, static/changes.md, and says what keeps a version from being released. */

import { Refusal } from "../command.ts";

/** What changed in one version. */
export interface Entry {
  readonly version: string;
  /** YYYY-MM-DD; absent as long as the version is unreleased. */
  readonly date?: string;
  /** Markdown, without the heading. */
  readonly notes: string;
}

/** What the release of a version hangs on. */
export interface Facts {
  readonly version: string;
  /** The text of static/changes.md. */
  readonly changes: string;
  /** Files that differ from the commit, as `git status` names them. */
  readonly changed: readonly string[];
  readonly head: string;
  /** The commit that the tag of this version stands at, where there is one. */
  readonly tagged?: string;
  /** The tag that somebody asks to release. */
  readonly tag?: string;
}

const heading = /^## (\d+\.\d+\.\d+) \((?:unreleased|(\d{4}-\d{2}-\d{2}))\)$/;
const kinds = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"];

/**
 * The entries, the newest first.
 *
 * @throws In one sentence, with its line, when the text is not written as this reads it.
 */
export function readChanges(text: string): Entry[] {
  const entries: { version: string; date?: string; lines: string[] }[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    const wrong = (expected: string): never => {
      throw new Refusal(`static/changes.md:${index + 1}: expected ${expected}, found "${line}".`);
    };
    if (line.startsWith("## ")) {
      const [, version, date] = heading.exec(line) ??
        wrong('a heading such as "## 1.2.3 (unreleased)" or "(2026-01-31)"');
      if (date !== undefined && !isDate(date)) wrong("a day of the calendar");
      const above = entries.at(-1);
      if (above !== undefined && !isOlder(version!, above.version)) wrong(`a version older than ${above.version}`);
      if (above !== undefined && date === undefined) wrong("a date, because a newer version stands above");
      entries.push({ version: version!, date, lines: [] });
      continue;
    }
    if (line.startsWith("### ") && !kinds.includes(line.slice(4))) wrong(`one of ${kinds.join(", ")} behind ###`);
    entries.at(-1)?.lines.push(line);
  }
  return entries.map(({ version, date, lines }) => ({ version, date, notes: lines.join("\n").trim() }));
}

/** What keeps this version from being released, one sentence each, with what to do about it. */
export function objections({ version, changes, changed, head, tagged, tag }: Facts): string[] {
  const said: string[] = [];
  const entry = readChanges(changes).find((entry) => entry.version === version);
  const name = `v${version}`;
  if (entry === undefined || entry.notes === "") {
    said.push(`static/changes.md says nothing of ${version}: write what changed for users.`);
  } else if (entry.date === undefined) {
    said.push(`static/changes.md calls ${version} unreleased: write the date of the release there.`);
  }
  if (changed.length > 0) {
    const named = changed.slice(0, 3).join(", ") + (changed.length > 3 ? ` and ${changed.length - 3} more` : "");
    said.push(
      `${named} ${changed.length === 1 ? "is" : "are"} not committed: commit or remove what is not to be released.`,
    );
  }
  if (tagged !== undefined && tagged !== head) {
    said.push(`The tag ${name} exists, and is another commit: raise the version in deno.json.`);
  }
  if (tag !== undefined && tag !== name) {
    said.push(`The tag is ${tag}, but deno.json says ${version}: the tag of this version is ${name}.`);
  }
  return said;
}

function isDate(date: string): boolean {
  const time = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(date);
}

/** Whether that version came before this one. */
function isOlder(version: string, than: string): boolean {
  return version.localeCompare(than, "en", { numeric: true }) < 0;
}
