import "server-only";

const PLACES = 2;
let taken = 0;
const waiting: (() => void)[] = [];

/** Runs memory-hard work, two pieces at once: each takes 64 MiB, and a crowd must not stall the process. */
export const queueHashing = async <R>(work: () => Promise<R>): Promise<R> => {
  if (taken < PLACES) taken += 1;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    return await work();
  } finally {
    // A place is handed over, not freed and taken again: nobody slips in between.
    const next = waiting.shift();
    if (next) next();
    else taken -= 1;
  }
};
