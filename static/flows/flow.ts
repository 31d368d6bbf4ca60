/** Announces new steps in the flow that a page shows, and prints folded parts too. */

/// <reference no-default-lib="true" />
/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/// <reference lib="esnext" />

import { announce, watchFlows } from "./watch.ts";

// The page does not change while the user reads it.
const refreshLink = document.querySelector<HTMLElement>("#again")!;
watchFlows(refreshLink, (flows) => {
  if (!flows.some((flow) => flow === refreshLink.dataset.flow || flow === "all")) return;
  refreshLink.textContent = "New steps in this flow: reload";
  announce("New steps in this flow");
});

const folded: HTMLDetailsElement[] = [];
addEventListener("beforeprint", () => {
  folded.push(...document.querySelectorAll<HTMLDetailsElement>("details:not([open])"));
  for (const details of folded) details.open = true;
});
addEventListener("afterprint", () => {
  for (const details of folded.splice(0)) details.open = false;
});
