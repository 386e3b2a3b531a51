/** One listener's ear for a name. A ring is remembered until it is waited for. */
export interface Ear {
  /** True when the name was rung, false when the time was over or the signal came. */
  wait(ms: number, signal?: AbortSignal): Promise<boolean>;
  close(): void;
}

/** Wakes who waits in this process. A ring saves waiting and decides nothing: whoever hears it looks for himself. */
export interface Bell {
  ring(name: string): void;
  listen(name: string): Ear;
}

/** A bell of its own. */
export const createBell = (): Bell => {
  const ears = new Map<string, () => void>();
  return {
    ring: (name) => ears.get(name)?.(),
    listen: (name) => {
      let hasRung = false;
      let wake = () => {};
      ears.set(name, () => {
        hasRung = true;
        wake();
      });
      return {
        wait: (ms, signal) =>
          new Promise((resolve) => {
            const end = () => {
              clearTimeout(timer);
              signal?.removeEventListener("abort", end);
              wake = () => {};
              resolve(hasRung);
              hasRung = false;
            };
            const timer = setTimeout(end, ms);
            wake = end;
            signal?.addEventListener("abort", end, { once: true });
            if (hasRung || signal?.aborted) end();
          }),
        close: () => ears.delete(name),
      };
    },
  };
};
