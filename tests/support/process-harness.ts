import { afterEach, beforeEach } from "vitest";
import type { Container } from "#lib/composition.ts";

/** The key under which durable functions find their process's container (lib/composition.ts). */
const CONTAINER_KEY = Symbol.for("app.container");
const processGlobals: typeof globalThis & { [CONTAINER_KEY]?: Container } = globalThis;

/** Makes durable functions use the test's container during each test of a file. */
export const setProcessContainer = (harnessOf: () => Container): void => {
  beforeEach(() => {
    processGlobals[CONTAINER_KEY] = harnessOf();
  });
  afterEach(() => {
    delete processGlobals[CONTAINER_KEY];
  });
};
