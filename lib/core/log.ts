import type { WideField } from "./wide-fields.ts";

/** What a wide event may hold: flat, small, never a token, a password or a mail address. */
export type LogValue = string | number | boolean | null | undefined;

/** Some fields of a wide event. */
export type WideFields = { [F in WideField]?: LogValue };

/** One event per request or job, filled along the way and written once (DESIGN §3, EXAMPLES §16). */
export interface WideEvent {
  set(fields: WideFields): void;
  /** Adds to a number, for counting calls to a provider. */
  count(field: WideField, by?: number): void;
  fields(): Readonly<WideFields>;
}

const SECRET_NAME = /password|token|secret|authorization|cookie|email|key$/i;

/** An empty wide event with its first fields. Names that sound like secrets are dropped, whatever they hold. */
export const createWideEvent = (first: WideFields = {}): WideEvent => {
  const fields: WideFields = {};
  const set = (more: WideFields) => {
    for (const [name, value] of Object.entries(more)) {
      if (value !== undefined && !SECRET_NAME.test(name)) Object.assign(fields, { [name]: value });
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

type Listener = (fields: Readonly<WideFields>) => void;

// Next bundles a module once per layer; whoever listens hears the events of all of them.
const PLACE = Symbol.for("app.wide-events");
const everyLayer = globalThis as { [PLACE]?: Set<Listener> };
everyLayer[PLACE] ??= new Set();
const listeners = everyLayer[PLACE];

/** Calls back for each wide event of this process once it is written; what is counted is what the log says. */
export const onWideEvent = (listener: Listener): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** Writes one line of JSON to standard output. */
export const writeEvent = (event: WideEvent): void => {
  process.stdout.write(`${JSON.stringify(event.fields())}\n`);
  for (const listener of listeners) listener(event.fields());
};
