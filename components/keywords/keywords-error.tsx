"use client";

import { CONFLICT, REFUSED, type RecoveryProps, useRecovery } from "#components/accounts/use-recovery.tsx";
import { Banner, type BannerTone } from "#components/ui/banner.tsx";
import { describeFailure } from "#lib/client/api.ts";

const TOO_MANY = 429;

/** Their sentences say all that there is to say. */
const TONES: Record<number, BannerTone | undefined> = { [CONFLICT]: "low", [REFUSED]: "plain", [TOO_MANY]: "low" };

/** Why something of Pinterest's failed to load, and what the user can do. */
export function KeywordsError(props: RecoveryProps) {
  const { status, refusal, action } = useRecovery(props);
  const tone = TONES[status];
  return (
    <Banner tone={tone ?? "failed"} isAnnounced action={action}>
      {!tone && `${props.what} couldn't be loaded. `}
      {describeFailure(props.error, "We couldn't reach the server. Please try again.")} {refusal}
    </Banner>
  );
}
