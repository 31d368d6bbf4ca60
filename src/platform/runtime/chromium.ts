/** A Chromium without windows, driven by the Chrome DevTools Protocol: for applications that run in a browser. */

import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";

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
 * Starts a Chromium.
 *
 * @param path That of the program: Chromium, Chrome or Edge.
 * @throws {Error} If it does not start.
 */
export async function startChromium(path: string): Promise<Chromium> {
  const folder = await mkdtemp(join(tmpdir(), "latchkey-chromium-"));
  const args = ["--headless", "--remote-debugging-port=0", `--user-data-dir=${folder}`, "--no-first-run"];
  // Its sandbox does not run as root, as in a container.
  const sandbox = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  const child = spawn(path, [...args, ...sandbox, "about:blank"], { stdio: ["ignore", "ignore", "pipe"] });
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
    const socket = new WebSocket(await addressOf(child, path));
    await new Promise((resolve, reject) => {
      socket.onopen = resolve;
      socket.onerror = () => reject(new Error(`${path} accepts no connection`));
    });
    const send = commandSender(socket);
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

/** The address that the browser writes once it listens. */
function addressOf(child: ReturnType<typeof spawn>, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    const timer = setTimeout(() => reject(new Error(`${path} does not start: ${text.slice(-300)}`)), maxStartMs);
    const end = (act: () => void) => {
      clearTimeout(timer);
      act();
    };
    child.stderr!.setEncoding("utf8").on("data", (part: string) => {
      text = (text + part).slice(-10_000);
      const address = /DevTools listening on (ws:\S+)/.exec(text)?.[1];
      if (address !== undefined) end(() => resolve(address));
    });
    child.on("error", (error) => end(() => reject(error)));
    child.on("exit", (code) => end(() => reject(new Error(`${path} ended with ${code}: ${text.slice(-300)}`))));
  });
}

type SendCommand = (method: string, params: Members, sessionId?: unknown) => Promise<Members>;

/** Sends commands over a connection to the browser. */
function commandSender(socket: WebSocket): SendCommand {
  const waiting = new Map<number, PromiseWithResolvers<Members>>();
  let sent = 0;
  socket.onmessage = ({ data }) => {
    const { id = 0, result = {}, error } = JSON.parse(String(data)) as Message;
    const { resolve, reject } = waiting.get(id) ?? {};
    waiting.delete(id);
    if (error === undefined) resolve?.(result);
    else reject?.(new Error(error.message));
  };
  socket.onclose = () => {
    for (const { reject } of waiting.values()) reject(new Error("the browser has ended"));
  };
  return (method, params, sessionId) => {
    const call = Promise.withResolvers<Members>();
    waiting.set(++sent, call);
    socket.send(JSON.stringify({ id: sent, method, params, sessionId }));
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
