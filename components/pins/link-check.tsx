"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Banner, type BannerTone } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { useNotice } from "#components/ui/notice.tsx";
import { actionValue, callAction } from "#lib/client/api.ts";
import { useLiveRows } from "#lib/client/live-cache.ts";
import { setKnown } from "#lib/client/query-client.ts";
import { queryKeys } from "#lib/client/query-keys.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import { TEXTS } from "#lib/features/links/constants.ts";
import { hasLinkWarning } from "#lib/features/links/policy.ts";
import { readPinAction, recheckLinkAction } from "#lib/features/pins/actions.ts";
import type { PinWire } from "#lib/features/pins/schema.ts";

const POLL_MS = 5 * SECOND_MS;

const linkOf = ({ id, url }: PinWire): string => `${id} ${url}`;

/** Whether the user requested a check that has not ended yet. */
const isCheckPending = (pin: PinWire, requestedFor: string | null): boolean =>
  requestedFor === linkOf(pin) && pin.link_checking;

interface LinkStatus {
  pin: PinWire;
  isChecking: boolean;
  /** The user requested a check of the current link. */
  wasRequested: boolean;
  checkAgain: () => Promise<void>;
}

/**
 * The result of a pin's link check, and a way to check again. Follows the live stream, and polls while a requested
 * check is running.
 */
const useLinkCheck = (initialPin: PinWire): LinkStatus => {
  const notice = useNotice();
  const client = useQueryClient();
  const [requestedFor, setRequestedFor] = useState<string | null>(null);
  const [isSending, setSending] = useState(false);
  // A new prop is newer than all cached data about the previous one.
  const queryKey = [...queryKeys.pin(initialPin.id), initialPin];
  const { data: pin } = useQuery({
    queryKey,
    queryFn: async () => (await actionValue(readPinAction({ pinId: initialPin.id }))).post,
    initialData: initialPin,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnMount: false,
    refetchInterval: ({ state }) => (state.data && isCheckPending(state.data, requestedFor) ? POLL_MS : false),
  });
  const wasRequested = requestedFor === linkOf(pin);
  const isWaiting = isCheckPending(pin, requestedFor);
  const checkAgain = async () => {
    setSending(true);
    const answer = await callAction(recheckLinkAction({ pinId: initialPin.id }));
    setSending(false);
    if (!answer.ok) return notice.error(answer.text);
    setRequestedFor(linkOf(answer.value));
    setKnown(client, queryKey, answer.value);
  };
  return { pin, isChecking: isSending || isWaiting, wasRequested, checkAgain };
};

const toneOf = ({ link_state, link_warning }: PinWire, isChecking: boolean): BannerTone => {
  if (hasLinkWarning(link_state)) return "low";
  return link_warning === null && !isChecking ? "success" : "plain";
};

type LinkBannerProps = { tone: BannerTone; isChecking: boolean; onCheckAgain: () => void; children: ReactNode };

/** What was found out about a link, with a button to check it again. */
export function LinkBanner({ tone, isChecking, onCheckAgain, children }: LinkBannerProps) {
  return (
    <Banner
      tone={tone}
      action={
        <Button
          size="sm"
          isBusy={isChecking}
          busyLabel="Checking"
          onClick={onCheckAgain}
          className="shrink-0 max-md:min-h-11"
        >
          Check again
        </Button>
      }
    >
      {children}
    </Banner>
  );
}

/**
 * A pin's link warning with a button to check again. Without a warning it shows only after a requested check, so that
 * the button keeps the focus.
 */
export function LinkCheck({ pin: initialPin }: { pin: PinWire }) {
  const { pin, isChecking, wasRequested, checkAgain } = useLinkCheck(initialPin);
  const isShown = pin.url !== null && pin.status !== "published" && (pin.link_warning !== null || wasRequested);
  return (
    <div role="status" className="contents">
      {isShown && (
        <LinkBanner tone={toneOf(pin, isChecking)} isChecking={isChecking} onCheckAgain={checkAgain}>
          {pin.link_warning ?? (isChecking ? TEXTS.checking : TEXTS.ok)}
        </LinkBanner>
      )}
    </div>
  );
}

/** The cards show warnings of further links. */
const SHOWN_MAX = 5;

type Concern = { url: string; warning: string; pins: number };

/** One concern per link, with its number of pins. */
const concernsOf = (pins: readonly PinWire[]): Concern[] => {
  const found = new Map<string, Concern>();
  for (const { url, link_state, link_warning } of pins) {
    if (url === null || link_warning === null || !hasLinkWarning(link_state)) continue;
    found.set(url, { url, warning: link_warning, pins: (found.get(url)?.pins ?? 0) + 1 });
  }
  return [...found.values()];
};

/**
 * Warnings about links of pins that were just created, updated as checks end. Render it before the pins exist: a check
 * can end before the create request returns.
 */
export function CreatedLinks({ pins }: { pins: readonly PinWire[] }) {
  const rows = useLiveRows<PinWire>(queryKeys.pinRows);
  const currentPins = pins.flatMap((pin) => (rows.has(pin.id) ? (rows.get(pin.id)?.value ?? []) : pin));
  const concerns = concernsOf(currentPins);
  const hidden = concerns.length - SHOWN_MAX;
  return (
    <div role="status" className="contents">
      {concerns.length > 0 && (
        <Banner tone="low" className="mb-5">
          <p className="font-semibold">
            {concerns.length === 1 ? "Check this link" : `Check these ${concerns.length} links`} before publishing
          </p>
          <ul className="mt-1 grid gap-1">
            {concerns.slice(0, SHOWN_MAX).map(({ url, warning, pins }) => (
              <li key={url}>
                <span className="font-medium">{url}</span>
                {pins > 1 && ` (${pins} pins)`}: {warning}
              </li>
            ))}
          </ul>
          {hidden > 0 && (
            <p className="mt-1">And {hidden} more. You'll find the warnings on the drafts in Generated Posts.</p>
          )}
        </Banner>
      )}
    </div>
  );
}
