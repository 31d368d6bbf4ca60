/** The terminal of the process: its lines, and the browser of its user. */

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

/** Returns whether the process may run a program, which is a name or an absolute path. */
type MayRun = (program: string) => boolean;

/**
 * The terminal, if it is both input and output, and the process is in its foreground. Otherwise nothing is read: a read
 * from the background stops the process (SIGTTIN).
 *
 * @param mayRun Whether the process has the permission to run a program. Default: it may run all.
 */
export function openTerminal(mayRun: MayRun = () => true): Terminal | undefined {
  if (!isatty(0) || !isatty(1) || !isInForeground(mayRun)) return undefined;
  return { onLine: (callback) => onLine(callback, mayRun), openUrl: (url) => openUrl(url, mayRun) };
}

/** Whether this process is in the foreground of the terminal and so receives its input; false if that is unknown. */
function isInForeground(mayRun: MayRun): boolean {
  if (process.platform === "win32") return true;
  try {
    if (process.platform === "linux") {
      const stat = readFileSync("/proc/self/stat", "utf8");
      // The name of the program, in parentheses, may contain spaces.
      const [, , processGroup, , , foregroundGroup] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return processGroup === foregroundGroup;
    }
  } catch {
    // Deno reads /proc only with all permissions.
  }
  try {
    const args = ["-o", "stat=", "-p", String(process.pid)];
    const ps = permitted("ps", "/bin", mayRun);
    return execFileSync(ps, args, { encoding: "utf8", timeout: 1000, stdio: "pipe", env: {} }).includes("+");
  } catch {
    return false;
  }
}

/** The program by its name or, if only that is permitted, by its path. @throws {Error} If it is not permitted. */
function permitted(name: string, folder: string, mayRun: MayRun): string {
  const found = [name, `${folder}/${name}`].find(mayRun);
  if (found === undefined) throw new Error(`no permission to run ${name}`);
  return found;
}

function onLine(callback: (line: string) => void, mayRun: MayRun): void {
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
  if (process.platform !== "win32") {
    process.on("SIGCONT", () => isInForeground(mayRun) ? stdin.resume() : stdin.pause());
  }
  stdin.unref?.();
}

function openUrl(url: string, mayRun: MayRun): Promise<void> {
  const [name, ...args] = process.platform === "darwin"
    ? ["open"]
    : process.platform === "win32"
    ? ["rundll32", "url.dll,FileProtocolHandler"]
    : ["xdg-open"];
  return new Promise((resolve, reject) => {
    // If a variable such as LD_PRELOAD is set, Deno runs programs only with all permissions.
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(?:LD|DYLD)_/.test(name)));
    const program = permitted(name!, "/usr/bin", mayRun);
    const child = spawn(program, [...args, url], { stdio: "ignore", detached: true, env });
    child.once("error", reject);
    child.once("spawn", resolve);
    child.unref();
  });
}
