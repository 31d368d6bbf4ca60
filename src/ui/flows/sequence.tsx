/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** Who spoke to whom: arrows between three lanes, which read as a list where nothing is drawn. */

import type { VNode } from "preact";
import { Breakable, Wire } from "../value.tsx";
import type { Hop, Lane } from "./props.ts";

const names: Readonly<Record<Lane, string>> = { client: "Client", browser: "Browser", server: "Latchkey" };

/** The names above the lanes. The arrows name them too, so these are for the eye alone. */
export function Lanes({ client }: { readonly client?: string }): VNode {
  return (
    <p class="lanes" aria-hidden="true">
      <span>
        {names.client}
        {client !== undefined && <Wire text={client} />}
      </span>
      <span>{names.browser}</span>
      <span>{names.server}</span>
    </p>
  );
}

/** One arrow, with what travels above it. */
export function Arrow({ from, to, through, label, carries, bad = false }: Hop): VNode {
  const way = `${names[from]} to ${names[to]}${through === undefined ? "" : ` through the ${names[through]}`}: `;
  return (
    <span class={`hop ${from}-${to}${through === undefined ? "" : " through"}${bad ? " bad" : ""}`}>
      <span class="load">
        <span class="unseen">{way}</span>
        <code>
          <Breakable text={label} />
        </code>{" "}
        {carries !== undefined && <span class="carries">{carries}</span>}
      </span>
      <span class="arrow"></span>
    </span>
  );
}
