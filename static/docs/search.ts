/** Searches the documentation: loads the list of its pages once, and shows those with each word, the best first. */

/// <reference no-default-lib="true" />
/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/// <reference lib="esnext" />

interface Entry {
  readonly title: string;
  readonly detail: string;
  readonly path: string;
  readonly words: string;
}

/** Maximum number of results. */
const maxResults = 20;

const field = document.querySelector<HTMLInputElement>("#search");
const list = document.querySelector<HTMLUListElement>("#found");
const count = document.querySelector<HTMLOutputElement>("#count");

let loading: Promise<readonly Entry[]> | undefined;

async function loadEntries(url: string): Promise<readonly Entry[]> {
  return await (await fetch(url)).json();
}

/** Matches words that begin with the stem of the word: `reused` finds "reuse". The parts of `grant_types` are words. */
function wordPattern(word: string): RegExp {
  const stem = /^\p{L}+$/u.test(word) ? word.replace(/(?<=...)(?:ing|ed|es|s|e)$/, "") : word;
  return new RegExp(`(?<![\\p{L}\\p{N}])${stem.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")}`, "iu");
}

/** The pages with the most of the words: those with rare words in their titles first. */
function findEntries(entries: readonly Entry[], text: string): { found: Entry[]; hasAll: boolean } {
  const words = text.match(/[\p{L}\p{N}](?:\S*[\p{L}\p{N}])?/gu) ?? [];
  const scored = entries.map((entry) => ({ entry, hits: 0, score: entry.title.toLowerCase() === text ? 1000 : 0 }));
  for (const word of words) {
    const pattern = wordPattern(word);
    const weights = entries.map(({ title, detail, words }) =>
      pattern.test(title) ? 4 : pattern.test(detail) ? 3 : pattern.test(words) ? 1 : 0
    );
    const rarity = Math.log(1 + entries.length / (1 + weights.filter((weight) => weight > 0).length));
    weights.forEach((weight, i) => {
      scored[i]!.hits += Number(weight > 0);
      scored[i]!.score += weight * rarity;
    });
  }
  const hits = Math.max(0, ...scored.map(({ hits }) => hits));
  const found = hits === 0 ? [] : scored.filter((one) => one.hits === hits).sort((a, b) => b.score - a.score);
  return { found: found.map(({ entry }) => entry), hasAll: hits === words.length };
}

function describeCount(total: number, hasAll: boolean): string {
  if (total === 0) return "Nothing found. Try another word, or the lists below.";
  const pages = total === 1 ? "1 page" : `${total} pages`;
  const shown = total > maxResults ? `${maxResults} of ${pages}; another word narrows the search` : pages;
  return hasAll ? shown : `No page has all of these words. ${shown} with some of them`;
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

async function loadOnce(docs: string): Promise<readonly Entry[]> {
  return await (loading ??= loadEntries(`${docs}/search.json`).catch((error) => {
    loading = undefined;
    throw error;
  }));
}

async function search(input: HTMLInputElement, results: HTMLUListElement): Promise<void> {
  const { docs = "" } = input.dataset;
  const entries = await loadOnce(docs);
  const text = input.value.trim().toLowerCase();
  const { found, hasAll } = findEntries(entries, text);
  results.replaceChildren(...found.slice(0, maxResults).map((entry) => toItem(entry, docs)));
  if (count) count.value = text === "" ? "" : describeCount(found.length, hasAll);
}

/** Moves the focus among the field and the results. */
function move(input: HTMLInputElement, results: HTMLUListElement, by: 1 | -1): void {
  const stops: HTMLElement[] = [input, ...results.querySelectorAll("a")];
  const at = stops.findIndex((stop) => stop === document.activeElement);
  stops[at + by]?.focus();
}

if (field && list) {
  field.addEventListener("focus", () => void loadOnce(field.dataset.docs ?? "").catch(() => {}));
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
      if (count) count.value = "";
      field.focus();
    } else return;
    event.preventDefault();
  });
  // The browser may have restored the text.
  if (field.value !== "") search(field, list).catch(() => {});
}
