// Preloaded into Node's test processes, which end only when nothing is open any more. If something stays open after the
// last test, this says what it is and which test file opened it, and ends the process.

/** Milliseconds that connections, timers and child processes may outlive the last test. */
const graceMs = 20_000;

/** What was open before each file. */
const before = [];

/** How many of each kind are open, such as `TCPSocketWrap`; the streams of the process itself do not count. */
function countOpen() {
  const counts = {};
  for (const kind of process.getActiveResourcesInfo()) {
    if (kind !== "PipeWrap" && kind !== "TTYWrap") counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

/** Called before the tests of each file, and after the last, without a name. */
globalThis.noteOpenResources = (file) => {
  before.push({ file, counts: countOpen() });
  if (file !== undefined) return;
  setTimeout(() => {
    for (const [kind, count] of Object.entries(countOpen())) {
      // The file after which there were always that many.
      const opener = before.findLast(({ file, counts }) => file !== undefined && (counts[kind] ?? 0) < count);
      console.log(`Still open ${graceMs / 1000} s after the last test: ${count} ${kind}, since ${opener?.file}.`);
    }
    process.exit(1);
  }, graceMs).unref();
};
