/** Keeps the list of flows up to date while it is open, without moving what is being read. */

/// <reference no-default-lib="true" />
/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/// <reference lib="esnext" />

import { announce, watchFlows } from "./watch.ts";

/** Changes come in bursts; this long after the first one the list is asked for again, in milliseconds. */
const refreshDelayMs = 200;

const refreshLink = document.querySelector<HTMLAnchorElement>("#again");

/** Whether something that came in above would move what somebody reads, or is about to choose. */
function isBeingRead(list: Element): boolean {
  return scrollY > 0 || list.matches(":hover") || list.contains(document.activeElement) ||
    !getSelection()?.isCollapsed;
}

/** Takes over what the server draws now: known lines in their place, new ones above if nobody is reading. */
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
  watchFlows(() => {
    timer ??= setTimeout(() => {
      timer = undefined;
      refresh(refreshLink).catch(() => {});
    }, refreshDelayMs);
  });
}
