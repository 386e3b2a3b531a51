import { onTestFinished, vi } from "vitest";

/** Fake timers have larger ids than real ones. */
const FIRST_FAKE_ID = 1_000_000_000;

/**
 * Holds the page's timers until the test ends; only `vi.advanceTimersByTimeAsync` advances them. Timers without a delay
 * still run, for React and the query cache. Vitest would otherwise advance fake timers during clicks and assertions.
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
