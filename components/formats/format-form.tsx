import type { ComponentProps, ReactNode } from "react";
import { type AccountOption, NoAccount } from "#components/accounts/account-choice.tsx";
import { CreatedLinks } from "#components/pins/link-check.tsx";
import { PageHeader } from "#components/shared/page-header.tsx";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { LinkButton } from "#components/ui/link-button.tsx";
import { useFocusOnProblem } from "#components/ui/use-focus-on-problem.ts";
import { generatedPostsUrl } from "#lib/core/paths.ts";
import { FormatLinks } from "./format-links.tsx";
import type { FormatSending } from "./use-format-send.ts";

/** Leads to the draft that was just created. */
function CreatedBanner({ sending: { created } }: { sending: FormatSending }) {
  if (!created) return null;
  return (
    <Banner
      tone="success"
      className="mb-5"
      action={
        <LinkButton size="sm" href={generatedPostsUrl("draft", created.account_id)}>
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
function SendBar({ sending, label, hasProblems }: SendBarProps) {
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

type FormatFormProps = {
  label: string;
  submitLabel: string;
  sending: FormatSending;
  hasProblems: boolean;
  /** Counts rejected submits; the first invalid field then takes the focus. */
  rejections: number;
  onSubmit: () => void;
  /** The grid of the fields. */
  className: string;
  children: ReactNode;
};

/** The form of a new pin with its files, what was created before, and the bar that sends it. */
export function FormatForm(props: FormatFormProps) {
  const { label, submitLabel, sending, hasProblems, rejections, onSubmit, className, children } = props;
  const element = useFocusOnProblem(rejections);
  return (
    <>
      <CreatedBanner sending={sending} />
      <CreatedLinks pins={sending.created ? [sending.created] : []} />
      <form
        ref={element}
        className="grid grid-cols-1 gap-5"
        aria-label={label}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit();
        }}
      >
        <div
          className={cn(
            "grid items-start gap-7 rounded-card bg-surface p-5.5 shadow-card max-[64rem]:grid-cols-1 max-md:p-4",
            className,
          )}
        >
          {children}
        </div>
        <SendBar sending={sending} label={submitLabel} hasProblems={hasProblems} />
      </form>
    </>
  );
}

type FormatScreenProps = {
  title: string;
  about: string;
  current: ComponentProps<typeof FormatLinks>["current"];
  accounts: AccountOption[];
  children: ReactNode;
};

/** A screen that creates pins of a format, for users with an account. */
export function FormatScreen({ title, about, current, accounts, children }: FormatScreenProps) {
  return (
    <>
      <PageHeader title={title}>{about}</PageHeader>
      <FormatLinks current={current} />
      {accounts.length === 0 ? (
        <NoAccount>Connect a Pinterest account first. Every draft needs a board.</NoAccount>
      ) : (
        children
      )}
    </>
  );
}
