/** The forms of a page, as a browser without scripts reads them, and their submission. */

export interface FormControl {
  readonly name: string;
  readonly value: string;
  /** `hidden`, `text`, `password`, `checkbox`, `textarea`, `select` … */
  readonly type: string;
  /** Whether the control is submitted: false for an unchecked checkbox or radio button. */
  readonly submitted: boolean;
}

export interface FormButton {
  /** Empty if the button itself is not submitted. */
  readonly name: string;
  readonly value: string;
}

export interface HtmlForm {
  /** Absolute. */
  readonly action: string;
  readonly controls: readonly FormControl[];
  readonly buttons: readonly FormButton[];
}

// An unclosed element or attribute ends with the page, so that each pattern reads a page once.
const attributesPattern = `((?:"[^"]*(?:"|$)|'[^']*(?:'|$)|[^>"'])*)(?:>|$)`;
const formPattern = new RegExp(`<form\\b${attributesPattern}([^]*?)(?:</form>|$)`, "gi");
const textareaPattern = `<textarea\\b${attributesPattern}\\n?([^]*?)(?:</textarea>|$)`;
const controlPattern = new RegExp(`<(input|button)\\b${attributesPattern}|${textareaPattern}`, "gi");

/** Parses the POST forms of a page in their order. `url` is the URL of the page. */
export function parseForms(html: string, url: string): HtmlForm[] {
  const text = withoutScripts(html);
  return [...text.matchAll(formPattern)].flatMap(([, opening, inside]) => {
    const form = parseAttributes(opening!);
    const action = form.get("action") || url;
    // A browser does not submit to a malformed URL (HTML, form submission algorithm).
    if (form.get("method")?.toLowerCase() !== "post" || !URL.canParse(action, url)) return [];
    const controls: FormControl[] = [];
    const buttons: FormButton[] = [];
    for (const [, element, tag, textareaTag, content = ""] of inside!.matchAll(controlPattern)) {
      const attributes = parseAttributes(tag ?? textareaTag!);
      if (attributes.has("disabled")) continue;
      const name = attributes.get("name") ?? "";
      const type = textareaTag !== undefined
        ? "textarea"
        : attributes.get("type")?.toLowerCase() ?? (element!.toLowerCase() === "button" ? "submit" : "text");
      const isCheckable = type === "checkbox" || type === "radio";
      const value = textareaTag !== undefined
        ? decodeEntities(content)
        : attributes.get("value") ?? (isCheckable ? "on" : "");
      if (type === "submit") buttons.push({ name, value });
      else if (type !== "button" && type !== "reset") {
        controls.push({ name, value, type, submitted: !isCheckable || attributes.has("checked") });
      }
    }
    return [{ action: new URL(action, url).href, controls, buttons }];
  });
}

export interface Submission {
  readonly url: string;
  readonly form: URLSearchParams;
}

/**
 * Submits a form with a button.
 *
 * @param values New values by name.
 * @param isUnchecked Which checkboxes the user unchecks.
 */
export function submitForm(
  form: HtmlForm,
  button: FormButton | undefined,
  values: Readonly<Record<string, string>> = {},
  isUnchecked: (control: FormControl) => boolean = () => false,
): Submission {
  const pairs = form.controls
    .filter((control) => control.name !== "" && control.submitted && !(control.name in values) && !isUnchecked(control))
    .map(({ name, value }) => [name, value]);
  pairs.push(...Object.entries(values));
  if (button !== undefined && button.name !== "") pairs.push([button.name, button.value]);
  // Browsers submit line ends as CR LF.
  const normalized = pairs.map((pair) => pair.map((part) => part.replace(/\r\n?|\n/g, "\r\n")));
  return { url: form.action, form: new URLSearchParams(normalized) };
}

/**
 * The values of an attribute of all elements with a name. `other`: only of the elements that have this attribute, too.
 */
export function findAttributes(html: string, element: string, name: string, other: string = name): string[] {
  const tags = [...html.matchAll(new RegExp(`<${element}\\b${attributesPattern}`, "gi"))];
  const all = tags.map(([, attributes]) => parseAttributes(attributes!));
  return all.flatMap((attributes) => attributes.has(other) ? attributes.get(name) ?? [] : []);
}

/** The text of the main part of a page. */
export function extractText(html: string): string {
  const start = html.search(/<main\b/i);
  const end = html.toLowerCase().lastIndexOf("</main>");
  const main = start < 0 || end < start ? html : html.slice(start, end);
  const text = withoutScripts(main).replace(/<\/(?:h\d|p|dt|li)>/gi, " ").replace(/<[^>]*>?/g, "");
  return decodeEntities(text).replace(/\s+/g, " ").trim();
}

/** A page with something else instead of each script, style sheet and comment. */
export function withoutScripts(html: string, replacement = ""): string {
  return html.replace(/<!--[^]*?(?:-->|$)|<(script|style)\b[^]*?(?:<\/\1\s*>|$)/gi, replacement);
}

function parseAttributes(text: string): Map<string, string> {
  const matches = [...text.matchAll(/([^\s=/"']+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g)];
  return new Map(matches.map(([, name, ...values]) => [
    name!.toLowerCase(),
    decodeEntities(values.find((value) => value !== undefined) ?? ""),
  ]));
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\xA0" };

/** Decodes text of a page: line ends as the HTML parser normalizes them, then character references. */
export function decodeEntities(text: string): string {
  return text.replace(/\r\n?/g, "\n").replaceAll("\0", "\uFFFD").replace(
    /&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi,
    (whole, hex, decimal, name) =>
      name ? entities[name] ?? whole : toCharacter(hex ? parseInt(hex, 16) : Number(decimal)),
  );
}

/** The character of a numeric reference; U+FFFD for a number that no character has (HTML §13.2.5.80). */
function toCharacter(codePoint: number): string {
  const isCharacter = codePoint > 0 && codePoint <= 0x10ffff && (codePoint < 0xd800 || codePoint > 0xdfff);
  return isCharacter ? String.fromCodePoint(codePoint) : "\uFFFD";
}
