/** Lets so much work go on at a time; the rest waits in the order in which it came. */
export interface BoundedWork {
  /**
   * Runs `work` when there is room for its `weight`; one that is heavier than all the room runs alone. `isUrgent`: somebody
   * looks and waits; it goes before what is not, but not so often that the others never have their turn.
   */
  run<R>(weight: number, work: () => Promise<R>, options?: { isUrgent?: boolean }): Promise<R>;
}

interface Waiting {
  weight: number;
  begin: () => void;
}

/** So many urgent ones may pass the others that wait, before one of these has its turn. */
const PASSES_MAX = 8;

/** Those who wait, in two lines. */
const createLines = () => {
  const [urgent, patient]: [Waiting[], Waiting[]] = [[], []];
  let passes = 0;
  const lineOfNext = () => (urgent.length > 0 && (passes < PASSES_MAX || patient.length === 0) ? urgent : patient);
  return {
    add: (one: Waiting, isUrgent: boolean) => (isUrgent ? urgent : patient).push(one),
    first: () => lineOfNext()[0],
    takeFirst: (): void => {
      const line = lineOfNext();
      line.shift();
      passes = line === urgent && patient.length > 0 ? passes + 1 : 0;
    },
  };
};

/** Room for work of one process: the sum of the weights that go on at a time stays within `capacity`. */
export const createBoundedWork = (capacity: number): BoundedWork => {
  const lines = createLines();
  let taken = 0;
  const beginNext = (): void => {
    for (let next = lines.first(); next && taken + next.weight <= capacity; next = lines.first()) {
      lines.takeFirst();
      taken += next.weight;
      next.begin();
    }
  };
  return {
    run: async (asked, work, { isUrgent = false } = {}) => {
      const weight = Math.min(Math.max(asked, 0), capacity);
      await new Promise<void>((begin) => {
        lines.add({ weight, begin }, isUrgent);
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
