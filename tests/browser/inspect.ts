/** Checks that run inside a page; each returns a list of problems, empty if there are none. */

// Named here and nowhere else, so that only who runs these tests downloads it.
import axe from "axe-core/axe.min.js";
import { atEachWidth, type OpenedPage } from "./harness.ts";

/** Text with too little contrast to what lies behind it (WCAG 2.2, 1.4.3), and control borders (1.4.11). */
const lowContrast = `(() => {
  const parse = (color) => color.match(/[\\d.]+/g).map(Number);
  const luminance = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const contrast = (a, b) => {
    const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x);
    return (light + 0.05) / (dark + 0.05);
  };
  const ground = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const color = parse(getComputedStyle(e).backgroundColor);
      if (color[3] !== 0) return color;
    }
  };
  const faults = [];
  const checkContrast = (what, a, b, least) => {
    const found = contrast(a, b);
    if (!(found >= least)) faults.push(what + ": " + found.toFixed(2) + " instead of " + least);
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode());) {
    if (node.data.trim() === "") continue;
    checkContrast(node.data.slice(0, 30), parse(getComputedStyle(node.parentElement).color), ground(node.parentElement), 4.5);
  }
  for (const e of document.querySelectorAll(".copy, .notice, .top, input:not([type=hidden]), textarea")) {
    const style = getComputedStyle(e);
    const side = ["Left", "Bottom"].find((name) => style["border" + name + "Width"] !== "0px");
    if (side === undefined || e.type === "radio" || e.type === "checkbox") continue;
    checkContrast("border of " + e.tagName + "." + e.className, parse(style["border" + side + "Color"]), ground(e.parentElement), 3);
  }
  return faults;
})()`;

/** Elements that reach beyond the window sideways, where the document scrolls sideways. */
const horizontalOverflow = `(() => {
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth <= clientWidth) return [];
  // Text may reach beyond although its element does not.
  return ["the document: " + scrollWidth + " > " + clientWidth, ...[...document.querySelectorAll("body *")]
    .filter((e) => e.getBoundingClientRect().right > clientWidth + 0.5)
    .map((e) => e.tagName + "." + e.className + ": " + e.getBoundingClientRect().right + " > " + clientWidth)];
})()`;

/** Faults of structure that a reader who listens would stumble over. */
const structureProblems = `(() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const faults = [];
  for (const [selector, count] of [["h1", 1], ["main", 1], ["html[lang]", 1], ["title", 1], ["[role=status]", 1]]) {
    if (all(selector).length !== count) faults.push(all(selector).length + " of " + selector);
  }
  let level = 0;
  for (const heading of all("h1, h2, h3, h4, h5, h6")) {
    const next = Number(heading.tagName[1]);
    if (next > level + 1) faults.push("h" + level + " is followed by h" + next);
    level = next;
  }
  const ids = all("[id]").map((e) => e.id);
  for (const id of ids) if (ids.filter((other) => other === id).length > 1) faults.push("id " + id + " twice");
  for (const e of all("[aria-labelledby]")) {
    if (!ids.includes(e.getAttribute("aria-labelledby"))) faults.push("label missing: " + e.outerHTML.slice(0, 60));
  }
  for (const e of all("img:not([alt])")) faults.push("no alt: " + e.outerHTML);
  for (const e of all("a, button, summary")) {
    if ((e.getAttribute("aria-label") ?? e.textContent).trim() === "") faults.push("no name: " + e.outerHTML);
    const { height } = e.getBoundingClientRect();
    // A link within a sentence is as high as its line (WCAG 2.2, 2.5.8).
    const inline = e.parentElement.matches("p, li") && e.parentElement.textContent.trim() !== e.textContent.trim();
    if (height < 24 && !inline && e.checkVisibility()) faults.push("only " + height + " px high: " + e.outerHTML);
  }
  const controls = all("button:not(.copy), a.button, select").filter((e) => e.checkVisibility())
    .map((e) => [e, e.getBoundingClientRect()]);
  for (const [i, [e, a]] of controls.entries()) {
    for (const [other, b] of controls.slice(i + 1)) {
      const [across, down] = [Math.max(a.left - b.right, b.left - a.right), Math.max(a.top - b.bottom, b.top - a.bottom)];
      if (Math.max(across, down) < 7.5) faults.push(Math.max(across, down) + " px apart: " + e.outerHTML.slice(0, 60) + " and " + other.outerHTML.slice(0, 60));
    }
  }
  for (const e of all(".box > .copy")) {
    const below = e.getBoundingClientRect().top - e.parentElement.getBoundingClientRect().top;
    if (e.checkVisibility() && below > 16) faults.push("copied " + below + " px below: " + e.parentElement.textContent.slice(0, 40));
  }
  const names = all("button").map((e) => e.textContent);
  if (new Set(names).size !== names.length) faults.push("buttons with the same name");
  for (const e of all("dl > *, dl > div > *")) {
    if (!/^(DIV|DT|DD)$/.test(e.tagName)) faults.push(e.tagName + " in dl");
  }
  return faults;
})()`;

