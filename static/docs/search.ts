/** The search of the site in the browser: reads the index at the first use. */

/// <reference no-default-lib="true" />
/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/// <reference lib="esnext" />

import { findPages, readIndex } from "../../scripts/docs/search_pages.ts";

/** Returns a function that fills the list with the sections for a query. */
export async function openSearch(
  root: string,
  list: HTMLElement,
  status: HTMLElement,
): Promise<(query: string) => void> {
  const response = await fetch(`${root}search.json`);
  const index = readIndex(await response.text());
  return (query) => {
    const found = query.trim() === "" ? [] : findPages(index, query);
    list.replaceChildren(...found.map(({ id, page, heading, line }) => {
      const link = document.createElement("a");
      link.href = root + id;
      const [title, place, text] = [
        document.createElement("b"),
        document.createElement("i"),
        document.createElement("span"),
      ];
      title.textContent = heading;
      place.textContent = heading === page ? "" : page;
      text.textContent = line;
      link.append(title, " ", place, text);
      const item = document.createElement("li");
      item.append(link);
      return item;
    }));
    list.hidden = found.length === 0;
    status.textContent = query.trim() === ""
      ? ""
      : found.length === 0
      ? "Nothing found"
      : `${found.length} sections found`;
  };
}
