/** @jsxImportSource preact */
/** A text of the documentation: its blocks, and the marks within a line. */

import type { VNode } from "preact";
import { Breakable, CopyButton } from "../value.tsx";

/** A part of a line. */
export type Inline =
  | string
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "strong"; readonly content: readonly Inline[] }
  | { readonly kind: "emphasis"; readonly content: readonly Inline[] }
  | { readonly kind: "link"; readonly href: string; readonly content: readonly Inline[] };

/** A block of a text. */
export type Block =
  | { readonly kind: "heading"; readonly level: number; readonly id: string; readonly content: readonly Inline[] }
  | { readonly kind: "paragraph"; readonly content: readonly Inline[] }
  | { readonly kind: "list"; readonly isOrdered: boolean; readonly items: readonly (readonly Inline[])[] }
  | { readonly kind: "code"; readonly text: string }
  | {
    readonly kind: "table";
    readonly head: readonly (readonly Inline[])[];
    readonly rows: readonly (readonly (readonly Inline[])[])[];
  };

/** A line. Links that lead away from this server send no referrer. */
export function InlineText({ content }: { readonly content: readonly Inline[] }): VNode {
  return (
    <>
      {content.map((part, i) => {
        if (typeof part === "string") return part;
        if (part.kind === "code") {
          return (
            <code key={i}>
              <Breakable text={part.text} />
            </code>
          );
        }
        const inner = <InlineText content={part.content} />;
        if (part.kind === "strong") return <strong key={i}>{inner}</strong>;
        if (part.kind === "emphasis") return <em key={i}>{inner}</em>;
        return (
          <a key={i} href={part.href} rel={part.href.startsWith("https:") ? "noreferrer" : undefined}>
            {inner}
          </a>
        );
      })}
    </>
  );
}

/** Blocks in order. The page has a heading of level 1 already, so each heading here is of level 2 or below. */
export function Blocks({ blocks }: { readonly blocks: readonly Block[] }): VNode {
  const examples = blocks.filter(({ kind }) => kind === "code");
  return (
    <div class="prose">
      {blocks.map((block, i) => <BlockView key={i} block={block} example={examples.indexOf(block) + 1} />)}
    </div>
  );
}

function BlockView({ block, example }: { readonly block: Block; readonly example: number }): VNode {
  switch (block.kind) {
    case "heading": {
      const Heading = block.level <= 2 ? "h2" : "h3";
      return (
        <Heading id={block.id}>
          <InlineText content={block.content} />
        </Heading>
      );
    }
    case "paragraph":
      return (
        <p>
          <InlineText content={block.content} />
        </p>
      );
    case "list": {
      const List = block.isOrdered ? "ol" : "ul";
      return (
        <List>
          {block.items.map((item, i) => (
            <li key={i}>
              <InlineText content={item} />
            </li>
          ))}
        </List>
      );
    }
    case "code":
      return (
        <div class="box">
          <pre class="wire">{block.text}</pre>
          <CopyButton description={`example ${example}`} />
        </div>
      );
    case "table":
      return <Table head={block.head} rows={block.rows} />;
  }
}

/** A table; on a narrow screen each row is a block, and a column without a heading its title. */
function Table({ head, rows }: Omit<Extract<Block, { kind: "table" }>, "kind">): VNode {
  const hasHead = head.some((cell) => cell.length > 0);
  return (
    <table>
      {hasHead && (
        <thead>
          <tr>
            {head.map((cell, i) =>
              cell.length === 0 ? <td key={i}></td> : (
                <th key={i} scope="col">
                  <InlineText content={cell} />
                </th>
              )
            )}
          </tr>
        </thead>
      )}
      <tbody>
        {rows.map((row, i) => (
          <tr key={i}>
            {row.map((cell, j) => (
              <td key={j}>
                <InlineText content={cell} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
