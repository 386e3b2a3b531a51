/** Focuses the first field of a form, after the button that opened the form disappeared. */
export function focusFirst(form: HTMLFormElement | null): void {
  form?.querySelector<HTMLElement>("input, textarea, select")?.focus();
}
