/** Announces new steps in the flow that a page shows, puts the list beside it, and prints folded parts too. */

/// <reference no-default-lib="true" />
/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/// <reference lib="esnext" />

import { findListLink } from "./list_link.ts";
import { showLocalTimes } from "./local_time.ts";
import { announce, watchFlows } from "./watch.ts";

showLocalTimes(document);

// The page does not change while the user reads it. A flow of a check has ended.
const refreshLink = document.querySelector<HTMLElement>("#again");
if (refreshLink !== null) {
  watchFlows(refreshLink, (flows) => {
    dispatchEvent(new Event("flowschange"));
    if (!flows.some((flow) => flow === refreshLink.dataset.flow || flow === "all")) return;
    refreshLink.textContent = "New steps in this flow: reload";
    announce("New steps in this flow");
  });
}

// The list is loaded where the window is wide enough.
const beside = document.querySelector<HTMLElement>("#beside");
const listLink = beside === null ? undefined : findListLink(beside);
if (beside?.checkVisibility()) {
  void import(String(new URL("list.js", import.meta.url)));
} else {
  addEventListener("keydown", ({ key }) => {
    if (key === "Escape") listLink?.click();
  });
}

// Buttons come with the first sign of a user who may copy. The first touch is a click already.
const loadCopy = () => import(String(new URL("copy.js", import.meta.url)));
if (matchMedia("(hover: none)").matches) void loadCopy();
else for (const type of ["mousemove", "keydown"]) addEventListener(type, loadCopy, { once: true });

const folded: HTMLDetailsElement[] = [];
addEventListener("beforeprint", () => {
  folded.push(...document.querySelectorAll<HTMLDetailsElement>("details:not([open])"));
  for (const details of folded) details.open = true;
});
addEventListener("afterprint", () => {
  for (const details of folded.splice(0)) details.open = false;
});
