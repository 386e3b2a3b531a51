/** Lets so much work go on at a time; the rest waits in the order in which it came. */
export interface BoundedWork {
  /** Runs `work` when there is room for its `weight`; one that is heavier than all the room runs alone. */
  run<R>(weight: number, work: () => Promise<R>): Promise<R>;
}

interface Waiting {
  weight: number;
  begin: () => void;
}

/** Room for work of one process: the sum of the weights that go on at a time stays within `capacity`. */
export const createBoundedWork = (capacity: number): BoundedWork => {
  const line: Waiting[] = [];
  let taken = 0;
  const beginNext = (): void => {
    for (let next = line[0]; next && taken + next.weight <= capacity; next = line[0]) {
      line.shift();
      taken += next.weight;
      next.begin();
    }
  };
  return {
    run: async (asked, work) => {
      const weight = Math.min(Math.max(asked, 0), capacity);
      await new Promise<void>((begin) => {
        line.push({ weight, begin });
        beginNext();
      });
      try {
        return await work();
      } finally {
        taken -= weight;
        beginNext();
      }
    },
  };
};
