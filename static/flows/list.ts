/** Keeps the list of flows up to date while it is open, without moving what is being read. */

/// <reference no-default-lib="true" />
/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/// <reference lib="esnext" />

import { say, watch } from "./watch.ts";

/** Changes come in bursts; this long after the first one the list is asked for again, in milliseconds. */
const pause = 200;

const again = document.querySelector<HTMLAnchorElement>("#again");

/** Whether something that came in above would move what somebody reads, or is about to choose. */
function isBeingRead(list: Element): boolean {
  return scrollY > 0 || list.matches(":hover") || list.contains(document.activeElement) ||
    !getSelection()?.isCollapsed;
}

/** Takes over what the server draws now: known lines in their place, new ones above if nobody is reading. */
async function refresh(link: HTMLAnchorElement): Promise<void> {
  const response = await fetch(link.href);
  if (!response.ok) return;
  const fresh = new DOMParser().parseFromString(await response.text(), "text/html").querySelector("#flows");
  if (!fresh) return;
  const unknown: Element[] = [];
  for (const row of [...fresh.children]) {
    const known = document.getElementById(row.id);
    if (!known) unknown.push(row);
    if (!known || known.isEqualNode(row)) continue;
    const isFocused = known.contains(document.activeElement);
    known.replaceWith(row);
    if (isFocused) row.querySelector("a")?.focus({ preventScroll: true });
  }
  if (unknown.length === 0) return;
  const news = unknown.length === 1 ? "1 new flow" : `${unknown.length} new flows`;
  const list = document.querySelector("#flows");
  if (list && !isBeingRead(list)) list.prepend(...unknown);
  else link.textContent = `Show ${news}`;
  say(news);
}

if (again) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  watch(() => {
    timer ??= setTimeout(() => {
      timer = undefined;
      refresh(again).catch(() => {});
    }, pause);
  });
}
