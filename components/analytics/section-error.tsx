"use client";

import { Component, type ReactNode } from "react";
import { useConnect } from "#components/accounts/use-connect.ts";
import { useReturnFocus } from "#components/shared/use-return-focus.ts";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { ApiError, describeFailure } from "#lib/client/api.ts";

type SectionBoundaryProps = {
  fallback: ReactNode;
  onFailure?: () => void;
  children: ReactNode;
};

/**
 * Catches rendering errors, such as a script that failed to load, so that the rest of the screen stays. A failed script
 * stays failed until the page is reloaded.
 */
export class SectionBoundary extends Component<SectionBoundaryProps, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true };
  }

  override componentDidCatch(failure: unknown): void {
    console.warn("A section of the screen could not be rendered", failure);
    this.props.onFailure?.();
  }

  override render(): ReactNode {
    return this.state.hasFailed ? this.props.fallback : this.props.children;
  }
}

/** When live metrics were read, in the user's time zone. */
export function FetchedAt({ at, timeZone }: { at: string; timeZone: string }) {
  const time = new Intl.DateTimeFormat("en-US", { hour: "numeric", minute: "2-digit", timeZone }).format(new Date(at));
  return (
    <>
      {" "}
      Data from Pinterest as of <time dateTime={at}>{time.replace(/\u202f/g, " ")}</time>.
    </>
  );
}

/** The account must be reconnected. */
const CONFLICT = 409;
/** Pinterest denies access; retrying does not help. */
const REFUSED = 422;

const waitText = (error: ApiError): string => {
  const seconds = error.retryAfterSeconds;
  if (seconds === undefined) return "";
  return seconds < 90 ? " You can try again in a minute." : ` You can try again in ${Math.ceil(seconds / 60)} minutes.`;
};

type SectionErrorProps = {
  /** What failed to load, as the start of a sentence: 'The top pins'. */
  what: string;
  accountId: string;
  error: unknown;
  /** The section's heading, which gets the focus after a successful retry. */
  headingId: string;
  isRetrying: boolean;
  onRetry: () => void;
};

/** Why a section failed to load, and what the user can do. */
export function SectionError({ what, accountId, error, headingId, isRetrying, onRetry }: SectionErrorProps) {
  const { isBusy, refusal, connect } = useConnect();
  const focusBack = useReturnFocus(headingId);
  const status = error instanceof ApiError ? error.status : 0;
  const why = describeFailure(error, "Please try again.");
  const again = (
    <Button size="sm" ref={focusBack} isBusy={isRetrying} onClick={onRetry}>
      Try again<span className="sr-only">: {what}</span>
    </Button>
  );
  const reconnect = (
    <Button size="sm" isBusy={isBusy} onClick={() => connect(accountId)}>
      Reconnect
    </Button>
  );
  const ways: Record<number, typeof again | undefined> = { [CONFLICT]: reconnect, [REFUSED]: undefined };
  return (
    <Banner tone={status === REFUSED ? "plain" : "failed"} isAnnounced action={status in ways ? ways[status] : again}>
      {what} couldn’t be loaded. {why}
      {error instanceof ApiError && waitText(error)} {refusal}
    </Banner>
  );
}
