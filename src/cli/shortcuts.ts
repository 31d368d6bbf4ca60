/** The shortcuts of the program: a letter and Enter in its terminal. */

import type { UserRepository } from "../server/clients/users.ts";
import { printable } from "../core/http/quote_value.ts";
import type { Terminal } from "../platform/runtime/terminal.ts";

/** A letter and what it does. */
export interface Shortcut {
  /** The letter. */
  readonly key: string;
  /** What it does: `opens the browser`. */
  readonly about: string;
  /** Runs it; returns the text to print, if any. */
  run(): Promise<string | void> | string | void;
}

/** The objects that the shortcuts act on. */
export interface ShortcutTargets {
  readonly terminal: Pick<Terminal, "openUrl">;
  /** The page that `o` opens. */
  readonly page: string;
  /** The users from which `u` selects the next; absent without automatic login. */
  readonly users?: Pick<UserRepository, "list" | "makeDefault">;
  /** Stops the server like Ctrl-C. */
  stop(): void;
}

export function programShortcuts({ terminal, page, users, stop }: ShortcutTargets): readonly Shortcut[] {
  return [
    {
      key: "o",
      about: `opens ${page}`,
      run: () => terminal.openUrl(page).catch(() => `No program to open a URL was found: open ${page} in a browser.`),
    },
    ...users === undefined
      ? []
      : [{ key: "u", about: "makes the next user the default user", run: () => selectNextUser(users) }],
    { key: "c", about: "clears the terminal", run: () => console.clear() },
    { key: "q", about: "stops the server", run: stop },
  ];
}

/** Makes the next user by `sub` the default, so that repeated use cycles through all users. */
async function selectNextUser(users: NonNullable<ShortcutTargets["users"]>): Promise<string> {
  const listed = await users.list({ limit: 50 });
  const subs = listed.map(({ sub }) => sub).sort();
  const next = subs.find((sub) => sub > (listed[0]?.sub ?? "")) ?? subs[0];
  if (next === undefined || !await users.makeDefault(next)) return "This server has no users.";
  return `${next} is the default user now`;
}

/** Runs the shortcut of a line; returns the text to print, if any. An empty line does nothing. */
export async function runShortcut(line: string, shortcuts: readonly Shortcut[]): Promise<string | undefined> {
  const key = line.trim().toLowerCase();
  if (key === "") return undefined;
  if (key === "h") {
    const all = [...shortcuts, { key: "h", about: "lists the shortcuts" }];
    return all.map(({ key, about }) => printable(`${key} + Enter  ${about}`)).join("\n");
  }
  const shortcut = shortcuts.find((shortcut) => shortcut.key === key);
  if (shortcut === undefined) return "No such shortcut: press h + Enter for help.";
  try {
    return printable(await shortcut.run() ?? "") || undefined;
  } catch (error) {
    return printable(`The shortcut ${key} failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}
