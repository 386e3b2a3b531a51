"use client";

import { useEffect, useEffectEvent } from "react";
import { PinDetails } from "#components/pins/pin-details.tsx";
import { usePinActions } from "#components/pins/use-pin-actions.ts";
import type { Selection } from "#components/pins/use-selection.ts";
import { useNotice } from "#components/ui/notice.tsx";
import { useStableCallback } from "#components/ui/use-stable-callback.ts";
import { actionValue } from "#lib/client/api.ts";
import { useLiveRows } from "#lib/client/live-cache.ts";
import { queryKeys } from "#lib/client/query-keys.ts";
import { useApiQuery } from "#lib/client/use-api-query.ts";
import { readPinAction } from "#lib/features/pins/actions.ts";
import { TEXTS } from "#lib/features/pins/constants.ts";
import type { PinWire } from "#lib/features/pins/schema.ts";

const NO_SELECTION: Selection = {
  ...{ ids: [], pins: [], positionOf: () => undefined, toggle: () => {}, add: () => {}, clear: () => {} },
  ...{ remove: () => {}, restore: () => {} },
};

type DetailsProps = { pinId: string | null; username: string; zone: string; reload: () => void; onClose: () => void };

/** The details of a pin, which the calendar knows only in brief. */
export function OpenedPin({ pinId, username, zone, reload, onClose }: DetailsProps) {
  const row = useLiveRows<PinWire>(queryKeys.pinRows).get(pinId ?? "");
  const notice = useNotice();
  const {
    data,
    error,
    reload: reloadPin,
  } = useApiQuery(pinId ? [...queryKeys.calendar, "pin", pinId] : null, () =>
    actionValue(readPinAction({ pinId: pinId ?? "" })),
  );
  const reloadAll = useStableCallback(() => {
    reload();
    void reloadPin();
  });
  const actions = usePinActions({ selection: NO_SELECTION, timeZone: zone, reload: reloadAll });
  const showError = useEffectEvent(() => {
    notice.error(error instanceof Error ? error.message : TEXTS.loadFailed);
    onClose();
  });
  const hasFailed = error !== null;
  useEffect(() => {
    if (hasFailed) showError();
  }, [hasFailed]);
  const pin = (data && row?.value) ?? data?.post ?? null;
  return (
    <PinDetails
      isOpen={pinId !== null && pin !== null}
      pin={pin}
      username={username}
      timeZone={zone}
      actions={actions}
      onClose={onClose}
    />
  );
}
