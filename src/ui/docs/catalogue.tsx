/** @jsxImportSource preact */
/** The pages of a catalogue: its groups, and the definitions of a group. */

import type { VNode } from "preact";
import { Section } from "../layout.tsx";
import { DefinitionItem } from "../value.tsx";
import { Frame } from "./frame.tsx";
import type { CatalogueProps } from "./props.ts";

/** All groups, which unfold into the IDs of their definitions, or one group with all that its definitions say. */
export function CataloguePage({ catalogue, group: name, ...site }: CatalogueProps): VNode {
  const { path, title, lead, groups } = catalogue;
  const href = (group: string) => `${site.base}/docs${path}/${group}`;
  const group = groups.find((group) => group.name === name);
  if (group === undefined) {
    return (
      <Frame site={site} above={[]} heading={title} opening={<p>{lead}</p>}>
        <div class="groups">
          {groups.map(({ name, items }) => (
            <details key={name}>
              <summary>
                {name} <span class="aside">({items.length})</span>
              </summary>
              <div class="guides">
                {items.map(({ id }) => <a key={id} href={`${href(name)}#${id}`}>{id}</a>)}
              </div>
            </details>
          ))}
        </div>
      </Frame>
    );
  }
  return (
    <Frame
      site={site}
      above={[{ label: title, path }]}
      heading={`${title}: ${group.name}`}
      opening={<p>{lead}</p>}
    >
      <div class="items">
        {group.items.map(({ id, title, facts }) => (
          <Section key={id} id={id} heading={id}>
            <p>{title}</p>
            <dl class="facts">
              {facts.map(([label, text]) => <DefinitionItem key={label} label={label}>{text}</DefinitionItem>)}
            </dl>
          </Section>
        ))}
      </div>
    </Frame>
  );
}
