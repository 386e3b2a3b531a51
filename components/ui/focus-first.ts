/** Puts the focus on the first field of a form, where the button that showed the form has gone. */
export function focusFirst(form: HTMLFormElement | null): void {
  form?.querySelector<HTMLElement>("input, textarea, select")?.focus();
}
