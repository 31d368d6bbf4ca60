/** @jsxImportSource preact */
/** The document of the minimal server's pages. */

import type { ComponentChildren, VNode } from "preact";

/** The props of every page of the minimal server. */
export interface PlainProps {
  /** The issuer identifier. */
  readonly issuer: string;
  /** The style. */
  readonly style: string;
}

/** A document without links to files. */
export function PlainLayout({ issuer, style, heading, children }: PlainProps & {
  /** The only `h1`. */
  readonly heading: string;
  readonly children: ComponentChildren;
}): VNode {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{heading}</title>
        <style dangerouslySetInnerHTML={{ __html: style }} />
      </head>
      <body>
        <main>
          <h1>{heading}</h1>
          {children}
        </main>
        <p>
          Issuer: <code>{issuer}</code>
        </p>
      </body>
    </html>
  );
}

/** A list of names and values; values that are undefined are left out. */
export function Facts({ facts }: {
  readonly facts: readonly (readonly [name: string, value: string | undefined])[];
}): VNode {
  return (
    <dl>
      {facts.flatMap(([name, value]) =>
        value === undefined ? [] : [
          <dt key={name}>{name}</dt>,
          <dd key={`${name}-value`}>
            <code>{value}</code>
          </dd>,
        ]
      )}
    </dl>
  );
}
