"use client";

import { Component, type ReactNode, type RefCallback, useCallback } from "react";
import { useConnect } from "#components/accounts/use-connect.ts";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { ApiError, describeFailure } from "#lib/client/api.ts";

type PartBoundaryProps = {
  /** What stands in its place when it fails. */
  fallback: ReactNode;
  onFailure?: () => void;
  children: ReactNode;
};

/**
 * Holds back a failure while something is drawn, such as a script that did not arrive, so that the rest of the screen
 * stays. A script that failed stays failed until the page is loaded anew.
 */
export class PartBoundary extends Component<PartBoundaryProps, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true };
  }

  override componentDidCatch(failure: unknown): void {
    console.warn("A part of the screen could not be drawn", failure);
    this.props.onFailure?.();
  }

  override render(): ReactNode {
    return this.state.hasFailed ? this.props.fallback : this.props.children;
  }
}

/** When Pinterest was asked, by the reader's clock: such figures are of that moment and are not kept. */
export function ReadAt({ at, timeZone }: { at: string; timeZone: string }) {
  const time = new Intl.DateTimeFormat("en-US", { hour: "numeric", minute: "2-digit", timeZone }).format(new Date(at));
  return (
    <>
      {" "}
      Read from Pinterest at <time dateTime={at}>{time.replace(/\u202f/g, " ")}</time>.
    </>
  );
}

/** @returns what a button takes as `ref`: where it goes and has the focus, the heading of its part gets it. */
export const useFocusBack = (headingId: string): RefCallback<HTMLElement> =>
  useCallback(
    (button) => () => {
      if (button !== null && document.activeElement === button) document.getElementById(headingId)?.focus();
    },
    [headingId],
  );

/** The account has lost its connection, or is in another state that asking again does not change. */
const CONFLICT = 409;
/** Pinterest refuses it to this app or this account. */
const REFUSED = 422;

const waitText = (error: ApiError): string => {
  const seconds = error.retryAfterSeconds;
  if (seconds === undefined) return "";
  return seconds < 90
    ? " It can be asked again in a minute."
    : ` It can be asked again in ${Math.ceil(seconds / 60)} minutes.`;
};

type PartTroubleProps = {
  /** What could not be read, as the beginning of a sentence: 'The top pins'. */
  what: string;
  accountId: string;
  error: unknown;
  /** Of the part's heading, which gets the focus when the trouble is over. */
  headingId: string;
  /** It is being asked again. */
  isRetrying: boolean;
  onRetry: () => void;
};

/** One part of the screen has no answer: why, and what can be done. The other parts stay. */
export function PartTrouble({ what, accountId, error, headingId, isRetrying, onRetry }: PartTroubleProps) {
  const { isBusy, refusal, connect } = useConnect();
  const focusBack = useFocusBack(headingId);
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
      {what} could not be read. {why}
      {error instanceof ApiError && waitText(error)} {refusal}
    </Banner>
  );
}
