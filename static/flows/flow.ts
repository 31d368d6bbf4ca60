/** Says when the flow that a page shows has gone on, and prints what is folded, too. */

/// <reference no-default-lib="true" />
/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/// <reference lib="esnext" />

import { announce, watchFlows } from "./watch.ts";

// The page itself is left as it is, because somebody is reading it.
const refreshLink = document.querySelector<HTMLElement>("#again")!;
watchFlows((flows) => {
  if (!flows.some((flow) => flow === refreshLink.dataset.flow || flow === "all")) return;
  refreshLink.textContent = "This flow has gone on: show it as it is now";
  announce("This flow has gone on");
});

const folded: HTMLDetailsElement[] = [];
addEventListener("beforeprint", () => {
  folded.push(...document.querySelectorAll<HTMLDetailsElement>("details:not([open])"));
  for (const details of folded) details.open = true;
});
addEventListener("afterprint", () => {
  for (const details of folded.splice(0)) details.open = false;
});
