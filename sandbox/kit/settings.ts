/** One setting of a stand-in that can be changed while it runs. */
export type SettingDefinition = { about: string } & (
  | { type: "number"; initial: number; least: number; most: number }
  | { type: "choice"; initial: string; options: readonly string[] }
  | { type: "switch"; initial: boolean }
);
export type SettingValue = number | string | boolean;
export type SettingDefinitions = Readonly<Record<string, SettingDefinition>>;

/** The values that fit definitions written `as const satisfies SettingDefinitions`. */
export type ValuesOf<D extends SettingDefinitions> = {
  [N in keyof D]: D[N] extends { type: "number" }
    ? number
    : D[N] extends { type: "switch" }
      ? boolean
      : D[N] extends { options: readonly (infer O)[] }
        ? O
        : never;
};

/** A setting as `GET /__control/settings` shows it. */
export type ShownSetting = SettingDefinition & { name: string; value: SettingValue };

/** The settings of a stand-in. */
export interface Settings<D extends SettingDefinitions> {
  readonly values: ValuesOf<D>;
  /** @throws Error in plain words at the first name or value that does not fit; nothing is changed then. */
  change(changes: unknown): void;
  /** Back to the initial values. */
  reset(): void;
  list(): ShownSetting[];
}

/** Settings that begin with what was saved; saved names and values that no longer fit are left out. */
export function createSettings<D extends SettingDefinitions>(
  definitions: D,
  saved: Readonly<Record<string, SettingValue>> = {},
  record: (values: Record<string, SettingValue>) => void = () => {},
): Settings<D> {
  const initial = Object.fromEntries(Object.entries(definitions).map(([name, { initial }]) => [name, initial]));
  const fitting = Object.entries(saved).filter(([name, value]) => problemOf(definitions, name, value) === undefined);
  let values: Record<string, SettingValue> = { ...initial, ...Object.fromEntries(fitting) };
  const replace = (next: Record<string, SettingValue>) => {
    record(next);
    values = next;
  };
  return {
    get values() {
      return checkedValues<D>(values);
    },
    change(changes) {
      if (typeof changes !== "object" || changes === null) throw new Error("Settings are a JSON object");
      for (const [name, value] of Object.entries(changes)) {
        const problem = problemOf(definitions, name, value);
        if (problem !== undefined) throw new Error(problem);
      }
      replace({ ...values, ...changes });
    },
    reset: () => replace({ ...initial }),
    list: () =>
      Object.entries(definitions).map(([name, definition]) => ({
        ...definition,
        name,
        value: values[name] ?? definition.initial,
      })),
  };
}

function problemOf(definitions: SettingDefinitions, name: string, value: unknown): string | undefined {
  const definition = Object.hasOwn(definitions, name) ? definitions[name] : undefined;
  if (definition === undefined) return `There is no setting "${name}"`;
  switch (definition.type) {
    case "switch":
      return typeof value === "boolean" ? undefined : `"${name}" must be true or false`;
    case "choice":
      return definition.options.some((option) => option === value)
        ? undefined
        : `"${name}" must be one of ${definition.options.join(", ")}`;
    case "number": {
      const { least, most } = definition;
      const fits = typeof value === "number" && Number.isFinite(value) && value >= least && value <= most;
      return fits ? undefined : `"${name}" must be a number from ${least} to ${most}`;
    }
  }
}

/** Only values that fit their definitions are ever stored. */
function checkedValues<D extends SettingDefinitions>(values: Record<string, SettingValue>): ValuesOf<D> {
  return values as ValuesOf<D>;
}