/**
 * Layout shifts without user input after the whole document has arrived, with what moved; empty if there are none.
 * Before that, a busy browser paints a part of the page, and columns still get wider. A tenth of what the browser's
 * makers call good (0.1) is allowed: text that is balanced moves by a line.
 */
const layoutShifts = `new Promise((resolve) => {
  const [{ domInteractive }] = performance.getEntriesByType("navigation");
  const isSeen = (e) => !e.hadRecentInput && e.value >= 0.01 && e.startTime > domInteractive;
  const describe = ({ value, sources }) => "layout shift " + value + ": " +
    sources.map(({ node }) => (node?.outerHTML ?? node?.nodeValue ?? "?").slice(0, 60)).join(", ");
  new PerformanceObserver((list) => resolve(list.getEntries().filter(isSeen).map(describe)))
    .observe({ type: "layout-shift", buffered: true });
  requestAnimationFrame(() => requestAnimationFrame(() => resolve([])));
})`;

/** How often a page is loaded again to see whether it always shifts. */
const maxReloads = 2;

/**
 * Layout shifts of the current page that happen at each load. The last part of a document may be painted after the
 * others on a busy machine; what a script or a late style sheet moves, it moves each time. The page is loaded again
 * from the same response: the server receives no second request, which could have another response.
 */
async function findLayoutShifts({ page, document }: OpenedPage): Promise<string[]> {
  let shifts = await page.evaluate(layoutShifts) as string[];
  for (let i = 0; i < maxReloads && shifts.length > 0; i++) {
    const response = document();
    if (response !== undefined) {
      const [body, headers] = await Promise.all([response.body(), response.allHeaders()]);
      const recorded = { status: response.status(), headers, body };
      await page.route(response.url(), (route) => route.fulfill(recorded), { times: 1 });
    }
    await page.reload();
    shifts = await page.evaluate(layoutShifts) as string[];
  }
  return shifts;
}

/**
 * What axe-core finds amiss: success criteria of WCAG 2.2 AA, and what it holds for good practice. Contrast is left to
 * `lowContrast`, which examines all text in a fraction of the time.
 */
const violations = `axe.run(document, {
  resultTypes: ["violations"],
  rules: { "color-contrast": { enabled: false } },
}).then(({ violations }) => violations.map(({ id, help, nodes }) =>
  id + ": " + help + ": " + nodes.map(({ target }) => target.join(" ")).join(", ")))`;

/**
 * Checks the current page, console errors included: structure and overflow at each width, contrast there in both colour
 * schemes, axe-core at the narrowest width, and layout shifts since the page was loaded. They do not count if `shifts`
 * is false: where the test has changed the page, it moved.
 */
export async function findPageProblems(
  opened: OpenedPage,
  { shifts = true, runsAxe = opened.runsAxe } = {},
): Promise<string[]> {
  const { page, problems, runsScripts, colorScheme, widths } = opened;
  // A page can be read before its style sheet has come.
  await page.waitForLoadState("load");
  const found = [...problems];
  if (shifts && runsScripts) found.push(...await findLayoutShifts(opened));
  if (runsAxe && !(await page.evaluate("'axe' in window"))) await page.evaluate(axe.source);
  await atEachWidth(opened, async (width) => {
    const ask = async (scripts: readonly string[]) => {
      const results = (await page.evaluate(`Promise.all([${scripts}])`) as string[][]).flat();
      found.push(...widths.length > 1 ? results.map((problem) => `${problem} (${width} px wide)`) : results);
    };
    const isNarrowest = width === Math.min(...widths);
    await ask([horizontalOverflow, structureProblems, lowContrast, ...runsAxe && isNarrowest ? [violations] : []]);
    await page.emulateMedia({ colorScheme: colorScheme === "light" ? "dark" : "light" });
    await ask([lowContrast]);
    await page.emulateMedia({ colorScheme });
  });
  return found;
}
