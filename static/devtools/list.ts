/**
 * The list of flows: keeps it up to date without moving it while the user reads it, filters it while the user types,
 * and shows the selected flow beside it. On wide screens it also stands beside an open flow.
 */

/// <reference no-default-lib="true" />
/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/// <reference lib="esnext" />

import { handleKeys, prepareKeys } from "./keys.ts";
import { findListLink, keepQuery } from "./list_link.ts";
import { showLocalTimes } from "./local_time.ts";
import { announce, watchFlows } from "./watch.ts";

/** Changes come in bursts: delay between the first one and the request for the new list, in milliseconds. */
const refreshDelayMs = 200;

const title = document.title;

/** The icon of the tab. */
const icon = document.querySelector<HTMLLinkElement>("link[rel=icon]")!;
const plainIcon = icon.href;

const reloadLink = document.querySelector<HTMLAnchorElement>("#again");

/** The place of the list beside an open flow; null on the page of the list. */
const beside = document.querySelector<HTMLElement>("#beside");

/** The address of the list, with what it selects. */
const address = new URL(beside ? findListLink(beside).href : location.href);

const getList = () => document.querySelector("#flows");
const getRows = () =>
  [...document.querySelectorAll<HTMLAnchorElement>("#flows a")].filter((row) => row.checkVisibility());
const findSelected = () => getRows().find((row) => row.ariaCurrent);

/** Keeps what the list selects: in the address of the list, and for the way back to it. */
function keepAddress(): void {
  if (!beside) history.replaceState(null, "", address);
  keepQuery(address);
}

/** Whether new rows above would move what the user reads or is about to select. */
function isBeingRead(list: Element): boolean {
  return !beside && scrollY > 0 || list.matches(":hover") || list.contains(document.activeElement) ||
    !getSelection()?.isCollapsed;
}

/** Loads the list. */
async function load(signal?: AbortSignal): Promise<Document | undefined> {
  const response = await fetch(address, { signal });
  if (!response.ok) return undefined;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  showLocalTimes(page);
  // Its place has the open flow.
  if (beside) page.querySelector("#pane")?.remove();
  return page;
}

/** The failed flows that the user has seen, or that the title counts. */
const knownErrors = new Set<string>();
let newErrors = 0;

/** Remembers the failed flows of the list; counts new ones in the title and icon of a background tab. */
function countErrors(isNew: boolean): void {
  for (const { id } of document.querySelectorAll("#flows li:has(> a .bad)")) {
    if (isNew && !knownErrors.has(id)) newErrors++;
    knownErrors.add(id);
  }
  document.title = newErrors > 0 ? `(${newErrors}) ${title}` : title;
  const shown = newErrors > 0 ? String(new URL("unseen.svg", import.meta.url)) : plainIcon;
  if (icon.href !== shown) icon.href = shown;
}

/** Leaves the folds of a new list as the user has them. */
function keepFolds(newList: Element): void {
  for (const fold of newList.querySelectorAll("details")) {
    const known = document.getElementById(fold.querySelector("li:last-child")!.id)?.parentElement?.closest("details");
    if (known?.open) fold.open = true;
  }
}

/** Updates rows that the list has already, in place: nothing moves. */
function updateRows(list: Element, newList: Element): void {
  for (const row of [...newList.children]) {
    const existing = document.getElementById(row.id);
    if (existing?.parentElement !== list || existing.isEqualNode(row)) continue;
    // A flow that is no longer equal to its neighbours would vanish until the user stops reading.
    if ([...existing.querySelectorAll("li")].some(({ id }) => !row.querySelector(`#${id}`))) continue;
    const isFocused = existing.contains(document.activeElement);
    existing.replaceWith(row);
    if (isFocused) row.querySelector("a")?.focus({ preventScroll: true });
  }
}

/** Shows the new list, or, while the user is reading, updates known rows and offers the others. */
async function refresh(): Promise<void> {
  const page = await load();
  const newList = page?.querySelector("#flows");
  if (!newList) return;
  const list = getList();
  const firstId = newList.firstElementChild?.id;
  const newRows = [...newList.querySelectorAll("li")].filter(({ id }) => !document.getElementById(id));
  keepFolds(newList);
  const message = newRows.length === 1 ? "1 new flow" : `${newRows.length} new flows`;
  if (list && !isBeingRead(list)) list.parentElement!.replaceWith(newList.parentElement!);
  else {
    if (list) updateRows(list, newList);
    if (newRows.length > 0 && !beside && reloadLink) reloadLink.textContent = `Show ${message}`;
  }
  if (newRows.length > 0) announce(message);
  const pane = document.querySelector("#pane");
  const newPane = page?.querySelector("#pane");
  // Without a selection it shows the first row.
  const isCurrent = address.searchParams.has("flow") || firstId === getList()?.firstElementChild?.id;
  if (pane && newPane && isCurrent && !pane.contains(document.activeElement)) pane.replaceWith(newPane);
}

