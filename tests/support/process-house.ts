import { afterEach, beforeEach } from "vitest";
import type { House } from "#lib/composition.ts";

/** Where steps of durable functions find the house of their process (lib/composition.ts). */
const PLACE = Symbol.for("app.house");
const processPlace: typeof globalThis & { [PLACE]?: House } = globalThis;

/** Durable functions take the house of their process: during each test of a file, that is the test's. */
export const beHouseOfProcess = (houseOf: () => House): void => {
  beforeEach(() => {
    processPlace[PLACE] = houseOf();
  });
  afterEach(() => {
    delete processPlace[PLACE];
  });
};
