import { isJsonObject } from "./requests.ts";

/** How the stand-in behaves while it runs; changed by `POST /__control/settings` with any of these fields. */
export type OpenAiSettings = {
  /** How long a text takes. */
  textLatencyMs: number;
  /** How long a picture takes; drawing counts towards it. */
  imageLatencyMs: number;
  /** How far a latency strays by prompt, as a share of it: 0.25 is a quarter more or less, 0 is fixed. */
  latencySpread: number;
  /** Answers one plain picture instead of drawing, for benches that measure something else. */
  blankPictures: boolean;
  /** Image calls answered at a time; one more is refused with 429. Null: no limit. */
  picturesInFlight: number | null;
  /** Pictures that may begin per minute, spread evenly; more are refused with 429. Null: no limit. */
  picturesPerMinute: number | null;
};

/** What holds unless it is set otherwise. */
export const USUAL_SETTINGS = {
  latencySpread: 0.25,
  blankPictures: false,
  picturesInFlight: null,
  picturesPerMinute: null,
} as const satisfies Partial<OpenAiSettings>;

type Check = { isUsable(value: unknown): boolean; says: string };

const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);
const latency: Check = { isUsable: (value) => isNumber(value) && value >= 0, says: "a number from 0" };
const limit: Check = {
  isUsable: (value) => value === null || (isNumber(value) && Number.isInteger(value) && value >= 1),
  says: "null or a whole number from 1",
};

const CHECKS: Record<keyof OpenAiSettings, Check> = {
  textLatencyMs: latency,
  imageLatencyMs: latency,
  latencySpread: { isUsable: (value) => isNumber(value) && value >= 0 && value <= 1, says: "a number from 0 to 1" },
  blankPictures: { isUsable: (value) => typeof value === "boolean", says: "true or false" },
  picturesInFlight: limit,
  picturesPerMinute: limit,
};

/** The current settings with the changes of a control call. @throws Error in plain words when one is not usable. */
export function changeSettings(current: OpenAiSettings, changes: unknown): OpenAiSettings {
  if (!isJsonObject(changes)) throw new Error("Settings are a JSON object");
  for (const [name, value] of Object.entries(changes)) {
    if (!isSetting(name)) throw new Error(`There is no setting "${name}"`);
    if (!CHECKS[name].isUsable(value)) throw new Error(`"${name}" must be ${CHECKS[name].says}`);
  }
  return { ...current, ...changes };
}

/** The settings of a running stand-in. */
export interface SettingsShelf {
  read(): OpenAiSettings;
  /** @throws Error in plain words when a change is not usable; nothing changes then. */
  change(changes: unknown): OpenAiSettings;
  reset(): void;
}

/** Holds settings, and what they were at the start. */
export function holdSettings(initial: OpenAiSettings): SettingsShelf {
  let current = initial;
  return {
    read: () => current,
    change(changes) {
      current = changeSettings(current, changes);
      return current;
    },
    reset() {
      current = initial;
    },
  };
}

function isSetting(name: string): name is keyof OpenAiSettings {
  return Object.hasOwn(CHECKS, name);
}
