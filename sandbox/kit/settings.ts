import { z } from "zod";

/** A setting that can be changed while the stand-in runs. */
type SettingDefinition = { about: string } & (
  | { type: "number"; initial: number; min: number; max: number }
  | { type: "choice"; initial: string; options: readonly string[] }
  | { type: "switch"; initial: boolean }
);
export type SettingValue = number | string | boolean;
export type SettingDefinitions = Readonly<Record<string, SettingDefinition>>;

export const numberSetting = (about: string, initial: number, min: number, max: number) =>
  ({ type: "number", about, initial, min, max }) as const;
/** The first option is the default. */
export const choiceSetting = <const O extends readonly [string, ...string[]]>(about: string, options: O) =>
  ({ type: "choice", about, options, initial: options[0] }) as const;
export const switchSetting = (about: string, initial = false) => ({ type: "switch", about, initial }) as const;

export type ValuesOf<D extends SettingDefinitions> = {
  [N in keyof D]: D[N] extends { type: "number" }
    ? number
    : D[N] extends { type: "switch" }
      ? boolean
      : D[N] extends { options: readonly (infer O)[] }
        ? O
        : never;
};

/** A setting as `GET /__control/settings` returns it. */
export type ShownSetting = SettingDefinition & { name: string; value: SettingValue };

export interface Settings<D extends SettingDefinitions> {
  readonly values: ValuesOf<D>;
  /** Settings changed since the first start or the last reset. */
  readonly changed: Record<string, SettingValue>;
  /** Changes all or none of these. @throws ZodError for an unknown name or an invalid value. */
  change(changes: object): void;
  reset(): void;
  list(): ShownSetting[];
}

/** Creates settings from saved values; unknown names and invalid values are ignored. */
export function createSettings<D extends SettingDefinitions>(
  definitions: D,
  saved: Readonly<Record<string, SettingValue>>,
  onChange: () => void,
): Settings<D> {
  const schemas = Object.entries(definitions).map(([name, definition]) => [name, schemaOf(definition)] as const);
  const schema = z.strictObject(Object.fromEntries(schemas)).partial();
  const fits = ([name, value]: [string, unknown]) => schema.safeParse({ [name]: value }).success;
  let changed = Object.fromEntries(Object.entries(saved).filter(fits));
  const list = () =>
    Object.entries(definitions).map(([name, definition]) => {
      return { ...definition, name, value: changed[name] ?? definition.initial };
    });
  return {
    get values() {
      // Only valid values are ever stored.
      return Object.fromEntries(list().map(({ name, value }) => [name, value])) as ValuesOf<D>;
    },
    get changed() {
      return changed;
    },
    change(changes) {
      schema.parse(changes);
      changed = { ...changed, ...changes };
      onChange();
    },
    reset() {
      changed = {};
      onChange();
    },
    list,
  };
}

function schemaOf(definition: SettingDefinition): z.ZodType<SettingValue> {
  if (definition.type === "switch") return z.boolean();
  if (definition.type === "choice") return z.enum([...definition.options]);
  return z.number().min(definition.min).max(definition.max);
}
