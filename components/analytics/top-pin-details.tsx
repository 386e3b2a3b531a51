"use client";

import { useEffect } from "react";
import { PinDetails } from "#components/pins/pin-details.tsx";
import { usePinActions } from "#components/pins/use-pin-actions.ts";
import { useSelection } from "#components/pins/use-selection.ts";
import { postsPath } from "#components/pins/wall-list.ts";
import { showToast } from "#components/ui/toaster.tsx";
import { api } from "#lib/client/api.ts";
import { useApiQuery } from "#lib/client/use-api-query.ts";
import type { PostsWire } from "#lib/features/pins/schema.ts";

const NO_ROWS = new Map<never, never>();
const NO_POSTS: readonly never[] = [];
const GONE = "This pin could not be opened. Please try again.";

const never = (): void => {};

type TopPinDetailsProps = {
  account: { id: string; username: string };
  pinId: string;
  timeZone: string;
  onClose: () => void;
};

/** Pin Details of a pin of ours, as Generated Posts opens them (R-POST-07). */
export default function TopPinDetails({ account, pinId, timeZone, onClose }: TopPinDetailsProps) {
  const path = postsPath(account.id, {}, { ids: pinId });
  const { data, error, isLoading, reload } = useApiQuery([path], (signal) => api.get<PostsWire>(path, signal));
  const selection = useSelection({ accountId: account.id, posts: NO_POSTS, rows: NO_ROWS, onFull: never });
  const actions = usePinActions({ selection, timeZone, reload });
  const post = data?.posts.find(({ id }) => id === pinId) ?? null;
  const isGone = error !== null || (!isLoading && post === null);
  useEffect(() => {
    if (!isGone) return;
    showToast(GONE);
    onClose();
  }, [isGone, onClose]);
  if (post === null) return null;
  return (
    <PinDetails
      isOpen
      post={post}
      username={account.username}
      timeZone={timeZone}
      actions={actions}
      onClose={onClose}
    />
  );
}
