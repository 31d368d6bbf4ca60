/** The end of `npx`, which passes SIGTERM to its shell alone: without this code the server would keep its port. */

/** How often the parent is compared, in milliseconds. */
const intervalMs = 1000;

/**
 * Calls back once when the parent of this process has ended, if `npx` started it: the parent is then a shell that
 * waits for this process. Another parent may end before the server, such as a shell that starts it in the background.
 *
 * @param npmCommand The variable `npm_command`, which npm sets.
 */
export function onRunnerEnd(npmCommand: string | undefined, getParent: () => number, callback: () => void): void {
  if (npmCommand !== "exec") return;
  const parent = getParent();
  const timer = setInterval(() => {
    if (getParent() === parent) return;
    clearInterval(timer);
    callback();
  }, intervalMs);
}
