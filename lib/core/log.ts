/** What a wide event may hold: flat, small, never a token, a password or a mail address. */
export type LogValue = string | number | boolean | null | undefined;

/** One event per request or job, filled along the way and written once (DESIGN §3, EXAMPLES §16). */
export interface WideEvent {
  set(fields: Record<string, LogValue>): void;
  /** Adds to a number, for counting calls to a provider. */
  count(field: string, by?: number): void;
  fields(): Record<string, LogValue>;
}

const SECRET_NAME = /password|token|secret|authorization|cookie|email|key$/i;

/** An empty wide event with its first fields. Names that sound like secrets are dropped, whatever they hold. */
export const createWideEvent = (first: Record<string, LogValue> = {}): WideEvent => {
  const fields: Record<string, LogValue> = {};
  const set = (more: Record<string, LogValue>) => {
    for (const [name, value] of Object.entries(more)) {
      if (value !== undefined && !SECRET_NAME.test(name)) fields[name] = value;
    }
  };
  set(first);
  return {
    set,
    count: (field, by = 1) => {
      const before = fields[field];
      fields[field] = (typeof before === "number" ? before : 0) + by;
    },
    fields: () => fields,
  };
};

/** Writes one line of JSON to standard output. */
export const writeEvent = (event: WideEvent): void => {
  process.stdout.write(`${JSON.stringify(event.fields())}\n`);
};
