import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";
import type { FormatSending } from "./use-format-send.ts";

/** Leads to the draft that was just created. */
export function CreatedBanner({ sending: { created } }: { sending: FormatSending }) {
  if (!created) return null;
  return (
    <Banner
      tone="success"
      className="mb-5"
      action={
        <LinkButton size="sm" href={`/app/generated-posts?status=draft&account=${created.account_id}`}>
          Generated Posts
        </LinkButton>
      }
    >
      Your draft is in Generated Posts.
    </Banner>
  );
}

const stateOf = ({ percent }: FormatSending, hasProblems: boolean): string => {
  if (percent === null) return hasProblems ? "Some fields need your attention." : "";
  return percent === 100 ? "Uploaded. Processing…" : `${percent}% uploaded`;
};

type SendBarProps = { sending: FormatSending; label: string; hasProblems: boolean };

/** The problem, the progress and the submit button. */
export function SendBar({ sending, label, hasProblems }: SendBarProps) {
  return (
    <div className="sticky bottom-0 z-(--z-sticky) grid gap-3 border-t border-line bg-page pt-3.5 pb-[calc(14px_+_env(safe-area-inset-bottom))]">
      {sending.problem && (
        <Banner tone="failed" isAnnounced>
          {sending.problem}
        </Banner>
      )}
      <div className="flex flex-wrap items-center justify-end gap-x-4 gap-y-2.5">
        <p className="num flex-[1_1_12rem] text-sm text-ink-2" role="status">
          {stateOf(sending, hasProblems)}
        </p>
        {sending.isSending && (
          <Button variant="quiet" onClick={sending.stop}>
            Stop
          </Button>
        )}
        <Button
          type="submit"
          variant="primary"
          size="lg"
          className="max-md:w-full"
          isBusy={sending.isSending}
          busyLabel="Creating…"
        >
          {label}
        </Button>
      </div>
    </div>
  );
}
