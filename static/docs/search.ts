/** Searches the documentation: loads the list of its pages once, and shows those that contain each word. */

/// <reference no-default-lib="true" />
/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/// <reference lib="esnext" />

interface Entry {
  readonly title: string;
  readonly detail: string;
  readonly path: string;
}

/** Maximum number of results. */
const maxResults = 20;

const status = document.querySelector("[role=status]");
const field = document.querySelector<HTMLInputElement>("#search");
const list = document.querySelector<HTMLUListElement>("#found");

let loading: Promise<readonly Entry[]> | undefined;

async function loadEntries(url: string): Promise<readonly Entry[]> {
  return await (await fetch(url)).json();
}

/** A lower number is a better match: the whole title, its beginning, a part of it, the text beside it. */
function rank({ title }: Entry, text: string): number {
  const lower = title.toLowerCase();
  return lower === text ? 0 : lower.startsWith(text) ? 1 : lower.includes(text) ? 2 : 3;
}

function findEntries(entries: readonly Entry[], text: string): Entry[] {
  const words = text.split(/\s+/);
  return entries.filter(({ title, detail }) => {
    const all = `${title} ${detail}`.toLowerCase();
    return words.every((word) => all.includes(word));
  }).sort((a, b) => rank(a, text) - rank(b, text));
}

function toItem({ title, detail, path }: Entry, docs: string): HTMLLIElement {
  const item = document.createElement("li");
  const link = document.createElement("a");
  link.href = docs + path;
  link.textContent = title;
  const text = document.createElement("span");
  text.className = "aside";
  text.textContent = detail;
  item.append(link, " ", text);
  return item;
}

async function search(input: HTMLInputElement, results: HTMLUListElement): Promise<void> {
  const { docs = "" } = input.dataset;
  const entries = await (loading ??= loadEntries(`${docs}/search.json`).catch((error) => {
    loading = undefined;
    throw error;
  }));
  const text = input.value.trim().toLowerCase();
  const found = text === "" ? [] : findEntries(entries, text);
  results.replaceChildren(...found.slice(0, maxResults).map((entry) => toItem(entry, docs)));
  if (status) status.textContent = text === "" ? "" : found.length === 1 ? "1 page" : `${found.length} pages`;
}

/** Moves the focus among the field and the results. */
function move(input: HTMLInputElement, results: HTMLUListElement, by: 1 | -1): void {
  const stops: HTMLElement[] = [input, ...results.querySelectorAll("a")];
  const at = stops.findIndex((stop) => stop === document.activeElement);
  stops[at + by]?.focus();
}

if (field && list) {
  field.addEventListener("input", () => void search(field, list).catch(() => {}));
  document.addEventListener("keydown", (event) => {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const isInside = target === field || target instanceof Node && list.contains(target);
    if (key === "/" && target !== field) field.focus();
    else if (isInside && key === "ArrowDown") move(field, list, 1);
    else if (isInside && key === "ArrowUp") move(field, list, -1);
    else if (isInside && key === "Escape") {
      field.value = "";
      list.replaceChildren();
      field.focus();
    } else return;
    event.preventDefault();
  });
  // The browser may have restored the text.
  if (field.value !== "") search(field, list).catch(() => {});
}
