/** The keys of the list of flows. */

/// <reference no-default-lib="true" />
/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/// <reference lib="esnext" />

/** What the keys do. */
interface KeyActions {
  /** Goes to the next flow (1) or the previous one (-1). */
  move(step: 1 | -1): void;
  /** Goes back by one level. */
  leave(): void;
}

/** Whether keys of one character are off: browsers keep it for all pages of this server. */
const storageName = "latchkey-keys-off";

const steps: Readonly<Record<string, 1 | -1>> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };

const dialog = () => document.querySelector<HTMLDialogElement>("#keys");

/** Prepares the dialog, and the button that opens it. */
export function prepareKeys(): void {
  const choice = dialog()?.querySelector<HTMLInputElement>("input");
  if (choice) {
    choice.checked = localStorage.getItem(storageName) === null;
    choice.addEventListener("change", () => {
      if (choice.checked) localStorage.removeItem(storageName);
      else localStorage.setItem(storageName, "1");
    });
  }
  const button = document.querySelector<HTMLButtonElement>("#show-keys");
  if (!button) return;
  button.hidden = false;
  button.addEventListener("click", () => dialog()?.showModal());
}

/** Listens to keys, except in fields and together with modifiers, which belong to the browser. */
export function handleKeys({ move, leave }: KeyActions): void {
  addEventListener("keydown", (event) => {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || dialog()?.open) return;
    if (!(target instanceof HTMLElement)) return;
    const isField = target.matches("input, select, textarea");
    const isSearch = target.matches("[type=search]");
    if (key === "Escape") {
      // The browser empties the search first.
      if (isSearch && (target as HTMLInputElement).value !== "") return;
      if (isField) target.blur();
      else leave();
      return;
    }
    // Arrow keys scroll where the list has not the focus, and choose in fields.
    const isArrow = key.startsWith("Arrow");
    if (isArrow ? !isSearch && target !== document.body && !target.closest("#flows") : isField) return;
    if (!isArrow && localStorage.getItem(storageName) !== null) return;
    if (Object.hasOwn(steps, key)) move(steps[key]!);
    else if (key === "/") document.querySelector<HTMLElement>(".filter [type=search]")?.focus();
    else if (key === "?") dialog()?.showModal();
    else return;
    event.preventDefault();
  });
}
