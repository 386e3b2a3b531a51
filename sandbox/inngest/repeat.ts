/** A task that repeats until stopped. */
export interface Repeated {
  /** Runs it again as soon as possible instead of waiting for the interval. */
  soon(): void;
  /** Stops and waits for a running turn. */
  stop(): Promise<void>;
}

/**
 * Runs `turn` now and then `intervalMs()` after the end of each turn, never twice at a time.
 * `turn` must not throw: what may fail belongs into it.
 */
export function repeat(turn: () => Promise<void>, intervalMs: () => number): Repeated {
  let isStopped = false;
  let isAskedFor = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  const start = () => {
    timer = undefined;
    isAskedFor = false;
    running = turn().finally(() => {
      running = undefined;
      if (!isStopped) timer = setTimeout(start, isAskedFor ? 0 : intervalMs());
    });
  };
  start();
  return {
    soon() {
      isAskedFor = true;
      if (timer === undefined || isStopped) return;
      clearTimeout(timer);
      start();
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
