/** @jsxImportSource preact */
/** The start of the documentation: every page by its subject. */

import type { VNode } from "preact";
import { DefinitionItem } from "../value.tsx";
import { Section } from "../layout.tsx";
import { Frame } from "./frame.tsx";
import type { StartProps } from "./props.ts";

/** The lists of the reference. */
const reference = [
  ["rules", "Rules", "What a rejection means, by the ID that it ends with"],
  ["settings", "Settings", "The members of the configuration file, with flags and variables"],
] as const;

/** The start page. */
export function Start({ groups, ...site }: StartProps): VNode {
  const href = (path: string) => `${site.base}/docs${path}`;
  return (
    <Frame
      site={site}
      heading="Documentation"
      opening={
        <dl class="facts even">
          {reference.map(([path, label, text]) => (
            <DefinitionItem key={path} label={<a href={href(`/${path}`)}>{label}</a>}>{text}</DefinitionItem>
          ))}
        </dl>
      }
    >
      {groups.map(({ title, guides }, i) => (
        <Section key={title} id={`group-${i + 1}`} heading={title}>
          <dl class="facts even groups">
            {guides.map((guide) => (
              <DefinitionItem key={guide.path} label={<a href={href(guide.path)}>{guide.title}</a>}>
                {guide.sections.map(({ title, path }) => <a key={path} href={href(path)}>{title}</a>)}
              </DefinitionItem>
            ))}
          </dl>
        </Section>
      ))}
    </Frame>
  );
}
