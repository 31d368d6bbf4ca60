/** Reads pages as a browser does: forms and links. */

function decode(text: string): string {
  return text.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&#39;", "'").replaceAll("&amp;", "&");
}

/** What the last form that posts to `action` would send unchanged; `button` is the value of one of its buttons. */
export function readFields(html: string, action: string, button?: string): Record<string, string> {
  const forms = [...html.matchAll(/<form\b[^]*?<\/form>/g)].map(([form]) => form);
  const form = forms.findLast((form) =>
    form.includes(` action="${action}"`) && (button === undefined || form.includes(` value="${button}"`))
  )!;
  const fields: Record<string, string> = {};
  for (const [tag, name] of form.matchAll(/<input(?:"[^"]*"|[^>"])*? name="([^"]*)"(?:"[^"]*"|[^>"])*>/g)) {
    const isChoice = /type="(?:checkbox|radio)"/.test(tag);
    if (isChoice && !/\bchecked\b/.test(tag)) continue;
    fields[name!] = tag.includes('type="checkbox"') ? "on" : decode(/ value="([^"]*)"/.exec(tag)?.[1] ?? "");
  }
  for (const [, name, text] of form.matchAll(/<textarea[^>]* name="([^"]*)"[^>]*>([^]*?)<\/textarea>/g)) {
    fields[name!] = decode(text!);
  }
  for (const [, name, options] of form.matchAll(/<select[^>]* name="([^"]*)"[^>]*>([^]*?)<\/select>/g)) {
    fields[name!] = /value="([^"]*)"[^>]*\bselected\b|selected[^>]* value="([^"]*)"/.exec(options!)?.[1] ?? "";
  }
  return fields;
}

/** The target of the link with this text. */
export function findLink(html: string, text: string): string | undefined {
  const links = html.matchAll(/<a [^>]*href="([^"]*)"[^>]*>(?:<bdi>)?([^<]*)</g);
  const href = [...links].find(([, , label]) => label === text)?.[1];
  return href === undefined ? undefined : decode(href);
}
