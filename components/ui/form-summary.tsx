import { Banner } from "#components/ui/banner.tsx";

type FormSummaryProps<F extends string> = {
  /** A problem with the whole form. */
  problem?: string;
  errors: Partial<Record<F, string>>;
  labels: Record<F, string>;
  className?: string;
};

function namesOf<F extends string>(errors: Partial<Record<F, string>>, labels: Record<F, string>): string[] {
  return Object.entries<string>(labels).flatMap(([field, label]) => (field in errors ? [label] : []));
}

/** Shows the problem of a whole form, and tells screen readers which fields are invalid. */
export function FormSummary<F extends string>({ problem, errors, labels, className }: FormSummaryProps<F>) {
  const names = namesOf(errors, labels);
  return (
    <>
      {problem && (
        <Banner tone="failed" isAnnounced className={className}>
          {problem}
        </Banner>
      )}
      {/* Always present: screen readers ignore a live region that appears together with its text. */}
      <p aria-live="assertive" className="sr-only" data-testid="form-summary">
        {names.length > 0 && `Please check: ${names.join(", ")}.`}
      </p>
    </>
  );
}
