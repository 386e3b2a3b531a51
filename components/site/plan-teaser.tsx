import Link from "next/link";
import { ContentTable, SectionHeader } from "#components/site/page-parts.tsx";
import { Chip } from "#components/ui/chip.tsx";
import { cn } from "#components/ui/cn.ts";
import { LinkButton } from "#components/ui/link-button.tsx";
import { formatDollars, formatDollarsAndCents } from "#lib/core/money.ts";
import { formatCount } from "#lib/core/text.ts";
import { PACK_CREDITS, PLAN_CARDS, PLANS, type PlanCard, POPULAR_PACK } from "#lib/features/billing/plans.ts";
import { COST_CREDITS } from "#lib/features/credits/constants.ts";

const columnsClass = cn(
  "grid grid-cols-4 gap-y-9 gap-x-[clamp(24px,3.4vw,48px)] mt-[clamp(28px,3.4vw,44px)] pt-7 border-t",
  "border-line-2 max-xl:grid-cols-[1fr_1fr] max-sm:grid-cols-1 max-sm:gap-6",
  "[&_p]:mt-2 [&_p]:text-ui/[1.55] [&_p]:text-ink-2 [&_p]:text-pretty",
);

type FeatureColumnsProps = {
  entries: readonly { title: string; text: string }[];
  /** Numbers the columns, for steps. */
  isNumbered?: boolean;
};

/** Short texts in up to four columns. */
export function FeatureColumns({ entries, isNumbered = false }: FeatureColumnsProps) {
  const List = isNumbered ? "ol" : "ul";
  return (
    <List
      className={
        isNumbered
          ? cn(
              columnsClass,
              "[counter-reset:step] [&>li]:before:[counter-increment:step] [&>li]:before:content-[counter(step)] [&>li]:before:block [&>li]:before:mb-2 [&>li]:before:font-display [&>li]:before:text-[2rem]/none [&>li]:before:font-[340] [&>li]:before:text-accent-ink",
            )
          : columnsClass
      }
    >
      {entries.map(({ title, text }) => (
        <li key={title}>
          <h3 className="title-3">{title}</h3>
          <p>{text}</p>
        </li>
      ))}
    </List>
  );
}

/** The price of each credit pack on each plan. */
export function PackTable() {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: on phones the table scrolls sideways and must be reachable by key
    <section className="overflow-x-auto" tabIndex={0} aria-label="Credit packs">
      <ContentTable isNumeric>
        <thead>
          <tr>
            <th scope="col">Credits</th>
            {PLAN_CARDS.map(({ id, name }) => (
              <th key={id} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {PACK_CREDITS.map((credits) => (
            <tr key={credits}>
              <th scope="row">
                {formatCount(credits)}
                {credits === POPULAR_PACK && (
                  <Chip className="ml-2.5 max-sm:flex max-sm:w-fit max-sm:mt-1 max-sm:mb-0 max-sm:mx-0">Popular</Chip>
                )}
              </th>
              {PLAN_CARDS.map(({ id }) => (
                <td key={id}>{formatDollarsAndCents(PLANS[id].extraCreditTenthsOfCent * credits)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </ContentTable>
    </section>
  );
}

/** Links to register for the free plan, or to the pricing page. */
function PlanLink({ plan }: { plan: PlanCard }) {
  if (plan.priceTenthsOfCent === 0)
    return (
      <LinkButton href="/register" className="w-full">
        Start free
      </LinkButton>
    );
  return (
    <LinkButton href="/pricing" className="w-full">
      Choose {plan.name}
    </LinkButton>
  );
}

/** The four plans side by side. */
export function PlanTeaser() {
  return (
    <section id="plans" className={cn("site-width", "pt-[clamp(72px,10vw,148px)]")} aria-labelledby="plans-title">
      <SectionHeader>
        <h2 id="plans-title" className="display text-d2">
          One credit, one pin
        </h2>
        <p className="lead">
          A standard pin costs {COST_CREDITS.standard} credit, and a high-quality pin costs {COST_CREDITS.high}. Credits
          for failed pins are returned automatically.
        </p>
      </SectionHeader>
      <ul
        className={cn(
          "grid grid-cols-4 border-t border-t-line-2 border-b border-b-line-2 max-lg:grid-cols-[1fr_1fr]",
          "max-[35.0625rem]:grid-cols-[1fr]",
        )}
      >
        {PLAN_CARDS.map((plan) => (
          <li
            key={plan.id}
            className={cn(
              "grid grid-rows-[auto_auto_1fr_auto] gap-2.5 border-line px-7 pt-6.5 pb-7.5 not-first:border-l first:pl-0 last:pr-0",
              "max-lg:[&:nth-child(n)]:px-6 max-lg:[&:nth-child(odd)]:border-l-0 max-lg:[&:nth-child(odd)]:pl-0",
              "max-lg:[&:nth-child(even)]:pr-0 max-lg:nth-[n+3]:border-t max-[35.0625rem]:[&:nth-child(n)]:border-l-0",
              "max-[35.0625rem]:[&:nth-child(n)]:px-0 max-[35.0625rem]:not-first:border-t",
            )}
          >
            <h3 className="text-ui font-semibold">{plan.name}</h3>
            <p
              className={cn(
                "font-display text-[3.25rem]/none font-[340] tracking-[-0.03em]",
                "[&>small]:font-sans [&>small]:text-sm/none [&>small]:font-normal [&>small]:tracking-[0]",
                "[&>small]:text-ink-3 num",
              )}
            >
              {formatDollars(plan.priceTenthsOfCent)} <small>per month</small>
            </p>
            <ul className="grid content-start gap-[5px] pt-2.5 pb-4.5 text-sm text-ink-2">
              {plan.features.map((feature) => (
                <li key={feature}>{feature}</li>
              ))}
            </ul>
            <PlanLink plan={plan} />
          </li>
        ))}
      </ul>
      <p className="mt-8 text-sm text-ink-2">
        <Link className="link" href="/pricing">
          See pricing
        </Link>
      </p>
    </section>
  );
}
