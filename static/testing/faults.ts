/** The search of the page `/faults`: hides the faults that lack a word, while the user types. */

/// <reference no-default-lib="true" />
/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/// <reference lib="esnext" />

import { showLocalTimes } from "../devtools/local_time.ts";

showLocalTimes(document);

const search = document.querySelector<HTMLInputElement>("#q")!;
const heading = document.querySelector("#all h2");
const groups = document.querySelector<HTMLDetailsElement>("#groups")!;

search.addEventListener("input", () => {
  const words = search.value.toLowerCase().split(/\s+/).filter((word) => word !== "");
  let found = 0;
  groups.open = words.length > 0;
  for (const group of document.querySelectorAll<HTMLDetailsElement>(".groups > details")) {
    let hits = 0;
    for (const fault of group.querySelectorAll<HTMLElement>("[data-text]")) {
      fault.hidden = !words.every((word) => fault.dataset.text!.includes(word));
      if (!fault.hidden) hits++;
    }
    group.hidden = hits === 0;
    group.open = words.length > 0 && hits > 0;
    group.querySelector(".aside")!.textContent = `(${hits})`;
    found += hits;
  }
  const count = found === 1 ? "1 fault" : `${found} faults`;
  if (heading) {
    heading.textContent = words.length === 0 ? `All ${found} faults` : `${count} with “${search.value}”`;
  }
});

// The address names the client.
document.querySelector<HTMLSelectElement>("#of")!.addEventListener("change", () => search.form!.requestSubmit());

// The list is filtered already.
search.addEventListener("keydown", (event) => {
  if (event.key === "Enter") event.preventDefault();
});