let loading: AbortController | undefined;

/** Loads the list, unless another change comes first. */
async function reload(): Promise<Document | undefined> {
  loading?.abort();
  loading = new AbortController();
  if (reloadLink && !beside) reloadLink.href = address.href;
  keepAddress();
  try {
    return await load(loading.signal);
  } catch {
    return undefined;
  }
}

/** Shows what the form selects. */
async function applyFilter(form: HTMLFormElement): Promise<void> {
  const selected = address.searchParams.get("flow");
  const entries = [...new FormData(form)].filter(([, value]) => value !== "") as string[][];
  address.search = String(new URLSearchParams(selected === null ? entries : [...entries, ["flow", selected]]));
  const results = (await reload())?.querySelector("#results");
  if (!results) return;
  document.querySelector("#results")?.replaceWith(results);
  const { length } = document.querySelectorAll("#flows li");
  announce(length === 1 ? "1 flow" : `${length} flows`);
}

/** Fills the pane with a flow, or with the newest one. */
async function select(row: HTMLAnchorElement | undefined): Promise<void> {
  findSelected()?.removeAttribute("aria-current");
  row?.setAttribute("aria-current", "true");
  if (row) address.searchParams.set("flow", row.href.replace(/.*\//, ""));
  else address.searchParams.delete("flow");
  const pane = (await reload())?.querySelector("#pane");
  if (!pane) return;
  document.querySelector("#pane")?.replaceWith(pane);
  announce(pane.querySelector("h2")?.textContent ?? "");
}

/** The row that keys move from: the one with the focus, else the selected one. */
function findRow(): HTMLAnchorElement | undefined {
  return getRows().find((row) => row === document.activeElement) ?? findSelected();
}

handleKeys({
  move(step) {
    const rows = getRows();
    const current = findRow();
    const row = current ? rows[rows.indexOf(current) + step] : rows[0];
    if (!row) return;
    if (beside) return location.assign(row.href);
    row.focus();
    void select(row);
  },
  leave() {
    if (beside) findListLink(beside).click();
    else if (findSelected()) {
      (document.activeElement as HTMLElement).blur();
      void select(undefined);
    }
  },
});

function listenToList(): void {
  prepareKeys();
  keepAddress();
  const form = document.querySelector<HTMLFormElement>(".filter");
  form?.addEventListener("input", () => void applyFilter(form));
  form?.addEventListener("submit", (event) => {
    event.preventDefault();
    void applyFilter(form);
  });
  // A click fills the pane; a second one, the keyboard and modifiers follow the link.
  if (!beside) {
    document.querySelector(".listing")?.addEventListener("click", (event) => {
      const { target, detail, ctrlKey, metaKey, shiftKey } = event as MouseEvent;
      const row = (target as Element).closest<HTMLAnchorElement>("#flows a");
      const hasPane = document.querySelector("#pane")?.checkVisibility();
      if (!row || row.ariaCurrent || !hasPane || detail === 0 || ctrlKey || metaKey || shiftKey) return;
      event.preventDefault();
      row.focus();
      void select(row);
    });
  }
  countErrors(false);
}

document.addEventListener("visibilitychange", () => {
  newErrors = 0;
  countErrors(false);
});

let timer: ReturnType<typeof setTimeout> | undefined;
function scheduleRefresh(): void {
  timer ??= setTimeout(() => {
    timer = undefined;
    refresh().then(() => countErrors(document.hidden), () => {});
  }, refreshDelayMs);
}

if (beside) {
  addEventListener("flowschange", scheduleRefresh);
  const style = document.createElement("link");
  style.rel = "stylesheet";
  style.href = String(new URL("list.css", import.meta.url));
  const isStyled = new Promise((resolve) => style.onload = resolve);
  document.head.append(style);
  const [page] = await Promise.all([load(), isStyled]);
  const find = (parts: readonly string[]) => parts.flatMap((part) => page?.querySelector(part) ?? []);
  beside.append(...find([".filter", "#results"]));
  document.body.append(...find(["#keys"]));
  listenToList();
} else {
  showLocalTimes(document);
  if (reloadLink) watchFlows(reloadLink, scheduleRefresh);
  listenToList();
}
