/** Hears which flows change while a page is open. */

/// <reference no-default-lib="true" />
/// <reference lib="dom" />
/// <reference lib="esnext" />

/** What is said aloud to those who listen to the page. */
export function announce(text: string): void {
  const status = document.querySelector("[role=status]");
  if (status && status.textContent !== text) status.textContent = text;
}

/** Calls with the flows that have changed; `all` stands for more than can be named. */
export function watchFlows(onChange: (flows: readonly string[]) => void): void {
  const events = location.pathname.replace(/\/flows\b.*/, "/flows/events");
  new EventSource(events).onmessage = ({ data }: MessageEvent<string>) => onChange(data.split("\n"));
}
