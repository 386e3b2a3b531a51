"use client";

import Check from "lucide-react/icons/check";
import TriangleAlert from "lucide-react/icons/triangle-alert";
import { createContext, type ReactNode, useContext, useMemo, useSyncExternalStore } from "react";
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
  /** The last documented call failed: the number is the one from before. */
  isStale: boolean;
  /** Asks again, after something was spent or came back. */
  reload: () => void;
};

const CreditsContext = createContext<Credits | undefined>(undefined);

type CreditsProviderProps = { initialCredits: number; children: ReactNode };

/**
 * The balance for the whole shell: painted from the server's number, then read by the documented call
 * `GET /api/users/credits/` on load and on every `reload()` (R-CRED-01), and then as the live stream tells it.
 */
export function CreditsProvider({ initialCredits, children }: CreditsProviderProps) {
  // Without a stored token the auth check leads away from here; there is nothing to ask for.
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
  const credits = useMemo(() => ({ availableCredits, isStale, reload }), [availableCredits, isStale, reload]);
  return <CreditsContext value={credits}>{children}</CreditsContext>;
}

/** The balance, and how to read it again. */
export function useCredits(): Credits {
  const credits = useContext(CreditsContext);
  if (!credits) throw new Error("useCredits needs a CreditsProvider above it");
  return credits;
}

/** The balance in the sidebar: amber, 'Low' and a sentence under ten, else 'Available' (R-CRED-02, R-CRED-03, R-NAV-06, R-NAV-07). */
export function CreditPanel({ planName }: { planName: string }) {
  const { availableCredits, isStale } = useCredits();
  const view = toCreditsView(availableCredits);
  const Icon = view.low ? TriangleAlert : Check;
  return (
    <section
      className={cn("credit-panel", view.low && "credit-panel-low")}
      aria-label="Credits"
      data-testid="credit-panel"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: on the rail the focus shows the sentence, as hovering does
      tabIndex={0}
    >
      <div className="credit-head">
        <span className="credit-number num">{formatCount(availableCredits)}</span>
        <Chip tone={view.low ? "low" : "published"} icon={<Icon aria-hidden="true" />} className="credit-chip">
          {view.label}
        </Chip>
      </div>
      <p className="credit-words">
        {view.text ?? `${planName} plan`}
        {isStale && <span className="mt-1 block">The balance could not be read again just now.</span>}
      </p>
      <LinkButton href="/app/buy-credits" size="sm" className="credit-buy">
        {TEXTS.buyMore}
      </LinkButton>
    </section>
  );
}

/** The same in the top bar of small screens. */
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
