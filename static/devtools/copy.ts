/** Copies the values and the requests of a flow. Loaded a second time, it is the same module and does nothing. */

/// <reference no-default-lib="true" />
/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/// <reference lib="esnext" />

import { enableCopyButtons } from "../copy.ts";
import { announce } from "./watch.ts";

const style = document.createElement("link");
style.rel = "stylesheet";
style.href = String(new URL("copy.css", import.meta.url));
document.head.append(style);

// A button for each value, which the style sheet shows on hover and focus. A redacted value is of no use elsewhere.
for (const name of document.querySelectorAll(".sent > dt")) {
  const cell = name.nextElementSibling!;
  const text = cell.firstChild;
  if (text?.nodeType !== Node.TEXT_NODE || /…\(\d+\)/.test(text.textContent!)) continue;
  const value = document.createElement("bdi");
  text.replaceWith(value);
  value.append(text);
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  const label = document.createElement("span");
  label.className = "unseen";
  const message = cell.closest(".panes > div")!.querySelector("h3, h4")!.firstChild!.textContent!;
  label.textContent = ` ${name.textContent}, ${message}of ${cell.closest("[id]")!.id}`;
  button.append("Copy", label);
  value.after(button);
}
enableCopyButtons();

// Without script, or where the browser forbids copying, the link opens the text.
document.addEventListener("click", async (event) => {
  const link = event.target instanceof Element
    ? event.target.closest<HTMLAnchorElement>("a[href*='.sh?'], .ways > a[href$='.md']")
    : null;
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const read = async () => {
    const response = await fetch(link.href);
    if (!response.ok) throw new Error(response.statusText);
    return new Blob([await response.text()], { type: "text/plain" });
  };
  try {
    // With a promise, because Safari allows no copy once the click is over.
    await navigator.clipboard.write([new ClipboardItem({ "text/plain": read() })]);
    link.textContent = link.href.endsWith(".md") ? "Copied as Markdown" : "Copied as curl";
    announce("Copied");
  } catch {
    location.href = link.href;
  }
});
