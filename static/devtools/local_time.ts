/** Shows times in the time zone of the reader, and those of the server (UTC) on hover. */

/// <reference no-default-lib="true" />
/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/// <reference lib="esnext" />

/** Converts the times of a page, or of a part of one. A time that has a title is converted already. */
export function showLocalTimes(root: ParentNode): void {
  for (const time of root.querySelectorAll<HTMLTimeElement>("time[datetime]:not([title])")) {
    const date = new Date(time.dateTime);
    const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString();
    time.title = `${time.dateTime.slice(0, -1).replace("T", " ")} UTC`;
    const { length } = time.textContent;
    // As much as the text had: a time of day, or a date with it.
    time.textContent = length > 8 ? local.slice(0, Math.min(length, 23)).replace("T", " ") : local.slice(11, 19);
  }
}
