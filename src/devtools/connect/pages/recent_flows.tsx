/** @jsxImportSource preact */
/** The last recorded flows, on the home page and on the page of a client. */

import type { VNode } from "preact";
import type { RecentFlow } from "../../requests/pages/props.ts";
import { Section } from "../../../server/pages/layout.tsx";
import { upperFirst } from "../../../server/pages/first_letter.ts";
import { StatusBadge } from "../../../server/pages/status_badge.tsx";
import { Code } from "../../../server/pages/value.tsx";

/** The flows, newest first, each with its outcome and a link. */
export function RecentFlows(
  { base, flows, heading }: {
    readonly base: string;
    readonly flows: readonly RecentFlow[];
    readonly heading: string;
  },
): VNode {
  return (
    <Section id="last-flows" heading={heading}>
      <dl class="facts even">
        {flows.map(({ path, title, outcome, client }) => (
          <div key={path}>
            <dt>
              <StatusBadge {...outcome} />
            </dt>
            <dd class="ways">
              <a href={base + path}>
                <bdi>{upperFirst(title)}</bdi>
              </a>
              {client !== undefined && <Code text={client} />}
            </dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}
