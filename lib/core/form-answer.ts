/** What a form that was sent without scripts is shown again with; `null` before it was sent. */
export type FormAnswer<F extends string> = {
  isDone: boolean;
  /** What was typed, without secrets. */
  values: Partial<Record<F, string>>;
  /** One text for each wrong field. */
  errors: Partial<Record<F, string>>;
  /** The text for the whole form: what went wrong or, when done, what comes next. */
  message?: string | undefined;
} | null;
