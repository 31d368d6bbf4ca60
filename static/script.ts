/** Adds copy buttons and selection to pages that are complete without script. */

/// <reference no-default-lib="true" />
/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/// <reference lib="esnext" />

/** How long a button shows its result, in milliseconds. */
const feedbackDurationMs = 2000;

const status = document.querySelector("[role=status]");

function selectAll(element: Element): void {
  getSelection()?.selectAllChildren(element);
}

/** True if the text was copied; false if the browser forbids it and the text is only selected. */
async function copy(source: Element): Promise<boolean> {
  try {
    // Absent outside of secure contexts.
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
