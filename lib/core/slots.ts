/** Fills slots like `{product}` in a text. @throws Error for a slot that has no value */
export const fillSlots = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/\{([a-z_]+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`The text has a slot {${name}} that nothing fills.`);
    return value;
  });
