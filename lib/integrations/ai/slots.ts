/** A bounded number of places; whoever finds none waits in line. */
export interface Slots {
  /** Waits for a place, first come first served. False when none came free in time. */
  acquire(waitMs: number): Promise<boolean>;
  release(): void;
}

interface Waiter {
  admit(): void;
}

/** Places for `count` at a time, in this process. */
export const createSlots = (count: number): Slots => {
  let free = count;
  const line: Waiter[] = [];
  return {
    acquire: (waitMs) => {
      if (free > 0) {
        free -= 1;
        return Promise.resolve(true);
      }
      return new Promise((resolve) => {
        const giveUp = setTimeout(() => {
          line.splice(line.indexOf(waiter), 1);
          resolve(false);
        }, waitMs);
        const waiter: Waiter = {
          admit: () => {
            clearTimeout(giveUp);
            resolve(true);
          },
        };
        line.push(waiter);
      });
    },
    release: () => {
      const next = line.shift();
      if (next) next.admit();
      else free += 1;
    },
  };
};
