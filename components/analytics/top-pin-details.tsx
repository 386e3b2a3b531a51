"use client";

import { useEffect } from "react";
import { PinDetails } from "#components/pins/pin-details.tsx";
import { pinsPath } from "#components/pins/pin-list.ts";
import { usePinActions } from "#components/pins/use-pin-actions.ts";
import { useSelection } from "#components/pins/use-selection.ts";
import { showToast } from "#components/ui/toaster.tsx";
import { api } from "#lib/client/api.ts";
import { useApiQuery } from "#lib/client/use-api-query.ts";
import type { PinsWire } from "#lib/features/pins/schema.ts";

const NO_ROWS = new Map<never, never>();
const NO_POSTS: readonly never[] = [];
const OPEN_FAILED = "We couldn't open this pin. Please try again.";

const noop = (): void => {};

type TopPinDetailsProps = {
  account: { id: string; username: string };
  pinId: string;
  timeZone: string;
  onClose: () => void;
};

/** The Pin Details dialog for a pin published here, as on Generated Posts. */
export default function TopPinDetails({ account, pinId, timeZone, onClose }: TopPinDetailsProps) {
  const path = pinsPath(account.id, {}, { ids: pinId });
  const { data, error, isLoading, reload } = useApiQuery([path], (signal) => api.get<PinsWire>(path, signal));
  const selection = useSelection({ accountId: account.id, pins: NO_POSTS, rows: NO_ROWS, onFull: noop });
  const actions = usePinActions({ selection, timeZone, reload });
  const pin = data?.posts.find(({ id }) => id === pinId) ?? null;
  const isMissing = error !== null || (!isLoading && pin === null);
  useEffect(() => {
    if (!isMissing) return;
    showToast(OPEN_FAILED);
    onClose();
  }, [isMissing, onClose]);
  if (pin === null) return null;
  return (
    <PinDetails isOpen pin={pin} username={account.username} timeZone={timeZone} actions={actions} onClose={onClose} />
  );
}
