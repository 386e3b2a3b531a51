import LayoutGrid from "lucide-react/icons/layout-grid";
import RotateCw from "lucide-react/icons/rotate-cw";
import { Board, Tack } from "#components/shared/pin.tsx";
import { buttonClass } from "#components/ui/button-style.ts";
import { cn } from "#components/ui/cn.ts";
import { EMPTY_PIN, ERROR_LAYOUT } from "./site-style.ts";

/** The page for unknown URLs. */
export function NotFoundPage() {
  return (
    <section className={ERROR_LAYOUT}>
      <Board className="grid place-items-center h-140 max-lg:h-75" aria-hidden="true">
        <span className={EMPTY_PIN}>
          <span
            className={cn(
              "absolute left-1/2 -top-4.5 w-24 h-18.5 -ml-11.5 -rotate-5 bg-(--paper-0)",
              "[clip-path:polygon(_0_0,100%_2%,99%_30%,93%_41%,88%_44%,82%_58%,74%_57%,66%_66%,58%_64%,49%_84%,42%_88%,36%_77%,28%_79%,21%_68%,12%_63%,6%_47%_)]",
            )}
          />
          <Tack state="published" />
        </span>
      </Board>
      <div>
        <p className="mb-4 text-sm font-medium text-ink-3">Page Not Found</p>
        <h1 className="display text-d2">Lost This Pin</h1>
        <p className="lead mt-6 max-w-[40ch]">
          We can’t find the page you’re looking for. The link may be outdated, or the URL may have a typo.
        </p>
        <a href="/" className={buttonClass({ variant: "primary", size: "lg", className: "mt-8" })}>
          Back to Homepage
        </a>
        <ul
          className={cn(
            "grid grid-cols-[1fr_1fr] gap-4 mt-12 max-sm:grid-cols-[1fr]",
            "[&>li]:relative [&>li]:pt-5 [&>li]:pb-5.5 [&>li]:px-5.5 [&>li]:rounded-card [&>li]:bg-surface",
            "[&>li]:shadow-card [&>li]:text-sm/[1.5] [&>li]:text-ink-2",
            "[&_svg]:size-[17px] [&_svg]:mb-3.5 [&_svg]:stroke-[1.7] [&_svg]:text-accent-ink",
            "[&_h2]:mb-1 [&_h2]:text-ui [&_h2]:font-semibold [&_h2]:text-ink",
            "[&>li:has(a:hover)]:bg-hover",
          )}
        >
          <li>
            <LayoutGrid aria-hidden="true" />
            <h2>
              <a className="after:absolute after:inset-0 after:rounded-card" href="/app">
                Visit Dashboard
              </a>
            </h2>
            <p>See your accounts, drafts, and schedule.</p>
          </li>
          <li>
            <RotateCw aria-hidden="true" />
            <h2>Try Again Later</h2>
            <p>If you followed a link here, the page may be back soon.</p>
          </li>
        </ul>
      </div>
    </section>
  );
}
