/** Copies the value beside a button. */

/// <reference no-default-lib="true" />
/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/// <reference lib="esnext" />

/** How long a button shows its result, in milliseconds. */
const feedbackDurationMs = 2000;

/** Selects the content of an element. */
export function selectAll(element: Element): void {
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

/** The value beside a button. */
function sourceOf(button: Element): Element | null | undefined {
  return button.parentElement?.querySelector(".wire, bdi");
}

/** Shows the copy buttons in a part of the page, because they are hidden without script. */
export function showCopyButtons(part: ParentNode): void {
  for (const button of part.querySelectorAll<HTMLButtonElement>("button.copy")) button.hidden = !sourceOf(button);
}

/** Shows the copy buttons of the page, and lets each copy the value beside it, also those that are added later. */
export function enableCopyButtons(): void {
  showCopyButtons(document);
  const status = document.querySelector("[role=status]");
  const timers = new WeakMap<Element, ReturnType<typeof setTimeout>>();
  document.addEventListener("click", async ({ target }) => {
    const button = target instanceof Element ? target.closest("button.copy") : null;
    const source = button && sourceOf(button);
    if (!source) return;
    const say = (word: string, aloud: string): void => {
      button.firstChild!.textContent = word;
      if (status) status.textContent = aloud;
    };
    if (await copy(source)) say("Copied", "Copied");
    else say("Selected", "Selected; copy it with the keyboard");
    clearTimeout(timers.get(button));
    timers.set(button, setTimeout(() => say("Copy", ""), feedbackDurationMs));
  });
}
