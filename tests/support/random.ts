/** A generator whose numbers depend only on the seed. */
export interface Random {
  /** An integer from 0 up to, but not including, `end`. */
  below(end: number): number;
  /** A shuffled copy. */
  shuffled<T>(list: readonly T[]): T[];
}

const UINT32 = 2 ** 32;

/** mulberry32 with an integer seed. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / UINT32;
  };
  const below = (end: number) => Math.floor(next() * end);
  return {
    below,
    shuffled: (list) => {
      const left = [...list];
      return list.flatMap(() => left.splice(below(left.length), 1));
    },
  };
}
