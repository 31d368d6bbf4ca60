/** @jsxImportSource preact */
/** The sequence diagram: arrows between three lanes; screen readers get a list. */

import type { VNode } from "preact";
import { Breakable, Code } from "../../../server/pages/value.tsx";
import type { Hop, Participant } from "./props.ts";

const participantNames: Readonly<Record<Participant, string>> = {
  client: "Client",
  browser: "Browser",
  server: "Latchkey",
};

/** The names above the lanes, hidden from screen readers, because the arrows name them too. */
export function Lanes({ client }: { readonly client?: string }): VNode {
  return (
    <p class="lanes" aria-hidden="true">
      <span>
        {participantNames.client}
        {client !== undefined && <Code text={client} />}
      </span>
      <span>{participantNames.browser}</span>
      <span>{participantNames.server}</span>
    </p>
  );
}

export function Arrow({ from, to, through, label, carries, isFailure = false }: Hop): VNode {
  const direction = `${participantNames[from]} to ${participantNames[to]}${
    through === undefined ? "" : ` through the ${participantNames[through]}`
  }: `;
  const classes = [
    "hop",
    ...from === "server" ? ["left"] : [],
    ...from === "browser" || to === "browser" ? ["short"] : [],
    ...through === undefined ? [] : ["through"],
    ...isFailure ? ["bad"] : [],
  ];
  return (
    <span class={classes.join(" ")}>
      <span>
        <span class="unseen">{direction}</span>
        <code>
          <Breakable text={label} />
        </code>
        {carries !== undefined && (
          <>
            {" "}
            <span>{carries}</span>
          </>
        )}
      </span>
      <i></i>
    </span>
  );
}
