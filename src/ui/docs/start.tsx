/** @jsxImportSource preact */
/** The start of the documentation: every page by its subject. */

import type { VNode } from "preact";
import type { Site } from "../layout.tsx";
import { DefinitionItem } from "../value.tsx";
import { Frame } from "./frame.tsx";

/** Links to the lists of the reference. */
const reference = [
  ["rules", "Rules", "What a rejection means, by the ID that it ends with"],
  ["settings", "Settings", "The members of the configuration file, with flags and variables"],
] as const;

/** The start page. */
export function Start(site: Site): VNode {
  return (
    <Frame
      site={site}
      heading="Documentation"
      opening={
        <dl class="facts">
          {reference.map(([path, label, text]) => (
            <DefinitionItem key={path} label={<a href={`${site.base}/docs/${path}`}>{label}</a>}>{text}</DefinitionItem>
          ))}
        </dl>
      }
    />
  );
}
