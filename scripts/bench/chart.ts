/** Draws growth as a line chart in SVG, readable on light and dark backgrounds. */

/** Cost of a request by size, as a factor of the cost at the smallest size. */
export interface Line {
  readonly name: string;
  readonly points: readonly { readonly count: number; readonly times: number }[];
}

const width = 760;
const height = 380;

/** Area of the plot. */
const plot = { left: 62, right: 500, top: 52, bottom: 318 };

/** One colour per line: distinct on white and on black, and with colour blindness. */
const colours = ["#0072b2", "#56b4e9", "#d55e00", "#e69f00", "#009e73", "#66c2a5", "#cc79a7"];

/** The chart; `heading` names the measurement. */
export function chart(heading: string, lines: readonly Line[]): string {
  const counts = lines.flatMap(({ points }) => points.map(({ count }) => count));
  const decades = { from: Math.log10(Math.min(...counts)), to: Math.log10(Math.max(...counts)) };
  const highest = Math.max(2, ...lines.flatMap(({ points }) => points.map(({ times }) => times)));
  const top = Math.ceil(highest * 2) / 2;
  const x = (count: number): number =>
    plot.left + (Math.log10(count) - decades.from) / (decades.to - decades.from) * (plot.right - plot.left);
  const y = (times: number): number => plot.bottom - times / top * (plot.bottom - plot.top);

  const horizontalGrid = range(0, top, 0.5).map((times) =>
    `<line class="grid" x1="${plot.left}" x2="${plot.right}" y1="${formatCoordinate(y(times))}" y2="${
      formatCoordinate(y(times))
    }" />` +
    textElement(plot.left - 8, y(times) + 4, `${times.toFixed(1)}×`, "end")
  );
  const verticalGrid = range(decades.from, decades.to, 1).map((decade) =>
    `<line class="grid" x1="${formatCoordinate(x(10 ** decade))}" x2="${
      formatCoordinate(x(10 ** decade))
    }" y1="${plot.top}" y2="${plot.bottom}" />` +
    textElement(x(10 ** decade), plot.bottom + 20, (10 ** decade).toLocaleString("en"), "middle")
  );
  const curves = lines.map(({ name, points }, i) => {
    const colour = colours[i % colours.length]!;
    const path = points.map(({ count, times }) => `${formatCoordinate(x(count))},${formatCoordinate(y(times))}`).join(
      " ",
    );
    const dots = points.map(({ count, times }) =>
      `<circle cx="${formatCoordinate(x(count))}" cy="${formatCoordinate(y(times))}" r="3" fill="${colour}" />`
    );
    const row = plot.top + 10 + i * 24;
    return `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2" />${dots.join("")}` +
      `<line x1="${plot.right + 20}" x2="${
        plot.right + 44
      }" y1="${row}" y2="${row}" stroke="${colour}" stroke-width="3" />` +
      textElement(plot.right + 52, row + 4, name, "start");
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${
    escape(formatLabel(lines))
  }">
<style>
text { font: 13px system-ui, sans-serif; fill: #1f2328; }
.title { font-weight: 600; }
.ground { fill: #ffffff; }
.grid { stroke: #d1d9e0; stroke-width: 1; }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3; }
.ground { fill: #0d1117; }
.grid { stroke: #30363d; }
}
</style>
<rect class="ground" width="${width}" height="${height}" rx="6" />
<text class="title" x="16" y="28">${escape(`CPU per request, by how many there are (${heading})`)}</text>
${[...horizontalGrid, ...verticalGrid, ...curves].join("\n")}
${
    textElement(
      (plot.left + plot.right) / 2,
      plot.bottom + 44,
      "how many there are, each step ten times as many",
      "middle",
    )
  }
</svg>
`;
}

function formatLabel(lines: readonly Line[]): string {
  const ends = lines.map(({ name, points }) => {
    const { count, times } = points.at(-1)!;
    return `${name}: ${times.toFixed(2)} times at ${count.toLocaleString("en")}`;
  });
  return `CPU per request by how many there are, beside what it is for the fewest. ${ends.join("; ")}.`;
}

function textElement(x: number, y: number, words: string, anchor: "start" | "middle" | "end"): string {
  return `<text x="${formatCoordinate(x)}" y="${formatCoordinate(y)}" text-anchor="${anchor}">${escape(words)}</text>`;
}

function range(from: number, to: number, by: number): number[] {
  return Array.from({ length: Math.round((to - from) / by) + 1 }, (_, i) => from + i * by);
}

function formatCoordinate(value: number): string {
  return value.toFixed(1);
}

function escape(words: string): string {
  return words.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
