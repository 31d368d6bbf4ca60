/** Decodes and checks the token while the user types. The form works without this script, too. */

/// <reference no-default-lib="true" />
/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/// <reference lib="esnext" />

import { showCopyButtons } from "../copy.ts";
import { announce } from "./watch.ts";

/** Typing is a burst of changes: delay between the last one and the check, in milliseconds. */
const checkDelayMs = 200;

/** What a check replaces: the verdict, and what it is about. The form stays, with its focus. */
const replaced = [".opening > :first-child", "#results"];

const form = document.querySelector<HTMLFormElement>("form.form")!;
let pending: AbortController | undefined;

async function check(signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, checkDelayMs));
  if (signal.aborted) return;
  const body = new URLSearchParams([...new FormData(form)] as string[][]);
  const response = await fetch(form.action, { method: "POST", body, signal });
  if (!response.ok) return;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  showCopyButtons(page);
  for (const selector of replaced) {
    document.querySelector(selector)?.replaceWith(page.querySelector(selector)!);
  }
  document.title = page.title;
  announce(page.querySelector("h1")!.textContent);
}

form.addEventListener("input", () => {
  pending?.abort();
  pending = new AbortController();
  check(pending.signal).catch(() => {});
});
