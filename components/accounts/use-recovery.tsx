import { useConnect } from "#components/accounts/use-connect.ts";
import { useReturnFocus } from "#components/shared/use-return-focus.ts";
import { Button } from "#components/ui/button.tsx";
import { ApiError } from "#lib/client/api.ts";

/** The account must be reconnected. */
export const CONFLICT = 409;
/** Pinterest denies access; retrying does not help. */
export const REFUSED = 422;

export type RecoveryProps = {
  /** What failed to load, as the start of a sentence: 'The top pins'. */
  what: string;
  accountId: string;
  error: unknown;
  /** The element that gets the focus after a successful retry. */
  focusId: string;
  isRetrying: boolean;
  onRetry: () => void;
};

/** What a user can do when something of Pinterest's failed to load: a button, or null when only waiting helps. */
export const useRecovery = ({ what, accountId, error, focusId, isRetrying, onRetry }: RecoveryProps) => {
  const { isBusy, refusal, connect } = useConnect();
  const focusBack = useReturnFocus(focusId);
  const status = error instanceof ApiError ? error.status : 0;
  if (status === REFUSED) return { status, refusal, action: null };
  const reconnect = (
    <Button size="sm" isBusy={isBusy} onClick={() => void connect(accountId)}>
      Reconnect
    </Button>
  );
  const again = (
    <Button size="sm" ref={focusBack} isBusy={isRetrying} onClick={onRetry}>
      Try again<span className="sr-only">: {what}</span>
    </Button>
  );
  return { status, refusal, action: status === CONFLICT ? reconnect : again };
};
