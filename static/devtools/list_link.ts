/** The link from an open flow back to the list, with the filter of the tab. */

/// <reference no-default-lib="true" />
/// <reference lib="dom" />
/// <reference lib="esnext" />

const storageName = "latchkey-flows";

/** Keeps the query of the list for {@link findListLink}. */
export function keepQuery({ search }: URL): void {
  sessionStorage.setItem(storageName, search);
}

/** The link in the place of the list, which leads to the list as it was, with the open flow selected. */
export function findListLink(beside: Element): HTMLAnchorElement {
  const link = beside.querySelector("a")!;
  const query = new URLSearchParams(sessionStorage.getItem(storageName) ?? "");
  query.set("flow", location.pathname.replace(/.*\//, ""));
  link.search = String(query);
  return link;
}
