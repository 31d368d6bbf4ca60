/** The script of every page: the search, which it loads at the first use, and copying of code. */

/// <reference no-default-lib="true" />
/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/// <reference lib="esnext" />

const root = document.documentElement.dataset.root!;
const form = document.querySelector<HTMLFormElement>("form[role=search]")!;
const input = form.querySelector("input")!;
const list = form.querySelector<HTMLElement>("ol")!;
const status = form.querySelector<HTMLElement>("[role=status]")!;
form.hidden = false;

let opened: Promise<(query: string) => void> | undefined;
async function search() {
  opened ??= import(new URL(`${root}search.js`, location.href).href).then(({ openSearch }) =>
    openSearch(root, list, status)
  );
  (await opened)(input.value);
}

input.addEventListener("focus", search, { once: true });
input.addEventListener("input", search);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  list.querySelector("a")?.click();
});
addEventListener("keydown", (event) => {
  const links = [input, ...list.querySelectorAll("a")];
  const place = links.indexOf(document.activeElement as HTMLInputElement);
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (event.key === "/" && !(event.target as Element).matches("input")) input.focus();
  else if (event.key === "Escape" && place >= 0) close();
  else if (step !== undefined && place >= 0) links[place + step]?.focus();
  else return;
  event.preventDefault();
});
addEventListener("click", ({ target }) => {
  if (!form.contains(target as Node)) list.hidden = true;
});
input.addEventListener("focus", () => list.hidden = list.childElementCount === 0);

function close() {
  input.value = "";
  input.focus();
  search();
}

/** How long a button shows its result, in milliseconds. */
const feedbackDurationMs = 2000;

for (const [i, block] of [...document.querySelectorAll("main pre")].entries()) {
  const [button, result, name] = ["button", "span", "span"].map((tag) => document.createElement(tag));
  button!.className = "copy";
  result!.textContent = "Copy";
  // Each button has a name of its own for who listens.
  name!.className = "unseen";
  name!.textContent = ` block ${i + 1}`;
  button!.append(result!, name!);
  button!.addEventListener("click", async () => {
    await navigator.clipboard.writeText(block.textContent!);
    result!.textContent = "Copied";
    setTimeout(() => result!.textContent = "Copy", feedbackDurationMs);
  });
  block.after(button!);
}
