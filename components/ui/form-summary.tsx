import { Banner } from "#components/ui/banner.tsx";

type FormSummaryProps<F extends string> = {
  /** What is wrong with the whole. */
  problem?: string;
  errors: Partial<Record<F, string>>;
  /** The words of each field's label. */
  labels: Record<F, string>;
  className?: string;
};

function namesOf<F extends string>(errors: Partial<Record<F, string>>, labels: Record<F, string>): string[] {
  return Object.entries<string>(labels).flatMap(([field, label]) => (field in errors ? [label] : []));
}

/** Above a form: the trouble with the whole of it to see, and for screen readers also which fields to look at. */
export function FormSummary<F extends string>({ problem, errors, labels, className }: FormSummaryProps<F>) {
  const names = namesOf(errors, labels);
  return (
    <>
      {problem && (
        <Banner tone="failed" isAnnounced className={className}>
          {problem}
        </Banner>
      )}
      {/* Standing from the start: readers stay silent about a region that arrives together with its words. */}
      <p aria-live="assertive" className="sr-only" data-testid="form-summary">
        {names.length > 0 && `Please look at: ${names.join(", ")}.`}
      </p>
    </>
  );
}
