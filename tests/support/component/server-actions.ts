import type { Plugin } from "vitest/config";

const DIRECTIVE = /^\s*["']use server["'];/;
const EXPORTED = /^export (?:const|(?:async )?function) (\w+)/gm;

/** Replaces modules of server actions with functions that send a request. Tests answer them as `ACTION <name>` (calls.ts). */
export const serverActions = (): Plugin => ({
  name: "server-actions",
  enforce: "pre",
  transform(code) {
    if (!DIRECTIVE.test(code)) return;
    const names = [...code.matchAll(EXPORTED)].map(([, name]) => name);
    const actions = names.map((name) => `export const ${name} = (...args) => sendAction("${name}", args);`);
    return [`import { sendAction } from "#tests/support/component/send-action.ts";`, ...actions].join("\n");
  },
});
