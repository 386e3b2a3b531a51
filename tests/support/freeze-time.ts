import { onTestFinished, vi } from "vitest";

/** Stops `Date` until the end of the test; timers and the database's clock continue. */
export const freezeTime = (): void => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
};
