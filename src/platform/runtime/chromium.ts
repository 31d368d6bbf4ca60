/** A Chromium without windows, driven by the Chrome DevTools Protocol: for applications that run in a browser. */

import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import type { Readable, Writable } from "node:stream";

/** A request for a document: a page, or one in a frame. */
export interface DocumentRequest {
  readonly url: string;
  readonly isInFrame: boolean;
}

/** What a page receives. */
export interface DocumentResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A response to a request of a page. */
export interface ReceivedResponse {
  readonly url: string;
  readonly status: number;
  readonly isDocument: boolean;
  /** By lower-case name; without `set-cookie`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What is done with a page. */
export interface PageOptions {
  /** Receives the responses to documents and to requests of scripts. */
  receive(response: ReceivedResponse): void;
  /**
   * Responds to a request for a document, also for each step of a redirect. `undefined`: the request is sent, with these
   * header fields.
   */
  respond(request: DocumentRequest): Promise<DocumentResponse | undefined>;
  /** Header fields that are added to requests for documents. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The name of a global variable, and what is called with the URL of a page when its scripts read the variable. */
  readonly watched: readonly [name: string, read: (url: string) => void];
}

export interface PageContent {
  readonly url: string;
  readonly text: string;
  readonly html: string;
  /** The cookies that scripts can read. */
  readonly cookies: string;
}

/** A page of a browser that runs scripts. */
export interface ScriptedPage {
  /** Opens a URL. @returns Why it did not load, such as `net::ERR_CONNECTION_REFUSED`; `undefined` if it did. */
  navigate(url: string): Promise<string | undefined>;
  /** Replaces the document. */
  write(html: string): Promise<void>;
  /** Clicks the first button or link whose text begins with one of these. @returns Whether there is one. */
  click(pattern: RegExp): Promise<boolean>;
  /** Waits until nothing is under way: no request, no timer that ends soon, and no change. */
  settle(signal: AbortSignal): Promise<PageContent>;
}

/** Pages that share their cookies and their storage. */
export interface BrowserContext {
  openPage(options: PageOptions): Promise<ScriptedPage>;
  /** Closes its pages. */
  close(): Promise<void>;
}

export interface Chromium {
  /** Opens a context without cookies. */
  openContext(): Promise<BrowserContext>;
  close(): Promise<void>;
}

/** How often a page is looked at, in milliseconds. */
const stepMs = 50;

/**
 * How often a page must look the same: more often while a body is unread, which a script may read next, and with timers
 * that end soon, because they may start each other.
 */
const [quietLooks, unreadLooks, waitingLooks] = [4, 20, 60] as const;

/** How often a page is looked at that changes all the time. */
const maxLooks = 120;

/** How soon a timer ends that is waited for, in milliseconds. */
const soonMs = 2000;

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
  /** The name of an event. */
  readonly method?: string;
  readonly params?: Members;
  readonly sessionId?: string;
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
    const connection = connect(commands as Writable, messages as Readable);
    const { send } = connection;
    await Promise.race([send("Browser.getVersion", {}).catch(() => failure), failure]);
    const prepare = () => {
      const context = openContext(connection);
      // The browser may end before it is used.
      context.catch(() => {});
      return context;
    };
    /** The next context: to start the process of a page takes longer than many logins. */
    let spare = prepare();
    await Promise.race([spare, failure]).catch(() => {});
    return {
      openContext() {
        const context = spare;
        spare = prepare();
        return context;
      },
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

/** The commands and events of the browser. */
interface Connection {
  send(method: string, params: Members, sessionId?: unknown): Promise<Members>;
  /** Receives the events of each session. */
  readonly listeners: Map<unknown, (method: string, params: Members) => void>;
}

/** Sends commands to the browser, which separates messages by a null character. */
function connect(commands: Writable, messages: Readable): Connection {
  const listeners: Connection["listeners"] = new Map();
  const waiting = new Map<number, PromiseWithResolvers<Members>>();
  let sent = 0;
  let rest = "";
  messages.setEncoding("utf8").on("data", (part: string) => {
    const texts = (rest + part).split("\0");
    rest = texts.pop()!;
    for (const text of texts) {
      const { id = 0, result = {}, error, method, params = {}, sessionId } = JSON.parse(text) as Message;
      if (method !== undefined) listeners.get(sessionId)?.(method, params);
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
  const send: Connection["send"] = (method, params, sessionId) => {
    if (hasEnded) return Promise.reject(ended);
    const call = Promise.withResolvers<Members>();
    waiting.set(++sent, call);
    commands.write(`${JSON.stringify({ id: sent, method, params, sessionId })}\0`);
    return call.promise;
  };
  return { send, listeners };
}

async function openContext(connection: Connection): Promise<BrowserContext> {
  const { browserContextId } = await connection.send("Target.createBrowserContext", {});
  let first: Target | undefined = await openTarget(connection, browserContextId);
  return {
    async openPage(options) {
      const target = first ?? await openTarget(connection, browserContextId);
      first = undefined;
      return await openPage(connection, target, options);
    },
    async close() {
      await connection.send("Target.disposeBrowserContext", { browserContextId });
    },
  };
}

/** An empty page. */
interface Target {
  readonly targetId: unknown;
  readonly sessionId: unknown;
}

async function openTarget({ send }: Connection, browserContextId: unknown): Promise<Target> {
  const { targetId } = await send("Target.createTarget", { url: "about:blank", browserContextId });
  const { sessionId } = await send("Target.attachToTarget", { targetId, flatten: true });
  const command = (method: string, params: Members = {}) => send(method, params, sessionId);
  await Promise.all([
    ...["Page.enable", "Runtime.enable", "Network.enable"].map((method) => command(method)),
    command("Runtime.addBinding", { name: bindingName }),
    command("Target.setAutoAttach", {
      ...{ autoAttach: true, waitForDebuggerOnStart: true, flatten: true, filter: [{ type: "worker" }] },
    }),
    command("Fetch.enable", { patterns: [{ urlPattern: "http*", resourceType: "Document" }] }),
  ]);
  return { targetId, sessionId };
}

/** What events say of a request. */
interface RequestEvent {
  readonly sessionId: string;
  readonly requestId: string;
  /** Empty for what a worker sends. */
  readonly loaderId: string;
  readonly type: string;
  readonly frameId: string;
  readonly request: { readonly url: string; readonly headers: Readonly<Record<string, string>> };
  readonly frame: { readonly parentId?: string; readonly loaderId: string };
  readonly payload: string;
  readonly response: Omit<ReceivedResponse, "body" | "isDocument">;
}

/** The kinds of requests whose responses are read. */
const readTypes: readonly string[] = ["Document", "XHR", "Fetch"];

async function openPage(
  { send, listeners }: Connection,
  { targetId, sessionId }: Target,
  { receive, respond, headers = {}, watched: [watchedName, read] }: PageOptions,
): Promise<ScriptedPage> {
  const command = (method: string, params: Members = {}) => send(method, params, sessionId);
  /** The requests without a response, with the document or the worker that sent them. */
  const open = new Map<string, unknown>();

  async function decide({ requestId, frameId, request }: RequestEvent): Promise<void> {
    const response = await respond({ url: request.url, isInFrame: frameId !== targetId });
    if (response === undefined) {
      return void await command("Fetch.continueRequest", {
        requestId,
        headers: listFields({ ...request.headers, ...headers }),
      });
    }
    await command("Fetch.fulfillRequest", {
      requestId,
      responseCode: response.status,
      responseHeaders: listFields(response.headers),
      body: btoa(String.fromCharCode(...new TextEncoder().encode(response.body ?? ""))),
    });
  }

  /** The responses whose bodies are not complete. */
  const begun = new Map<string, Omit<ReceivedResponse, "body">>();

  /** Whether a request has no response yet. If a script leaves a body unread, the browser never reports its end. */
  const isAwaited = (requestId: string) => begun.get(requestId)?.isDocument !== false;

  async function readBody(requestId: string, from: unknown): Promise<void> {
    const response = begun.get(requestId);
    begun.delete(requestId);
    const { body, base64Encoded } = response ? await send("Network.getResponseBody", { requestId }, from) : {};
    if (response && !base64Encoded) receive({ ...response, body: String(body) });
  }

  /** Listens to the page, or to one of its workers. */
  const listen = (from: unknown) => (method: string, params: Members) => {
    const event = params as unknown as RequestEvent;
    if (method === "Runtime.bindingCalled") read(event.payload);
    // It waits for an answer.
    if (method === "Page.javascriptDialogOpening") {
      command("Page.handleJavaScriptDialog", { accept: true }).catch(() => {});
    }
    if (method === "Target.attachedToTarget") {
      listeners.set(event.sessionId, listen(event.sessionId));
      for (const next of ["Network.enable", "Runtime.runIfWaitingForDebugger"]) {
        send(next, {}, event.sessionId).catch(() => {});
      }
    }
    // An event stream never ends, and the browser does not report the end of a worker's script.
    const [sender, isEndless] = [event.loaderId || from, event.type === "EventSource"];
    if (method === "Network.requestWillBeSent" && !isEndless && sender !== sessionId) {
      open.set(event.requestId, sender);
    }
    if (method === "Network.responseReceived" && readTypes.includes(event.type)) {
      const { url, status, headers } = event.response;
      const fields = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
      const isDocument = event.type === "Document";
      begun.set(event.requestId, { url, status, isDocument, headers: Object.fromEntries(fields) });
    }
    // A page that is gone has no bodies.
    if (method === "Network.loadingFinished") readBody(event.requestId, from).catch(() => {});
    if (method === "Network.loadingFinished" || method === "Network.loadingFailed") open.delete(event.requestId);
    if (method === "Target.detachedFromTarget") {
      for (const [id, sender] of open) if (sender === event.sessionId) open.delete(id);
    }
    if (method === "Page.frameNavigated" && event.frame.parentId === undefined) {
      for (const [id, loader] of open) if (loader !== event.frame.loaderId) open.delete(id);
    }
    // The page may be gone before the response.
    if (method === "Fetch.requestPaused") decide(event).catch(() => {});
  };
  listeners.set(sessionId, listen(sessionId));
  await command("Page.addScriptToEvaluateOnNewDocument", { source: watchScript(watchedName) });
  /** Evaluates an expression whose value JSON can carry; `undefined` while the page is about to change. */
  async function evaluate(expression: string): Promise<unknown> {
    const params = { expression, returnByValue: true };
    const { result } = await command("Runtime.evaluate", params).catch(() => ({ result: undefined }));
    return (result as { readonly value?: unknown } | undefined)?.value;
  }

  return {
    async navigate(url) {
      const { errorText } = await command("Page.navigate", { url });
      return errorText as string | undefined;
    },
    write: async (html) => void await evaluate(`document.write(${JSON.stringify(html)})`),
    click: async (pattern) => await evaluate(`${clickFirst}(${pattern})`) === true,
    async settle(signal) {
      for (let last: Look | undefined, looks = 0, quiet = 0; looks < maxLooks;) {
        await new Promise((resolve) => setTimeout(resolve, stepMs));
        signal.throwIfAborted();
        const awaits = () => [...open.keys()].some(isAwaited);
        const now = awaits() ? undefined : await evaluate(look) as Look | undefined;
        const isQuiet = now?.isComplete === true && !awaits();
        looks = isQuiet ? looks + 1 : 0;
        quiet = isQuiet && now.seen === last?.seen ? quiet + 1 : 0;
        last = now;
        const enough = now && now.timers > 0 ? waitingLooks : open.size > 0 ? unreadLooks : quietLooks;
        if (isQuiet && quiet >= enough) break;
      }
      return await evaluate(content) as PageContent;
    },
  };
}

/** What is seen of a page while it changes. */
interface Look {
  readonly seen: string;
  /** The number of timers that end soon. */
  readonly timers: number;
  readonly isComplete: boolean;
}

const look = `({
  seen: location.href + document.body?.innerText,
  timers: globalThis.latchkeyTimers,
  isComplete: document.readyState === "complete",
})`;

const content = `({
  url: location.href,
  text: document.body?.innerText ?? "",
  html: document.documentElement.outerHTML,
  cookies: document.cookie,
})`;

const clickFirst = `((pattern) => {
  const all = [...document.querySelectorAll("button, a, [role=button], input[type=submit]")];
  const found = all.find((element) => pattern.test((element.innerText || element.value || "").trim()));
  found?.click();
  return found !== undefined;
})`;

const bindingName = "latchkeyRead";

/** A script that runs before those of each document: it watches a variable, and counts the timers that end soon. */
const watchScript = (name: string) =>
  `(() => {
  Object.defineProperty(globalThis, "${name}", { get: () => (${bindingName}(location.href), () => {}) });
  const { setTimeout: start, clearTimeout: end } = globalThis;
  const open = new Set();
  globalThis.setTimeout = (act, delay, ...values) => {
    const id = start((...given) => {
      open.delete(id);
      return typeof act === "function" ? act(...given) : (0, eval)(act);
    }, delay, ...values);
    if (!(delay > ${soonMs})) open.add(id);
    return id;
  };
  globalThis.clearTimeout = (id) => (open.delete(id), end(id));
  Object.defineProperty(globalThis, "latchkeyTimers", { get: () => open.size });
})()`;

const listFields = (fields: Readonly<Record<string, string>> = {}) =>
  Object.entries(fields).map(([name, value]) => ({ name, value }));
