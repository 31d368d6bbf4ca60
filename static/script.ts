/** Adds copy buttons and selection to pages that are complete without script. */

/// <reference no-default-lib="true" />
/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/// <reference lib="esnext" />

import { enableCopyButtons, selectAll } from "./copy.ts";

enableCopyButtons();

// A click in a command selects all of it; dragging still selects a part. Single values need no script for this.
for (const command of document.querySelectorAll("pre.wire, .lines")) {
  command.addEventListener("click", ({ target }) => {
    const isControl = target instanceof Element && target.closest("label, summary") !== null;
    if (!isControl && getSelection()?.isCollapsed) selectAll(command);
  });
}

// The tab keeps the choice to show or hide all secrets.
const showAll = document.querySelector<HTMLInputElement>(".all input");
if (showAll) {
  showAll.checked = JSON.parse(sessionStorage.secrets ?? showAll.checked);
  showAll.onchange = () => void (sessionStorage.secrets = showAll.checked);
}
