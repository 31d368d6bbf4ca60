/** Reads the change log, static/changes.md, and finds reasons against a release. */

import { CommandError } from "../command.ts";

/** Changes of one version. */
export interface ChangelogEntry {
  readonly version: string;
  /** YYYY-MM-DD; absent for an unreleased version. */
  readonly date?: string;
  /** Markdown, without the heading. */
  readonly notes: string;
}

/** Conditions of a release. */
export interface ReleaseState {
  readonly version: string;
  /** Text of static/changes.md. */
  readonly changelog: string;
  /** Uncommitted files, as `git status` names them. */
  readonly uncommittedFiles: readonly string[];
  readonly head: string;
  /** Commit of this version's tag, if it exists. */
  readonly taggedCommit?: string;
  /** Tag that the workflow was started with. */
  readonly requestedTag?: string;
}

const heading = /^## (\d+\.\d+\.\d+) \((?:unreleased|(\d{4}-\d{2}-\d{2}))\)$/;
const kinds = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"];

/**
 * Entries, newest first.
 *
 * @throws In one sentence with the line, if the text is malformed.
 */
export function parseChangelog(text: string): ChangelogEntry[] {
  const entries: { version: string; date?: string; lines: string[] }[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    const fail = (expected: string): never => {
      throw new CommandError(`static/changes.md:${index + 1}: expected ${expected}, found "${line}".`);
    };
    if (line.startsWith("## ")) {
      const [, version, date] = heading.exec(line) ??
        fail('a heading such as "## 1.2.3 (unreleased)" or "(2026-01-31)"');
      if (date !== undefined && !isDate(date)) fail("a day of the calendar");
      const previous = entries.at(-1);
      if (previous !== undefined && !isOlder(version!, previous.version)) {
        fail(`a version older than ${previous.version}`);
      }
      if (previous !== undefined && date === undefined) fail("a date, because a newer version stands above");
      entries.push({ version: version!, date, lines: [] });
      continue;
    }
    if (line.startsWith("### ") && !kinds.includes(line.slice(4))) fail(`one of ${kinds.join(", ")} after ###`);
    entries.at(-1)?.lines.push(line);
  }
  return entries.map(({ version, date, lines }) => ({ version, date, notes: lines.join("\n").trim() }));
}

/** Reasons against the release of this version, one sentence each, with a fix. */
export function findReleaseBlockers(
  { version, changelog, uncommittedFiles, head, taggedCommit, requestedTag }: ReleaseState,
): string[] {
  const blockers: string[] = [];
  const entry = parseChangelog(changelog).find((entry) => entry.version === version);
  const name = `v${version}`;
  if (entry === undefined || entry.notes === "") {
    blockers.push(`static/changes.md says nothing of ${version}: write what changed for users.`);
  } else if (entry.date === undefined) {
    blockers.push(`static/changes.md calls ${version} unreleased: write the date of the release there.`);
  }
  if (uncommittedFiles.length > 0) {
    const named = uncommittedFiles.slice(0, 3).join(", ") +
      (uncommittedFiles.length > 3 ? ` and ${uncommittedFiles.length - 3} more` : "");
    blockers.push(
      `${named} ${
        uncommittedFiles.length === 1 ? "is" : "are"
      } not committed: commit or remove what is not to be released.`,
    );
  }
  if (taggedCommit !== undefined && taggedCommit !== head) {
    blockers.push(`The tag ${name} exists, and is another commit: raise the version in deno.json.`);
  }
  if (requestedTag !== undefined && requestedTag !== name) {
    blockers.push(`The tag is ${requestedTag}, but deno.json says ${version}: the tag of this version is ${name}.`);
  }
  return blockers;
}

function isDate(date: string): boolean {
  const time = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(date);
}

/** Whether that version precedes this one. */
function isOlder(version: string, other: string): boolean {
  return version.localeCompare(other, "en", { numeric: true }) < 0;
}
