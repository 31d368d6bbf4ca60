/** A Chromium without windows, driven by the Chrome DevTools Protocol: for applications that run in a browser. */

import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import type { Readable, Writable } from "node:stream";

/** A page of a browser that runs scripts. */
export interface ScriptedPage {
  /** Opens a URL. Does not wait for the page. */
  navigate(url: string): Promise<void>;
  /** Evaluates an expression whose value JSON can carry; `undefined` while the page is about to change. */
  evaluate(expression: string): Promise<unknown>;
  close(): Promise<void>;
}

/** A running Chromium. */
export interface Chromium {
  /** Opens a page in a browser context of its own, without cookies. */
  openPage(): Promise<ScriptedPage>;
  close(): Promise<void>;
}

/** How long it may take to start, in milliseconds. */
const maxStartMs = 20_000;

/** How long it may take to end by itself, in milliseconds. */
const maxEndMs = 5000;

type Members = Readonly<Record<string, unknown>>;

/** What the browser sends. */
interface Message {
  readonly id?: number;
  readonly result?: Members;
  readonly error?: { readonly message: string };
}

/**
 * Starts a Chromium, and commands it through pipes: every user of this machine could connect to a port.
 *
 * @param path That of the program: Chromium, Chrome or Edge.
 * @throws {Error} If it does not start.
 */
export async function startChromium(path: string): Promise<Chromium> {
  const folder = await mkdtemp(join(tmpdir(), "latchkey-chromium-"));
  const args = ["--headless", "--remote-debugging-pipe", `--user-data-dir=${folder}`, "--no-first-run"];
  // Its sandbox does not run as root, as in a container.
  const sandbox = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  const child = spawn(path, [...args, ...sandbox, "about:blank"], {
    stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"],
  });
  const failure = failureOf(child, path);
  const ended = new Promise<void>((resolve) => {
    child.on("exit", () => resolve());
    child.on("error", () => resolve());
  });

  async function close(): Promise<void> {
    child.kill("SIGKILL");
    await ended;
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }

  try {
    const [, , , commands, messages] = child.stdio ?? [];
    // Without a program there are no pipes.
    if (!commands || !messages) return await failure;
    const send = commandSender(commands as Writable, messages as Readable);
    await Promise.race([send("Browser.getVersion", {}).catch(() => failure), failure]);
    return {
      openPage: pageOpener(send),
      async close() {
        // By itself: the program may be a script that does not pass a signal on.
        send("Browser.close", {}).catch(() => {});
        const timer = setTimeout(() => child.kill("SIGKILL"), maxEndMs);
        await ended;
        clearTimeout(timer);
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Rejects if the browser does not start. */
function failureOf(child: ReturnType<typeof spawn>, path: string): Promise<never> {
  const failure = new Promise<never>((_, reject) => {
    let text = "";
    const timer = setTimeout(() => reject(new Error(`${path} does not start: ${text.slice(-300)}`)), maxStartMs);
    timer.unref();
    child.stderr!.setEncoding("utf8").on("data", (part: string) => text = (text + part).slice(-10_000));
    child.on("error", reject);
    child.on("exit", (code) => {
      clearTimeout(timer);
      reject(new Error(`${path} ended with ${code}: ${text.slice(-300)}`));
    });
  });
  // It also ends when it is closed.
  failure.catch(() => {});
  return failure;
}

type SendCommand = (method: string, params: Members, sessionId?: unknown) => Promise<Members>;

/** Sends commands to the browser, which separates messages by a null character. */
function commandSender(commands: Writable, messages: Readable): SendCommand {
  const waiting = new Map<number, PromiseWithResolvers<Members>>();
  let sent = 0;
  let rest = "";
  messages.setEncoding("utf8").on("data", (part: string) => {
    const texts = (rest + part).split("\0");
    rest = texts.pop()!;
    for (const text of texts) {
      const { id = 0, result = {}, error } = JSON.parse(text) as Message;
      const { resolve, reject } = waiting.get(id) ?? {};
      waiting.delete(id);
      if (error === undefined) resolve?.(result);
      else reject?.(new Error(error.message));
    }
  });
  const ended = new Error("the browser has ended");
  let hasEnded = false;
  const end = () => {
    hasEnded = true;
    for (const { reject } of waiting.values()) reject(ended);
    waiting.clear();
  };
  messages.on("close", end);
  // A write after the end of the browser.
  commands.on("error", end);
  return (method, params, sessionId) => {
    if (hasEnded) return Promise.reject(ended);
    const call = Promise.withResolvers<Members>();
    waiting.set(++sent, call);
    commands.write(`${JSON.stringify({ id: sent, method, params, sessionId })}\0`);
    return call.promise;
  };
}

/** Opens pages. */
function pageOpener(send: SendCommand): () => Promise<ScriptedPage> {
  return async () => {
    const { browserContextId } = await send("Target.createBrowserContext", {});
    const { targetId } = await send("Target.createTarget", { url: "about:blank", browserContextId });
    const { sessionId } = await send("Target.attachToTarget", { targetId, flatten: true });
    return {
      async navigate(url) {
        await send("Page.navigate", { url }, sessionId);
      },
      async evaluate(expression) {
        const params = { expression, returnByValue: true };
        const { result } = await send("Runtime.evaluate", params, sessionId).catch(() => ({ result: undefined }));
        return (result as { readonly value?: unknown } | undefined)?.value;
      },
      async close() {
        await send("Target.disposeBrowserContext", { browserContextId });
      },
    };
  };
}
