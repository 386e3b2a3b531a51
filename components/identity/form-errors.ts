/** The text of a form's field, '' when it is absent or a file. */
export function textOf(data: FormData, name: string): string {
  const value = data.get(name);
  return typeof value === "string" ? value : "";
}

/** Puts the focus on the first of the fields that has an error, in the order of the form. */
export function focusFirstError<F extends string>(
  form: HTMLFormElement,
  fields: readonly F[],
  errors: Partial<Record<F, string>>,
): void {
  const first = fields.find((field) => errors[field] !== undefined);
  const element = first && form.elements.namedItem(first);
  if (element instanceof HTMLElement) element.focus();
}

/** The first message of each known field in a server's `{field: [messages]}`. */
export function fieldErrorsOf<F extends string>(body: unknown, fields: readonly F[]): Partial<Record<F, string>> {
  if (typeof body !== "object" || body === null) return {};
  const answers = new Map<string, unknown>(Object.entries(body));
  const errors: Partial<Record<F, string>> = {};
  for (const field of fields) {
    const messages = answers.get(field);
    const first: unknown = Array.isArray(messages) ? messages[0] : undefined;
    if (typeof first === "string") errors[field] = first;
  }
  return errors;
}
