/** The forms of a page, as far as a browser without script reads them, and what is sent when a button is pressed. */

/** Something that a form sends. */
export interface FormControl {
  readonly name: string;
  readonly value: string;
  /** `hidden`, `text`, `password`, `checkbox`, `textarea`, `select` … */
  readonly type: string;
  /** Whether it is sent as it stands; of checkboxes and radio buttons those that are ticked. */
  readonly sent: boolean;
}

/** A button that sends its form. */
export interface FormButton {
  /** Empty where the button itself is not sent. */
  readonly name: string;
  readonly value: string;
}

/** A form. */
export interface HtmlForm {
  /** Absolute. */
  readonly action: string;
  readonly controls: readonly FormControl[];
  readonly buttons: readonly FormButton[];
}

const attributes = `(?:"[^"]*"|'[^']*'|[^>"'])*`;
const formElement = new RegExp(`<form\\b(${attributes})>([^]*?)(?:</form>|$)`, "gi");
const textarea = `<textarea\\b(${attributes})>\\n?([^]*?)</textarea>`;
const control = new RegExp(`<(input|button)\\b(${attributes})>|${textarea}`, "gi");

/** Reads the forms of a page that are sent by POST, in their order. `url` is where the page was found. */
export function readForms(html: string, url: string): HtmlForm[] {
  const text = html.replace(/<!--[^]*?-->|<(script|style)\b[^]*?<\/\1>/gi, "");
  return [...text.matchAll(formElement)].flatMap(([, opening, inside]) => {
    const form = readAttributes(opening!);
    if (form.get("method")?.toLowerCase() !== "post") return [];
    const controls: FormControl[] = [];
    const buttons: FormButton[] = [];
    for (const [, element, tag, area, written = ""] of inside!.matchAll(control)) {
      const found = readAttributes(tag ?? area!);
      if (found.has("disabled")) continue;
      const name = found.get("name") ?? "";
      const type = area !== undefined
        ? "textarea"
        : found.get("type")?.toLowerCase() ?? (element!.toLowerCase() === "button" ? "submit" : "text");
      const box = type === "checkbox" || type === "radio";
      const value = area !== undefined ? meaning(written) : found.get("value") ?? (box ? "on" : "");
      if (type === "submit") buttons.push({ name, value });
      else if (type !== "button" && type !== "reset") {
        controls.push({ name, value, type, sent: !box || found.has("checked") });
      }
    }
    return [{ action: new URL(form.get("action") || url, url).href, controls, buttons }];
  });
}

/** A form on its way. */
export interface Submission {
  /** Where it goes. */
  readonly url: string;
  /** What it carries. */
  readonly form: URLSearchParams;
}

/**
 * Presses a button of a form.
 *
 * @param typed By name: what a person types in, instead of what stands there.
 * @param unticked Which checkboxes a person takes the tick from.
 */
export function press(
  form: HtmlForm,
  button: FormButton | undefined,
  typed: Readonly<Record<string, string>> = {},
  unticked: (control: FormControl) => boolean = () => false,
): Submission {
  const pairs = form.controls
    .filter((control) => control.name !== "" && control.sent && !(control.name in typed) && !unticked(control))
    .map(({ name, value }) => [name, value]);
  pairs.push(...Object.entries(typed));
  if (button !== undefined && button.name !== "") pairs.push([button.name, button.value]);
  // A browser sends every line end in a form as CR LF.
  const sent = pairs.map((pair) => pair.map((part) => part.replace(/\r\n?|\n/g, "\r\n")));
  return { url: form.action, form: new URLSearchParams(sent) };
}

/** What a person reads on a page, without what stands around its main part. */
export function readText(html: string): string {
  const main = /<main\b[^]*<\/main>/i.exec(html)?.[0] ?? html;
  const bare = main.replace(/<(script|style)\b[^]*?<\/\1>/gi, "").replace(/<\/(?:h\d|p|dt|li)>/gi, " ");
  return meaning(bare.replace(/<[^>]*>/g, "")).replace(/\s+/g, " ").trim();
}

function readAttributes(text: string): Map<string, string> {
  const found = [...text.matchAll(/([^\s=/"']+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g)];
  return new Map(found.map(([, name, ...values]) => [
    name!.toLowerCase(),
    meaning(values.find((value) => value !== undefined) ?? ""),
  ]));
}

const named: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\xA0" };

/** What text in a page means: line ends as the parser reads them, then character references. */
function meaning(text: string): string {
  return text.replace(/\r\n?/g, "\n").replaceAll("\0", "\uFFFD").replace(
    /&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi,
    (whole, hex, decimal, name) =>
      name ? named[name] ?? whole : String.fromCodePoint(hex ? parseInt(hex, 16) : Number(decimal)),
  );
}
