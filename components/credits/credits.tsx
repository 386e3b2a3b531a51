"use client";

import Check from "lucide-react/icons/check";
import TriangleAlert from "lucide-react/icons/triangle-alert";
import { createContext, type ReactNode, useContext, useMemo, useSyncExternalStore } from "react";
import { SIDEBAR_LABEL } from "#components/shared/sidebar-item.ts";
import { Chip } from "#components/ui/chip.tsx";
import { cn } from "#components/ui/cn.ts";
import { LinkButton } from "#components/ui/link-button.tsx";
import { api } from "#lib/client/api.ts";
import { getToken, onTokenChange } from "#lib/client/browser-storage.ts";
import { queryKeys } from "#lib/client/query-keys.ts";
import { useApiQuery } from "#lib/client/use-api-query.ts";
import { formatCount } from "#lib/core/text.ts";
import { TEXTS } from "#lib/features/credits/constants.ts";
import { toCreditsView } from "#lib/features/credits/policy.ts";

type Credits = {
  availableCredits: number;
  /** The last refresh failed, so the number may be outdated. */
  isStale: boolean;
  /** Another user gets this month's free credits for the same Pinterest account. */
  isAllowanceTaken: boolean;
  /** Reads the balance again after credits were spent or returned. */
  reload: () => void;
};

const CreditsContext = createContext<Credits | undefined>(undefined);

type CreditsProviderProps = { initialCredits: number; isAllowanceTaken?: boolean; children: ReactNode };

/**
 * The balance for all signed-in screens: server-rendered first, then read on load and on `reload()`, then updated by
 * the event stream.
 */
export function CreditsProvider({ initialCredits, isAllowanceTaken = false, children }: CreditsProviderProps) {
  // Without a token the user is redirected anyway, so nothing is requested.
  const isSignedIn = useSyncExternalStore(
    onTokenChange,
    () => getToken() !== null,
    () => false,
  );
  const { data, error, reload } = useApiQuery(
    isSignedIn ? queryKeys.credits : null,
    async (signal) => (await api.get<{ available_credits: number }>("/api/users/credits/", signal)).available_credits,
  );
  const availableCredits = data ?? initialCredits;
  const isStale = error !== null;
  const credits = useMemo(
    () => ({ availableCredits, isStale, isAllowanceTaken, reload }),
    [availableCredits, isStale, isAllowanceTaken, reload],
  );
  return <CreditsContext value={credits}>{children}</CreditsContext>;
}

/** The balance and how to reload it. */
export function useCredits(): Credits {
  const credits = useContext(CreditsContext);
  if (!credits) throw new Error("useCredits needs a CreditsProvider above it");
  return credits;
}

/** The balance in the sidebar, with a warning when credits are low. */
export function CreditPanel({ planName }: { planName: string }) {
  const { availableCredits, isStale, isAllowanceTaken } = useCredits();
  const view = toCreditsView(availableCredits);
  const Icon = view.low ? TriangleAlert : Check;
  return (
    <section
      className={cn(
        "group/side rounded-[12px] px-3.5 pt-[13px] pb-3",
        view.low ? "bg-low-tint shadow-[inset_0_0_0_1px_var(--low-line)]" : "bg-surface shadow-card",
        "md:max-xl:relative md:max-xl:grid md:max-xl:w-12 md:max-xl:justify-items-center md:max-xl:px-0 md:max-xl:py-2.5",
      )}
      aria-label="Credits"
      data-testid="credit-panel"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: on the rail the focus shows the sentence, as hovering does
      tabIndex={0}
    >
      <div
        className={cn(
          "flex items-center justify-between gap-2",
          "md:max-xl:grid md:max-xl:justify-items-center md:max-xl:gap-[5px]",
        )}
      >
        <span
          data-slot="credit-number"
          className={cn(
            "font-display text-[2rem]/none font-[380] tracking-[-0.03em] md:max-xl:text-[1.1875rem] num",
            view.low && "text-low-ink",
          )}
        >
          {formatCount(availableCredits)}
        </span>
        <Chip
          tone={view.low ? "low" : "published"}
          icon={<Icon aria-hidden="true" />}
          className={cn(
            "md:max-xl:h-[18px] md:max-xl:border-0 md:max-xl:bg-transparent md:max-xl:px-1 md:max-xl:text-[0.625rem]",
            "md:max-xl:[&>svg]:hidden",
          )}
        >
          {view.label}
        </Chip>
      </div>
      <p className={cn("mt-1.5 text-xs/[1.45]", view.low ? "text-low-ink" : "text-ink-2", SIDEBAR_LABEL)}>
        {view.text ?? `${planName} plan`}
        {isAllowanceTaken && <span className="mt-1 block">{TEXTS.allowanceTaken}</span>}
        {isStale && <span className="mt-1 block">We couldn't refresh your balance.</span>}
      </p>
      <LinkButton href="/app/buy-credits" size="sm" className="mt-2.5 w-full md:max-xl:hidden">
        {TEXTS.buyMore}
      </LinkButton>
    </section>
  );
}

/** Beside a warning that credits are low. */
export const BuyCreditsLink = () => (
  <LinkButton href="/app/buy-credits" size="sm">
    {TEXTS.buyMore}
  </LinkButton>
);

/** The balance in the top bar of small screens. */
export function CreditChip() {
  const { availableCredits } = useCredits();
  const { low, label } = toCreditsView(availableCredits);
  return (
    <Chip tone={low ? "low" : "plain"} className="num">
      {low && <TriangleAlert aria-hidden="true" />}
      <span>
        {formatCount(availableCredits)}
        <span className="sr-only"> credits, {label}</span>
        <span aria-hidden="true"> credits</span>
      </span>
    </Chip>
  );
}
