// Preloaded into Node's test processes. Its test runner registers hooks for every promise, to name the test that an
// uncaught error belongs to; they take an eighth of the CPU time. Without them such an error ends the process, and the
// run still fails.

import hooks from "node:async_hooks";

const unused = { enable: () => unused, disable: () => unused };
hooks.createHook = () => unused;
