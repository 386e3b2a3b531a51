"use client";

import CreditCard from "lucide-react/icons/credit-card";
import Lock from "lucide-react/icons/lock";
import Zap from "lucide-react/icons/zap";
import Link from "next/link";
import { type ReactNode, useId } from "react";
import { useCredits } from "#components/credits/credits.tsx";
import { PageHeader } from "#components/shared/page-header.tsx";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { Chip } from "#components/ui/chip.tsx";
import { cn } from "#components/ui/cn.ts";
import { formatDollarsAndCents, formatDollarsAndTenths } from "#lib/core/money.ts";
import { formatCount } from "#lib/core/text.ts";
import { BUY_TEXTS, includedText } from "#lib/features/billing/constants.ts";
import { PACK_CREDITS, type PackCredits, PLANS, type PlanSlug, POPULAR_PACK } from "#lib/features/billing/plans.ts";
import { COST_CREDITS, TEXTS } from "#lib/features/credits/constants.ts";
import { toCreditsView } from "#lib/features/credits/policy.ts";
import { type BuyCreditsData, useBuyCredits } from "./use-buy-credits.ts";

function BuyQuestions() {
  return (
    <section
      className={cn(
        "grid grid-cols-3 gap-y-6 gap-x-10 mt-15 pt-6 border-t border-line-2 max-md:grid-cols-1",
        "[&_h3]:mb-2 [&_h3]:font-display [&_h3]:text-[1.1875rem]/[1.25] [&_h3]:font-[450]",
        "[&_h3]:tracking-[-0.014em] [&_h3]:text-balance [&_p]:text-sm/[1.55] [&_p]:text-ink-2",
      )}
      aria-label="Questions"
    >
      <div>
        <h3>What are credits used for?</h3>
        <p>
          Credits are used when generating pins: {COST_CREDITS.high} for a high-quality pin, {COST_CREDITS.standard} for
          a standard one. Failed pins cost nothing.
        </p>
      </div>
      <div>
        <h3>Do credits expire?</h3>
        <p>No, purchased credits do not expire. Your plan's credits are used first.</p>
      </div>
      <div>
        <h3>Can I get a refund?</h3>
        <p>
          There are no refunds for purchased credits. Subscription fees are covered by our{" "}
          <Link className="link" href="/refund-policy">
            refund policy
          </Link>
          .
        </p>
      </div>
    </section>
  );
}

const CREDITS_PER_DOT = 50;

/** Shows the size of a pack, one dot per 50 credits. */
function Dots({ credits }: { credits: PackCredits }) {
  const dots = Array.from({ length: credits / CREDITS_PER_DOT }, (_, dot) => dot);
  return (
    <>
      {dots.map((dot) => (
        <i key={dot} />
      ))}
    </>
  );
}

type PackChoiceProps = {
  plan: PlanSlug;
  value: PackCredits | null;
  onChange: (pack: PackCredits) => void;
  isLocked: boolean;
};

