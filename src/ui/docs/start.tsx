/** @jsxImportSource preact */
/** The start of the documentation: every page by its subject. */

import type { VNode } from "preact";
import { DefinitionItem } from "../value.tsx";
import { Section } from "../layout.tsx";
import { Frame } from "./frame.tsx";
import type { StartProps } from "./props.ts";

/** The lists of the reference. */
const reference = [
  ["rules", "Rules", "The meaning and the fix of each rejection, by the rule ID at its end"],
  ["settings", "Settings", "The members of the configuration file, with their flags and environment variables"],
  ["faults", "Faults", "The faults that a test injects into responses of the server"],
  ["attacks", "Attacks", "The attacks of the check of a client"],
  ["habits", "Habits", "What a good client does in each request"],
] as const;

/** The start page. */
export function Start({ groups, counts, ...site }: StartProps): VNode {
  const href = (path: string) => `${site.base}/docs${path}`;
  return (
    <Frame
      site={site}
      heading="Documentation"
      head={<script type="module" src={href("/search.js")}></script>}
      opening={
        <>
          <div class="search" role="search">
            <label for="search">Search pages, rules, settings, faults, attacks and habits</label>
            <input
              id="search"
              type="search"
              autocomplete="off"
              spellcheck={false}
              aria-keyshortcuts="/"
              data-docs={href("")}
            />
            <output id="count" for="search"></output>
            <ul id="found"></ul>
          </div>
          <dl class="facts even">
            {reference.map(([path, label, text]) => (
              <DefinitionItem
                key={path}
                label={<a href={href(`/${path}`)}>{label}</a>}
              >
                {text} <span class="aside">({counts[path]})</span>
              </DefinitionItem>
            ))}
          </dl>
        </>
      }
    >
      {groups.map(({ title, about, guides }, i) => (
        <Section key={title} id={`group-${i + 1}`} heading={title}>
          <p>
            {about} <span class="aside">{guides.length} guides.</span>
          </p>
          <ul class="guides">
            {guides.map(({ title, path, sections }) => (
              <li key={path}>
                {/* Without the name of the package, which breaks in the middle of a word. */}
                <a href={href(path)}>{title.replace(/: @.*/, "")}</a>
                {sections.length > 1 && (
                  <details class="quiet">
                    <summary>
                      {sections.length} sections<span class="unseen">{` of ${title}`}</span>
                    </summary>
                    {sections.map(({ title, path }) => <a key={path} href={href(path)}>{title}</a>)}
                  </details>
                )}
              </li>
            ))}
          </ul>
        </Section>
      ))}
    </Frame>
  );
}
