/** Listens for changed flows while a page is open. */

/// <reference no-default-lib="true" />
/// <reference lib="dom" />
/// <reference lib="esnext" />

/** Announces a text to screen readers. */
export function announce(text: string): void {
  const status = document.querySelector("body > [role=status]");
  if (status && status.textContent !== text) status.textContent = text;
}

/** What the link says while the connection stands; without script, or when it breaks, it says "Reload". */
export const liveLabel = "● Live";

/**
 * Calls `onChange` with the flows that have changed; `all` stands for more than one event can name.
 *
 * @param link Shows whether the page is connected.
 */
export function watchFlows(link: Element, onChange: (flows: readonly string[]) => void): void {
  const reloadLabel = link.textContent;
  const events = new EventSource(location.pathname.replace(/\/flows\b.*/, "/flows/events"));
  events.onopen = () => {
    if (link.textContent === reloadLabel) link.textContent = liveLabel;
  };
  events.onerror = () => {
    if (link.textContent === liveLabel) link.textContent = reloadLabel;
  };
  events.onmessage = ({ data }: MessageEvent<string>) => onChange(data.split("\n"));
}