/** A real radio group, so that arrow keys work without code. */
function PackChoice({ plan, value, onChange, isLocked }: PackChoiceProps) {
  const name = useId();
  return (
    <fieldset className="group/pack-choice min-w-0" disabled={isLocked}>
      <legend className="sr-only">Credit packages</legend>
      {PACK_CREDITS.map((credits) => (
        <label
          key={credits}
          data-slot="pack-row"
          className={cn(
            "group",
            "relative grid grid-cols-[22px_96px_minmax(0,1fr)_auto] gap-4.5 items-center min-h-17.5 -mx-4",
            "px-4 cursor-pointer border-b border-line",
            "[&:first-of-type]:border-t [&:first-of-type]:border-line-2 hover:bg-hover",
            "has-checked:z-1 has-checked:rounded-[12px] has-checked:bg-accent-tint",
            "has-checked:shadow-[inset_0_0_0_1.5px_var(--accent)] has-checked:border-transparent",
            "has-focus-visible:z-2 has-focus-visible:rounded-[12px] has-focus-visible:outline-[2.5px]",
            "has-focus-visible:outline-solid has-focus-visible:outline-focus",
            "has-focus-visible:outline-offset-3 group-disabled/pack-choice:cursor-not-allowed",
            "max-md:grid-cols-[22px_auto_minmax(0,1fr)_auto] max-md:gap-3 max-md:min-h-14.5",
          )}
        >
          <input
            type="radio"
            className={cn(
              "size-5 appearance-none rounded-full outline-none bg-surface border-[1.5px] border-control",
              "checked:bg-on-accent checked:border-6 checked:border-accent",
            )}
            name={name}
            value={credits}
            checked={credits === value}
            onChange={() => onChange(credits)}
          />
          <span className="pt-1 font-display text-[1.75rem]/none font-[380] tracking-[-0.025em] lining-nums tabular-nums">
            {formatCount(credits)}
            <span className="sr-only"> credits</span>
          </span>
          <span
            className={cn(
              "flex flex-wrap gap-y-1.5 gap-x-3.5 items-center",
              "[&>[aria-hidden]]:flex [&>[aria-hidden]]:flex-wrap [&>[aria-hidden]]:gap-[5px]",
              "[&>[aria-hidden]]:max-w-96.5 [&_i]:size-2 [&_i]:rounded-full [&_i]:bg-growing group-has-checked:[&_i]:bg-accent",
              "max-md:[&>[aria-hidden]]:hidden",
            )}
          >
            <span aria-hidden="true">
              <Dots credits={credits} />
            </span>
            {credits === POPULAR_PACK && <Chip tone="published">Popular</Chip>}
          </span>
          <span className="text-[1.0625rem] font-[550] text-right num">
            {formatDollarsAndCents(PLANS[plan].extraCreditTenthsOfCent * credits)}
          </span>
        </label>
      ))}
      <p className="mt-3.5 text-xs text-ink-3">
        <span className="max-md:hidden">Each dot is {CREDITS_PER_DOT} credits, enough for</span>
        <span className="md:hidden">{CREDITS_PER_DOT} credits are enough for</span>{" "}
        {CREDITS_PER_DOT / COST_CREDITS.high} high-quality pins or {CREDITS_PER_DOT / COST_CREDITS.standard} standard
        ones.
      </p>
    </fieldset>
  );
}

const TRUST_ICONS = [Lock, Zap, CreditCard] as const;

type PurchaseSummaryProps = {
  plan: PlanSlug;
  pack: PackCredits | null;
  availableCredits: number;
  includedCredits: number | null;
  isProcessing: boolean;
  onBuy: () => void;
  /** The result of the purchase, below the button so that the button does not move. */
  children?: ReactNode;
};

