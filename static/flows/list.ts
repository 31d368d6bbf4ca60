/** Keeps the list of flows up to date without moving it while the user reads it. */

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

/** Updates known rows in place, and adds new ones above unless the user is reading. */
async function refresh(link: HTMLAnchorElement): Promise<void> {
  const response = await fetch(link.href);
  if (!response.ok) return;
  const newList = new DOMParser().parseFromString(await response.text(), "text/html").querySelector("#flows");
  if (!newList) return;
  const newRows: Element[] = [];
  for (const row of [...newList.children]) {
    const existing = document.getElementById(row.id);
    if (!existing) newRows.push(row);
    if (!existing || existing.isEqualNode(row)) continue;
    const isFocused = existing.contains(document.activeElement);
    existing.replaceWith(row);
    if (isFocused) row.querySelector("a")?.focus({ preventScroll: true });
  }
  if (newRows.length === 0) return;
  const message = newRows.length === 1 ? "1 new flow" : `${newRows.length} new flows`;
  const list = document.querySelector("#flows");
  if (list && !isBeingRead(list)) list.prepend(...newRows);
  else link.textContent = `Show ${message}`;
  announce(message);
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
