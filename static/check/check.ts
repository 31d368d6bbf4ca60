/** Shows how far a check is while its page is open, and opens the report when it ends. */

/// <reference no-default-lib="true" />
/// <reference lib="dom" />
/// <reference lib="esnext" />

const intervalMs = 1000;

const progress = document.querySelector("#progress");

async function update(shown: Element): Promise<void> {
  const response = await fetch(location.href).catch(() => undefined);
  // The page redirects to the report when there is one.
  if (response?.redirected) return location.replace(response.url);
  const page = new DOMParser().parseFromString(await response?.text() ?? "", "text/html");
  const next = page.querySelector("#progress");
  if (next !== null) shown.replaceChildren(...next.childNodes);
  else if (response !== undefined) return location.reload();
  setTimeout(update, intervalMs, shown);
}

if (progress !== null) setTimeout(update, intervalMs, progress);
