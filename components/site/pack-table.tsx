import { Chip } from "#components/ui/chip.tsx";
import { formatDollarsAndCents } from "#lib/core/money.ts";
import { formatCount } from "#lib/core/numbers.ts";
import { PACK_CREDITS, PLAN_CARDS, POPULAR_PACK } from "#lib/features/billing/constants.ts";
import { PLANS } from "#lib/features/identity/constants.ts";

/** What a pack of credits costs on each plan (R-CONST-06, R-CONST-07): price of one credit times credits. */
export function PackTable() {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: on phones the table scrolls sideways and must be reachable by key
    <section className="table-scroll" tabIndex={0} aria-label="Packs of credits">
      <table className="words-table num">
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
                {credits === POPULAR_PACK && <Chip className="pack-popular">Popular</Chip>}
              </th>
              {PLAN_CARDS.map(({ id }) => (
                <td key={id}>{formatDollarsAndCents(PLANS[id].extraCreditTenthsOfCent * credits)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
