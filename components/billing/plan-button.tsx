import Check from "lucide-react/icons/check";
import { usePathname } from "next/navigation";
import { type PlanAction, plainLabelOf, planActionOf } from "#components/billing/plan-state.ts";
import type { DeskView } from "#components/billing/pricing-desk.tsx";
import { browserTimeZone } from "#components/shell/time-zone-cookie.tsx";
import { Button } from "#components/ui/button.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";
import type { PlanSlug } from "#lib/features/identity/constants.ts";

type SignedInProps = {
  plan: PlanSlug;
  action: PlanAction | null;
  isProcessing: boolean;
  isSettling: boolean;
  onPress: () => void;
};

function SignedIn({ plan, action, isProcessing, isSettling, onPress }: SignedInProps) {
  if (action?.kind === "current" || action?.kind === "next") {
    return (
      <p className="plan-mine session-stored">
        {action.kind === "current" && <Check aria-hidden="true" />}
        {action.label}
      </p>
    );
  }
  if (action?.kind === "end") {
    return (
      <LinkButton href="/app/settings#plan" className="session-stored">
        {action.label}
      </LinkButton>
    );
  }
  // What may be paid already is not sold again.
  if (isSettling && plan !== "free") return <p className="plan-mine session-stored">Payment under way</p>;
  // Before it is known who looks, the free plan offers nothing to press: they have it, or more.
  if (plan === "free") return <p className="plan-mine session-stored">Included</p>;
  return (
    <Button className="session-stored" isBusy={isProcessing} busyLabel="Processing..." onClick={onPress}>
      {action?.label ?? plainLabelOf(plan)}
    </Button>
  );
}

type PlanButtonProps = { plan: PlanSlug; view: DeskView | null; isWaiting: boolean; onPress: () => void };

/**
 * What can be done about a plan. Both ways stand in the page, which is the same for everybody; the root's `data-session`
 * decides before the first paint which of them shows. A visitor goes to the login, and back here (A-05, R-PRICE-02,
 * R-ROLE-06).
 */
export function PlanButton({ plan, view, isWaiting, onPress }: PlanButtonProps) {
  const path = usePathname();
  const subscription = view?.subscription;
  const action = subscription ? planActionOf(plan, subscription, browserTimeZone()) : null;
  return (
    <div className="plan-action">
      <LinkButton
        href={plan === "free" ? "/register" : `/login?next=${encodeURIComponent(path)}`}
        variant={plan === "free" ? "primary" : "secondary"}
        className="session-none"
      >
        {plainLabelOf(plan)}
      </LinkButton>
      <SignedIn
        plan={plan}
        action={action}
        isProcessing={isWaiting || view?.processing === plan}
        isSettling={view?.isSettling ?? false}
        onPress={onPress}
      />
    </div>
  );
}
