/** @jsxImportSource preact */
/** The pages of a catalogue: its groups, and the definitions of a group. */

import type { VNode } from "preact";
import { Section } from "../layout.tsx";
import { DefinitionItem } from "../value.tsx";
import { FoldedGroups } from "./folded_groups.tsx";
import { Frame } from "./frame.tsx";
import type { CatalogueProps } from "./props.ts";

/** All groups with their definitions in short, or one group with all that its definitions say. */
export function CataloguePage({ catalogue, group: name, ...site }: CatalogueProps): VNode {
  const { path, title, lead, groups } = catalogue;
  const href = (group: string) => `${site.base}/docs${path}/${group}`;
  const group = groups.find((group) => group.name === name);
  if (group === undefined) {
    return (
      <Frame site={site} above={[]} heading={title} opening={<p>{lead}</p>}>
        <FoldedGroups
          groups={groups.map(({ name, items }) => ({
            title: name,
            entries: items.map(({ id, title }) => ({ id, text: title, href: `${href(name)}#${id}` })),
          }))}
        />
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
