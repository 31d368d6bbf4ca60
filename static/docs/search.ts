/** The search of the site in the browser: reads the index at the first use. */

/// <reference no-default-lib="true" />
/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/// <reference lib="esnext" />

import MiniSearch from "minisearch";
import { findPages, indexOptions } from "../../scripts/docs/search_pages.ts";

/** Returns a function that fills the list with the pages for a query. */
export async function openSearch(
  root: string,
  list: HTMLElement,
  status: HTMLElement,
): Promise<(query: string) => void> {
  const response = await fetch(`${root}search.json`);
  const index = MiniSearch.loadJSON(await response.text(), indexOptions);
  return (query) => {
    const found = query.trim() === "" ? [] : findPages(index, query);
    list.replaceChildren(...found.map(({ id, page, heading, kind }) => {
      const link = document.createElement("a");
      link.href = root + id;
      const [title, aside] = [document.createElement("b"), document.createElement("span")];
      title.textContent = page;
      aside.textContent = [kind, heading].filter(Boolean).join(" · ");
      link.append(title, aside);
      const item = document.createElement("li");
      item.append(link);
      return item;
    }));
    list.hidden = found.length === 0;
    status.textContent = query.trim() === ""
      ? ""
      : found.length === 0
      ? "No page found"
      : `${found.length} pages found`;
  };
}
