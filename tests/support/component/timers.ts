import { onTestFinished, vi } from "vitest";

/** Fake timers have larger ids than any browser gives out. */
const FIRST_FAKE_ID = 1_000_000_000;

/**
 * Holds the page's timers until the test ends: only `vi.advanceTimersByTimeAsync` moves them. Timers without a delay
 * run as ever, so that React and the query cache go on. Vitest itself would move fake timers by 50 ms whenever a click
 * or an assertion has to wait, so that a busy machine would see them pass.
 */
export const holdTimers = (): void => {
  const { setTimeout: realSet, clearTimeout: realClear } = window;
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
  const { setTimeout: fakeSet, clearTimeout: fakeClear } = window;
  const set = (run: TimerHandler, delayMs = 0, ...rest: unknown[]): number =>
    (delayMs > 0 ? fakeSet : realSet)(run, delayMs, ...rest);
  const clear = (id?: number): void => (id !== undefined && id >= FIRST_FAKE_ID ? fakeClear : realClear)(id);
  Object.assign(window, { setTimeout: set, clearTimeout: clear });
  const isFake = vi.spyOn(vi, "isFakeTimers").mockReturnValue(false);
  onTestFinished(() => {
    isFake.mockRestore();
    vi.useRealTimers();
    Object.assign(window, { setTimeout: realSet, clearTimeout: realClear });
  });
};
