/**
 * Keeps the list of flows up to date without moving it while the user reads it, and filters it while the user types.
 */

/// <reference no-default-lib="true" />
/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/// <reference lib="esnext" />

import { announce, watchFlows } from "./watch.ts";

/** Changes come in bursts: delay between the first one and the request for the new list, in milliseconds. */
const refreshDelayMs = 200;

const refreshLink = document.querySelector<HTMLAnchorElement>("#again");

/** Whether new rows above would move what the user reads or is about to select. */
function isBeingRead(list: Element): boolean {
  return scrollY > 0 || list.matches(":hover") || list.contains(document.activeElement) ||
    !getSelection()?.isCollapsed;
}

/** Loads a list. */
async function load(href: string, signal?: AbortSignal): Promise<Element | null> {
  const response = await fetch(href, { signal });
  if (!response.ok) return null;
  return new DOMParser().parseFromString(await response.text(), "text/html").querySelector("#results");
}

/** Updates known rows in place, and adds new ones above unless the user is reading. */
async function refresh(link: HTMLAnchorElement): Promise<void> {
  const results = await load(link.href);
  const newList = results?.querySelector("#flows");
  if (!newList) return;
  const firstId = newList.firstElementChild?.id;
  const newRows: Element[] = [];
  for (const row of [...newList.children]) {
    const existing = document.getElementById(row.id);
    if (!existing) newRows.push(row);
    if (!existing || existing.isEqualNode(row)) continue;
    const isFocused = existing.contains(document.activeElement);
    existing.replaceWith(row);
    if (isFocused) row.querySelector("a")?.focus({ preventScroll: true });
  }
  const list = document.querySelector("#flows");
  if (newRows.length > 0) {
    const message = newRows.length === 1 ? "1 new flow" : `${newRows.length} new flows`;
    if (list && !isBeingRead(list)) list.prepend(...newRows);
    else link.textContent = `Show ${message}`;
    announce(message);
  }
  // The flow beside the list is that of its first row.
  const summary = document.querySelector("#newest");
  const newSummary = results?.querySelector("#newest");
  const isCurrent = firstId === list?.firstElementChild?.id && !summary?.contains(document.activeElement);
  if (summary && newSummary && isCurrent) summary.replaceWith(newSummary);
}

let search: AbortController | undefined;

/** Shows what the form selects, and keeps it in the address. */
async function applyFilter(form: HTMLFormElement): Promise<void> {
  search?.abort();
  const { signal } = search = new AbortController();
  const query = new URLSearchParams([...new FormData(form)].filter(([, value]) => value !== "") as string[][]);
  const href = `${form.action}${query.size > 0 ? `?${query}` : ""}`;
  const results = await load(href, signal);
  if (!results) return;
  document.querySelector("#results")?.replaceWith(results);
  history.replaceState(null, "", href);
  if (refreshLink) refreshLink.href = href;
  announce(`${results.querySelectorAll("#flows > li").length} flows`);
}

const form = document.querySelector<HTMLFormElement>(".filter");
if (form) {
  form.addEventListener("input", () => void applyFilter(form).catch(() => {}));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    applyFilter(form).catch(() => {});
  });
}

if (refreshLink) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  watchFlows(refreshLink, () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      refresh(refreshLink).catch(() => {});
    }, refreshDelayMs);
  });
}
