"use client";

import { Component, type ReactNode } from "react";
import { REFUSED, type RecoveryProps, useRecovery } from "#components/accounts/use-recovery.tsx";
import { Banner } from "#components/ui/banner.tsx";
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

const waitText = (error: ApiError): string => {
  const seconds = error.retryAfterSeconds;
  if (seconds === undefined) return "";
  return seconds < 90 ? " You can try again in a minute." : ` You can try again in ${Math.ceil(seconds / 60)} minutes.`;
};

/** Why a section failed to load, and what the user can do. After a retry its heading gets the focus. */
export function SectionError(props: RecoveryProps) {
  const { status, refusal, action } = useRecovery(props);
  const { what, error } = props;
  return (
    <Banner tone={status === REFUSED ? "plain" : "failed"} isAnnounced action={action}>
      {what} couldn't be loaded. {describeFailure(error, "Please try again.")}
      {error instanceof ApiError && waitText(error)} {refusal}
    </Banner>
  );
}
