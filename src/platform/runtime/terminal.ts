/** The terminal of the process on Bun and Node: its lines, and the browser of its user. */

import { execFileSync, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import process from "node:process";
import { isatty } from "node:tty";

/** A terminal whose user can type lines. */
export interface Terminal {
  /** Calls back for each line, while the process is in the foreground. */
  onLine(callback: (line: string) => void): void;
  /** Opens a URL in the browser. Rejects if no program can open it. */
  openUrl(url: string): Promise<void>;
}

/** The longest line that is read, in characters. */
const maxLineLength = 1000;

/**
 * The terminal, if it is both input and output, and the process is in its foreground. Otherwise nothing is read: a read
 * from the background stops the process (SIGTTIN).
 */
export function openTerminal(): Terminal | undefined {
  return isatty(0) && isatty(1) && isInForeground() ? { onLine, openUrl } : undefined;
}

/** Whether this process is in the foreground of the terminal and so receives its input; false if that is unknown. */
function isInForeground(): boolean {
  try {
    if (process.platform === "win32") return true;
    if (process.platform === "linux") {
      const stat = readFileSync("/proc/self/stat", "utf8");
      // The name of the program, in parentheses, may contain spaces.
      const [, , processGroup, , , foregroundGroup] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return processGroup === foregroundGroup;
    }
    const state = execFileSync("ps", ["-o", "stat=", "-p", String(process.pid)], { encoding: "utf8", timeout: 1000 });
    return state.includes("+");
  } catch {
    return false;
  }
}

function onLine(callback: (line: string) => void): void {
  const { stdin } = process;
  let rest = "";
  stdin.setEncoding("utf8");
  stdin.on("data", (text) => {
    const lines = (rest + text).split(/\r?\n/);
    rest = lines.pop()!.slice(0, maxLineLength);
    for (const line of lines) callback(line);
  });
  // The terminal was closed: the server continues.
  stdin.on("error", () => {});
  // After Ctrl-Z, the shell continues the process in the foreground or in the background.
  if (process.platform !== "win32") process.on("SIGCONT", () => isInForeground() ? stdin.resume() : stdin.pause());
  stdin.unref?.();
}

function openUrl(url: string): Promise<void> {
  const [program, ...args] = process.platform === "darwin"
    ? ["open"]
    : process.platform === "win32"
    ? ["rundll32", "url.dll,FileProtocolHandler"]
    : ["xdg-open"];
  return new Promise((resolve, reject) => {
    const child = spawn(program!, [...args, url], { stdio: "ignore", detached: true });
    child.once("error", reject);
    child.once("spawn", resolve);
    child.unref();
  });
}
