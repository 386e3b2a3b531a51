"use client";

import { useConnect } from "#components/accounts/use-connect.ts";
import { useReturnFocus } from "#components/shared/use-return-focus.ts";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { ApiError, describeFailure } from "#lib/client/api.ts";

/** The account must be reconnected. */
const CONFLICT = 409;
/** Pinterest denies access; retrying does not help. */
const REFUSED = 422;
const TOO_MANY = 429;

type KeywordsErrorProps = {
  /** What failed to load, as the start of a sentence: 'The trends'. */
  what: string;
  accountId: string;
  error: unknown;
  /** The element that gets the focus after a successful retry. */
  focusId: string;
  isRetrying: boolean;
  onRetry: () => void;
};

/** Why something of Pinterest's failed to load, and what the user can do. */
export function KeywordsError({ what, accountId, error, focusId, isRetrying, onRetry }: KeywordsErrorProps) {
  const { isBusy, refusal, connect } = useConnect();
  const focusBack = useReturnFocus(focusId);
  const status = error instanceof ApiError ? error.status : 0;
  const why = describeFailure(error, "We couldn’t reach the server. Please try again.");
  if (status === REFUSED) return <Banner isAnnounced>{why}</Banner>;
  if (status === CONFLICT) {
    const reconnect = (
      <Button size="sm" isBusy={isBusy} onClick={() => void connect(accountId)}>
        Reconnect
      </Button>
    );
    return (
      <Banner tone="low" isAnnounced action={reconnect}>
        {why} {refusal}
      </Banner>
    );
  }
  const again = (
    <Button size="sm" ref={focusBack} isBusy={isRetrying} onClick={onRetry}>
      Try again<span className="sr-only">: {what}</span>
    </Button>
  );
  return (
    <Banner tone={status === TOO_MANY ? "low" : "failed"} isAnnounced action={again}>
      {status !== TOO_MANY && `${what} couldn’t be loaded. `}
      {why}
    </Banner>
  );
}
