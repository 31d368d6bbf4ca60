/** A browser and something to look at: sample pages under the headers of the real server. */

// Named here and nowhere else, so that only who runs these tests downloads it.
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import process from "node:process";
import { after } from "node:test";
import type { Latchkey } from "../../src/mod.ts";
import { html, toResponse } from "../../src/core/http/message.ts";
import { assets as devtoolsAssets } from "../../src/devtools/assets.gen.ts";
import { assets as serverAssets } from "../../src/server/pages/assets.gen.ts";
import { pages } from "../drawn_pages.ts";
import { findChromium } from "./chromium.ts";
import { samples } from "./samples.ts";

/** Where Chromium is; undefined where the tests are to be skipped. */
export const executablePath: string | undefined = findChromium();

/** How long a step of the browser may take, in milliseconds; its default is too short for a busy machine. */
const timeout = 120_000;

type PageResponse = NonNullable<Awaited<ReturnType<Page["goto"]>>>;

let browser: Promise<Browser> | undefined;

/** How a page is opened. */
export interface OpenOptions extends BrowserContextOptions {
  /** The page's own scripts never come; the tests may still ask it anything, without axe-core. Default: false. */
  readonly bare?: boolean;
  readonly colorScheme?: ColorScheme;
  /**
   * The widths at which `findPageProblems` looks at the page, in pixels. The page opens at the first. Default: that of
   * `viewport`, else 1280.
   */
  readonly widths?: readonly [number, ...number[]];
}

/** What the user prefers; pages differ in their colours only. */
export type ColorScheme = "light" | "dark";

/**
 * Viewing conditions: with script on a desktop, a tablet and a phone; without script on a phone and a desktop.
 * `findPageProblems` looks at both colour schemes. axe-core, which takes most of the time, examines the narrowest
 * layout alone, light and with script.
 */
export const browserVariants: readonly { readonly name: string; readonly options: OpenOptions }[] = [
  { name: "with script", options: { widths: [1280, 768, 320] } },
  { name: "without script", options: { widths: [320, 1280], bare: true, colorScheme: "dark" } },
];

/** An opened page, with its console errors and warnings. */
export interface OpenedPage extends AsyncDisposable {
  readonly page: Page;
  /** Console errors and warnings, CSP violations, uncaught errors, dialogs, failed requests. */
  readonly problems: readonly string[];
  /**
   * Whether the page runs its scripts; where it does not, no callback of a question put to it is ever called either.
   */
  readonly runsScripts: boolean;
  readonly runsAxe: boolean;
  readonly colorScheme: ColorScheme;
  /** See {@link OpenOptions}; the viewport alone, where a test sets it. */
  readonly widths: readonly [number, ...number[]];
  /** The response that the current document came in; undefined for a file. */
  readonly document: () => PageResponse | undefined;
}

/** Opens a page in its own context. The browser's log line for an error status is ignored. */
export async function openPage(url: string, {
  bare = false,
  colorScheme = "light",
  viewport,
  widths = [viewport?.width ?? 1280],
  ...options
}: OpenOptions = {}): Promise<OpenedPage> {
  browser ??= chromium.launch({
    executablePath,
    timeout,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-dev-shm-usage",
      "--disable-background-networking",
      "--host-resolver-rules=MAP as.test 127.0.0.1, MAP evil.example 127.0.0.1, MAP *.evil.example.com 127.0.0.1",
    ],
  });
  const context = await (await browser).newContext({
    viewport: viewport ?? { width: widths[0], height: 800 },
    reducedMotion: "reduce",
    colorScheme,
    ...options,
  });
  if (bare) await context.route("**/*.js", (route) => route.fulfill({ contentType: "text/javascript" }));
  context.setDefaultTimeout(timeout);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("console", (message) => {
    const isOwnStatus = message.location().url === page.url() && message.text().startsWith("Failed to load resource");
    if (["error", "warning"].includes(message.type()) && !isOwnStatus) problems.push(message.text());
  });
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("dialog", async (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    await dialog.dismiss();
  });
  page.on("requestfailed", (request) => {
    const reason = request.failure()?.errorText;
    // Aborted: the page was left before the tab's icon had come.
    if (reason !== "net::ERR_ABORTED") problems.push(`${request.url()}: ${reason}`);
  });
  let document: PageResponse | undefined;
  page.on("response", (response) => {
    const request = response.request();
    if (request.isNavigationRequest() && response.frame() === page.mainFrame()) document = response;
  });
  await page.goto(url, { waitUntil: "load" });
  const runsScripts = options.javaScriptEnabled ?? true;
  return {
    ...{ page, problems, runsScripts, runsAxe: runsScripts && !bare, colorScheme, widths, document: () => document },
    [Symbol.asyncDispose]: () => context.close(),
  };
}

/** Calls `look` at each width of the page, and ends with the first. A page with one width is not resized. */
export async function atEachWidth({ page, widths }: OpenedPage, look: (width: number) => Promise<void>): Promise<void> {
  const { height } = page.viewportSize()!;
  for (const width of widths.toReversed()) {
    if (widths.length > 1) await page.setViewportSize({ width, height });
    await look(width);
  }
}

/**
 * Keeps pictures of the whole page at each width, light and dark, in the folder that LATCHKEY_SHOTS names, if it names
 * one.
 */
export async function takeScreenshot(opened: OpenedPage, name: string): Promise<void> {
  const folder = process.env.LATCHKEY_SHOTS;
  if (!folder) return;
  const { page, colorScheme } = opened;
  await atEachWidth(opened, async () => {
    const { width } = page.viewportSize()!;
    for (const shown of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme: shown });
      await page.screenshot({ path: `${folder}/${name.replaceAll(" ", "-")}-${width}-${shown}.png`, fullPage: true });
    }
    await page.emulateMedia({ colorScheme });
  });
}

/** Ends the browser. */
export async function closeBrowser(): Promise<void> {
  await (await browser)?.close();
}

/** Lets a server listen until the tests of the file have run; then the browser ends, too. Returns the URL. */
export async function listen(as: Latchkey): Promise<string> {
  after(async () => {
    await closeBrowser();
    await as.close();
  });
  return (await as.listen({ port: 0 })).url;
}

const assets = Object.fromEntries([
  ...Object.entries(serverAssets).map(([name, asset]) => [`/static/${name}`, asset] as const),
  ...Object.entries(devtoolsAssets).map(([name, asset]) => [`/static/devtools/${name}`, asset] as const),
]);

/** Serves the samples on a free port of this machine. */
export function serveSamples(): { readonly url: string; close(): Promise<void> } {
  const server = Deno.serve({ port: 0, hostname: "localhost", onListen: () => {} }, (request) => {
    const { pathname } = new URL(request.url);
    const sample = samples[pathname];
    if (sample) return toResponse(html(sample.status, sample.draw(pages)));
    const asset = assets[pathname];
    if (!asset) return new Response(null, { status: 404 });
    return new Response(asset.body, { headers: { "content-type": asset.type, "x-content-type-options": "nosniff" } });
  });
  return { url: `http://localhost:${server.addr.port}`, close: () => server.shutdown() };
}
