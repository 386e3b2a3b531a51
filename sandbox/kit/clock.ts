/** A stand-in's own clock: the system's, moved by tests. */
export interface Clock {
  now(): Date;
  /** Sets how far the clock stands from the system's, in milliseconds; ahead is positive. */
  setOffset(offsetMs: number): void;
}

/** A clock that shows the system's time until it is moved. */
export function createClock(): Clock {
  let offsetMs = 0;
  return {
    now: () => new Date(Date.now() + offsetMs),
    setOffset(next) {
      offsetMs = next;
    },
  };
}
