/** Copying, selecting and sending on, added to pages that are complete without; reads nothing but the page. */

/// <reference no-default-lib="true" />
/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/// <reference lib="esnext" />

/** How long a button goes on saying what it did, in milliseconds. */
const feedbackDurationMs = 2000;

const status = document.querySelector("[role=status]");

function selectAll(element: Element): void {
  getSelection()?.selectAllChildren(element);
}

/** True when the text is on the clipboard; false where the browser forbids that, and the text is selected instead. */
async function copy(source: Element): Promise<boolean> {
  try {
    // Absent where the page did not come over https or from this machine.
    await navigator.clipboard.writeText(source.textContent);
    return true;
  } catch {
    selectAll(source);
    return document.execCommand("copy");
  }
}

for (const button of document.querySelectorAll<HTMLButtonElement>("button.copy")) {
  const source = button.parentElement?.querySelector(".wire");
  const label = button.firstChild;
  if (!source || !label) continue;
  const rest = label.textContent;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const say = (word: string | null, aloud: string): void => {
    label.textContent = word;
    if (status) status.textContent = aloud;
  };
  button.addEventListener("click", async () => {
    if (await copy(source)) say("Copied", "Copied");
    else say("Selected", "Selected; copy it with the keyboard");
    clearTimeout(timer);
    timer = setTimeout(() => say(rest, ""), feedbackDurationMs);
  });
  button.hidden = false;
}

// A click in a command selects all of it; dragging still selects a part. Single values need no script for this.
for (const command of document.querySelectorAll("pre.wire, .lines")) {
  command.addEventListener("click", ({ target }) => {
    const isControl = target instanceof Element && target.closest("label, summary") !== null;
    if (!isControl && getSelection()?.isCollapsed) selectAll(command);
  });
}

// A response on its way to the client leaves by itself, once: a second copy of its code would end what the first bought.
// Who comes back to it, where the browser did not leave it out, has a button to press.
const response = document.querySelector<HTMLFormElement>("form[data-submit]");
let isSent = false;
response?.addEventListener("submit", (event) => {
  if (isSent) event.preventDefault();
  isSent = true;
});
if (response && history.state !== "sent") {
  history.replaceState("sent", "");
  response.requestSubmit();
}
