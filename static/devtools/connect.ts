/** Home: a library fills in its redirect URI. The page of a client: shows its first login. */

/// <reference no-default-lib="true" />
/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/// <reference lib="esnext" />

const library = document.querySelector<HTMLSelectElement>("#library");
const redirectUris = document.querySelector<HTMLInputElement>("#redirect_uris");
const known = [...document.querySelectorAll<HTMLOptionElement>("#redirect_uris-known option")];

library?.addEventListener("change", () => {
  // A URI that the user typed stays.
  if (!redirectUris || redirectUris.value !== "" && !known.some(({ value }) => value === redirectUris.value)) return;
  redirectUris.value = known.find(({ label }) => label === library.value)?.value ?? "";
});

/** Milliseconds between two looks for the first login. */
const intervalMs = 2000;

/** Replaces the section when the client has sent a request. */
async function look(): Promise<void> {
  const page = document.hidden ? undefined : await load().catch(() => undefined);
  const found = page?.querySelector("#last-flows:not(:has([data-waiting]))");
  if (!found) return wait();
  document.querySelector("#last-flows")?.replaceWith(found);
  const status = document.querySelector("body > [role=status]");
  if (status) status.textContent = "The first request has arrived";
}

async function load(): Promise<Document> {
  const response = await fetch(location.pathname);
  return new DOMParser().parseFromString(await response.text(), "text/html");
}

function wait(): void {
  if (document.querySelector("[data-waiting]")) setTimeout(look, intervalMs);
}

wait();
