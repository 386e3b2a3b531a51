/** A stand-in's own clock: the system's, moved by tests. */
export interface Clock {
  now(): Date;
  /** How far it stands from the system's, in milliseconds; ahead is positive. */
  readonly offsetMs: number;
  setOffset(offsetMs: number): void;
}

/** A clock that shows the system's time, or that much ahead of it, until it is moved. */
export function createClock(initialOffsetMs = 0, record: (offsetMs: number) => void = () => {}): Clock {
  let offsetMs = initialOffsetMs;
  return {
    now: () => new Date(Date.now() + offsetMs),
    get offsetMs() {
      return offsetMs;
    },
    setOffset(next) {
      record(next);
      offsetMs = next;
    },
  };
}
