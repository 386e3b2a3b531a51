import { onTestFinished, vi } from "vitest";

/** From here to the test's end, process clocks pass only the time that the test moves; timers and the database's go on. */
export const standStill = (): void => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
};
