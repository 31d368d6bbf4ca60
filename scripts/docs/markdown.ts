/** Markdown to HTML, with anchors, colours of code, and links to the pages of rules. */

import bash from "highlight.js/lib/languages/bash";
import csharp from "highlight.js/lib/languages/csharp";
import hljs from "highlight.js/lib/core";
import go from "highlight.js/lib/languages/go";
import http from "highlight.js/lib/languages/http";
import java from "highlight.js/lib/languages/java";
import json from "highlight.js/lib/languages/json";
import php from "highlight.js/lib/languages/php";
import python from "highlight.js/lib/languages/python";
import ruby from "highlight.js/lib/languages/ruby";
import typescript from "highlight.js/lib/languages/typescript";
import yaml from "highlight.js/lib/languages/yaml";
import MarkdownIt from "markdown-it";
import { anchorsOf } from "./source.ts";

const languages = { bash, csharp, go, http, java, json, php, python, ruby, typescript, yaml };
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);

/** A heading of a rendered page. */
export interface Heading {
  readonly level: number;
  readonly text: string;
  readonly id: string;
}

/** A rendered page. */
export interface Rendered {
  readonly html: string;
  readonly headings: readonly Heading[];
  /** The text below each heading, without marks; the first one is the heading of the page. */
  readonly texts: readonly string[];
}

const ruleId = /\b[A-Z]{2}-\d{2}\b/g;

/** @param ruleUrl The URL of the page of a rule; `undefined` if there is no such rule, or it is this page. */
export function renderMarkdown(text: string, ruleUrl: (id: string) => string | undefined): Rendered {
  const md = new MarkdownIt({
    html: true,
    highlight: (code, language) => hljs.getLanguage(language) ? hljs.highlight(code, { language }).value : "",
  });
  const linkRules = (escaped: string) =>
    escaped.replaceAll(ruleId, (id) => {
      const url = ruleUrl(id);
      return url === undefined ? id : `<a class="rule" href="${url}">${id}</a>`;
    });
  let links = 0;
  const { text: renderText, code_inline: renderCode } = md.renderer.rules;
  md.renderer.rules.link_open = (
    tokens,
    index,
    options,
    _,
    self,
  ) => (links++, self.renderToken(tokens, index, options));
  md.renderer.rules.link_close = (
    tokens,
    index,
    options,
    _,
    self,
  ) => (links--, self.renderToken(tokens, index, options));
  md.renderer.rules.text = (...args) => links > 0 ? renderText!(...args) : linkRules(renderText!(...args));
  md.renderer.rules.code_inline = (...args) => links > 0 ? renderCode!(...args) : linkRules(renderCode!(...args));
  // A wide table scrolls by itself, also by keyboard.
  md.renderer.rules.table_open = () => '<div class="table" tabindex="0" role="group" aria-label="Table">\n<table>\n';
  md.renderer.rules.table_close = () => "</table>\n</div>\n";
  md.renderer.rules.th_open = () => '<th scope="col">';
  const fence = md.renderer.rules.fence!;
  md.renderer.rules.fence = (...args) =>
    `<div class="code">${fence(...args).replace("<pre", '<pre tabindex="0"')}</div>\n`;

  const tokens = md.parse(text, {});
  const titles = tokens.flatMap((token, i) => token.type === "heading_open" ? [tokens[i + 1]!] : []);
  const ids = anchorsOf(titles.map(({ content }) => content));
  const headings: Heading[] = [];
  const texts: string[] = [];
  for (const [i, token] of tokens.entries()) {
    if (token.type === "heading_open") {
      const id = ids[headings.length]!;
      token.attrSet("id", id);
      headings.push({ level: Number(token.tag.slice(1)), text: textOf(tokens[i + 1]!), id });
      texts.push("");
    } else if (tokens[i - 1]?.type !== "heading_open" && texts.length > 0) {
      texts[texts.length - 1] += ` ${textOf(token)}`;
    }
  }
  return { html: md.renderer.render(tokens, md.options, {}), headings, texts };
}

type Token = ReturnType<InstanceType<typeof MarkdownIt>["parse"]>[number];

/** The words of a token; tags are not words. */
function textOf({ type, content, children }: Token): string {
  if (type === "html_block" || type === "html_inline") return content.replaceAll(/<[^>]*>/g, " ");
  return children === null || children.length === 0 ? content : children.map(textOf).join("");
}
