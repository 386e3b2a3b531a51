/** The result of a form submitted without scripts; null before the first submission. */
export type FormResult<F extends string> = {
  isDone: boolean;
  values: Partial<Record<F, string>>;
  errors: Partial<Record<F, string>>;
  message?: string | undefined;
} | null;
