/** @jsxImportSource preact */
/** The dialog that lists the keys of the list, and turns them off (WCAG 2.2, 2.1.4). A script opens it. */

import type { VNode } from "preact";

const keys: readonly (readonly [keys: readonly string[], effect: string])[] = [
  [["j", "↓"], "next flow"],
  [["k", "↑"], "previous flow"],
  [["Enter"], "open the flow"],
  [["Esc"], "go back"],
  [["/"], "search"],
  [["?"], "show this list"],
];

export function KeysView(): VNode {
  return (
    <dialog id="keys" aria-labelledby="keys-heading">
      <h2 id="keys-heading">Shortcuts</h2>
      <dl>
        {keys.map(([names, effect]) => (
          <div key={effect}>
            <dt>{names.map((name) => <kbd key={name}>{name}</kbd>)}</dt>
            <dd>{effect}</dd>
          </div>
        ))}
      </dl>
      <label>
        <input type="checkbox" checked /> Use one-character shortcuts
      </label>
      <form method="dialog">
        <button type="submit" class="button">Close</button>
      </form>
    </dialog>
  );
}
