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

/** A heading of a rendered page, and the section below it, without marks. */
export interface Section {
  readonly level: number;
  readonly heading: string;
  readonly id: string;
  /** What the heading has as code: the names of settings, flags, commands, rules. */
  readonly names: readonly string[];
  /** Everyday phrases that lead here, from a comment below the heading: `<!-- search: callback address; go back -->`. */
  readonly aliases: readonly string[];
  /** Its first paragraph; without one, its text. */
  readonly line: string;
  readonly text: string;
}

/** A rendered page; the first section has the heading of the page. */
export interface Rendered {
  readonly html: string;
  readonly sections: readonly Section[];
}

const searchComment = /^<!-- search: ([^>]*) -->\s*$/;
const ruleId = /\b[A-Z]{2}-\d{2}\b/g;

/** @param ruleUrl The URL of a rule; `undefined` if there is no such rule. */
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
  const { text: renderText, code_inline: renderCode } = md.renderer.rules;
  // In a link and in a heading, IDs of rules are no links.
  let inside = 0;
  for (const name of ["link", "heading"]) {
    for (const [end, step] of [["open", 1], ["close", -1]] as const) {
      md.renderer.rules[`${name}_${end}`] = (tokens, index, options, _, self) => {
        inside += step;
        return self.renderToken(tokens, index, options);
      };
    }
  }
  md.renderer.rules.text = (...args) => inside > 0 ? renderText!(...args) : linkRules(renderText!(...args));
  md.renderer.rules.code_inline = (...args) => inside > 0 ? renderCode!(...args) : linkRules(renderCode!(...args));
  const image = md.renderer.rules.image!;
  md.renderer.rules.image = (...args) => {
    const [tokens, index] = args;
    // Its place is kept while it loads, so that nothing below moves.
    for (const [name, pixels] of Object.entries(pictureSize(String(tokens[index]!.attrGet("src"))))) {
      tokens[index]!.attrSet(name, String(pixels));
    }
    return image(...args);
  };
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
  const sections: { -readonly [Name in keyof Section]: Section[Name] }[] = [];
  for (const [i, token] of tokens.entries()) {
    const section = sections.at(-1);
    if (token.type === "heading_open") {
      const title = tokens[i + 1]!;
      const id = ids[sections.length]!;
      token.attrSet("id", id);
      const names = title.children!.filter(({ type }) => type === "code_inline").map(({ content }) => content);
      sections.push({
        level: Number(token.tag.slice(1)),
        heading: textOf(title),
        id,
        names,
        aliases: [],
        line: "",
        text: "",
      });
    } else if (section !== undefined && searchComment.test(token.content)) {
      section.aliases = searchComment.exec(token.content)![1]!.split(/;\s*/);
      token.content = "";
    } else if (section !== undefined && tokens[i - 1]?.type !== "heading_open") {
      const text = textOf(token).trim();
      if (tokens[i - 1]?.type === "paragraph_open") section.line ||= text;
      section.text += ` ${text}`;
    }
  }
  for (const section of sections) section.line ||= section.text.trim();
  return { html: md.renderer.render(tokens, md.options, {}), sections };
}

/** The size of a picture of `static/pictures`, from the head of the PNG. */
function pictureSize(path: string): { readonly width: number; readonly height: number } {
  const { buffer } = Deno.readFileSync(`static/pictures/${path.split("/").at(-1)}`);
  const head = new DataView(buffer);
  return { width: head.getUint32(16), height: head.getUint32(20) };
}

type Token = ReturnType<InstanceType<typeof MarkdownIt>["parse"]>[number];

/** The words of a token; tags are not words. */
function textOf({ type, content, children }: Token): string {
  if (type === "softbreak" || type === "hardbreak") return " ";
  if (type === "html_block" || type === "html_inline") return content.replaceAll(/<[^>]*>/g, " ");
  return children === null || children.length === 0 ? content : children.map(textOf).join("");
}