function Lines({ plan, pack, availableCredits }: Pick<PurchaseSummaryProps, "plan" | "pack" | "availableCredits">) {
  const perCredit = PLANS[plan].extraCreditTenthsOfCent;
  const lines = [
    { label: "Credits", value: pack === null ? "–" : formatCount(pack) },
    { label: "Per credit", value: formatDollarsAndTenths(perCredit) },
    { label: "Discount", value: "0%" },
    { label: "New balance", value: formatCount(availableCredits + (pack ?? 0)) },
  ];
  return (
    <dl
      className={cn(
        "mt-4 mb-1 mx-0 text-ui",
        "[&>div]:flex [&>div]:justify-between [&>div]:py-[9px] [&>div]:px-0 [&>div]:border-t",
        "[&>div]:border-line [&_dt]:text-ink-2 num",
      )}
    >
      {lines.map(({ label, value }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
      <div
        className={cn(
          "items-baseline mt-2 pt-3.5 border-ink",
          "[&_dd]:font-display [&_dd]:text-[2.375rem]/none [&_dd]:font-[360] [&_dd]:tracking-[-0.035em]",
          "[&_dd]:lining-nums",
        )}
      >
        <dt>Total</dt>
        <dd>{formatDollarsAndCents(perCredit * (pack ?? 0))}</dd>
      </div>
    </dl>
  );
}

function PurchaseSummary(props: PurchaseSummaryProps) {
  const { plan, pack, availableCredits, includedCredits, isProcessing, onBuy, children } = props;
  return (
    <aside
      className="rounded-card bg-surface shadow-card sticky top-6 pt-6.5 pb-5.5 px-6.5 max-[80rem]:static"
      aria-label="Your purchase"
    >
      <h2 className="title-3">Your purchase</h2>
      <Lines plan={plan} pack={pack} availableCredits={availableCredits} />
      <Button
        variant="primary"
        size="lg"
        className="mt-3.5 w-full"
        isBusy={isProcessing}
        busyLabel={BUY_TEXTS.processing}
        onClick={onBuy}
      >
        {BUY_TEXTS.purchase}
      </Button>
      {children}
      <p className="mt-2.5 text-xs text-ink-3">You'll see taxes and your local currency before you pay.</p>
      <ul
        className={cn(
          "grid gap-2.5 mt-4.5 text-sm text-ink-2 [&>li]:flex [&>li]:gap-[9px] [&>li]:items-center",
          "[&_svg]:size-4 [&_svg]:text-accent-ink",
        )}
      >
        {BUY_TEXTS.trust.map((text, index) => {
          const Icon = TRUST_ICONS[index] ?? Lock;
          return (
            <li key={text}>
              <Icon aria-hidden="true" />
              {text}
            </li>
          );
        })}
      </ul>
      {includedCredits !== null && (
        <p className="mt-4 pt-3.5 text-xs text-ink-3 border-t border-line">{includedText(includedCredits)}</p>
      )}
    </aside>
  );
}

function Balance({ plan, availableCredits }: { plan: PlanSlug; availableCredits: number }) {
  const { low, label } = toCreditsView(availableCredits);
  const facts = [
    { label: "Plan", value: PLANS[plan].name },
    { label: "Price per credit", value: formatDollarsAndTenths(PLANS[plan].extraCreditTenthsOfCent) },
  ];
  return (
    <dl
      className={cn(
        "flex flex-wrap gap-y-5.5 gap-x-8.5 items-end pt-4.5 pb-6.5 [&_dt]:text-sm [&_dt]:text-ink-3",
        "[&_dd]:text-ui [&_dd]:font-semibold num",
      )}
    >
      <div>
        <dt>Available credits</dt>
        <dd className={cn("flex gap-3.5 items-end mt-3.5", low && "text-low-ink")}>
          <span
            className="font-display text-[6rem]/[0.8] font-[320] tracking-[-0.05em] lining-nums max-md:text-[4.5rem]"
            data-testid="buy-balance"
          >
            {formatCount(availableCredits)}
          </span>{" "}
          <span>{label}</span>
        </dd>
      </div>
      {facts.map(({ label, value }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The Buy Credits screen. */
export function BuyCreditsScreen({ initial }: { initial: BuyCreditsData }) {
  const { availableCredits, isAllowanceTaken } = useCredits();
  const { plan, includedCredits, pack, choosePack, isProcessing, error, message, buy } = useBuyCredits(initial);
  const { text: lowText } = toCreditsView(availableCredits);
  return (
    <>
      <PageHeader title={BUY_TEXTS.title}>Extra credits at your plan's price. They never expire.</PageHeader>
      <div className="grid grid-cols-[minmax(0,1fr)_336px] gap-y-8 gap-x-11 items-start max-[80rem]:grid-cols-1">
        <div className="min-w-0">
          <Balance plan={plan} availableCredits={availableCredits} />
          {lowText !== null && message?.tone !== "success" && (
            <Banner tone="low" className="mb-6">
              {lowText}
            </Banner>
          )}
          {isAllowanceTaken && plan === "free" && <Banner className="mb-6">{TEXTS.allowanceTaken}</Banner>}
          <PackChoice plan={plan} value={pack} onChange={choosePack} isLocked={isProcessing} />
        </div>
        <PurchaseSummary
          plan={plan}
          pack={pack}
          availableCredits={availableCredits}
          includedCredits={includedCredits}
          isProcessing={isProcessing}
          onBuy={buy}
        >
          <div className="grid gap-2.5 not-empty:mt-3.5">
            {error !== null && (
              <Banner tone="failed" isAnnounced>
                {error}
              </Banner>
            )}
            {message && (
              <Banner tone={message.tone} isAnnounced>
                {message.text}
              </Banner>
            )}
          </div>
        </PurchaseSummary>
      </div>
      <BuyQuestions />
    </>
  );
}
