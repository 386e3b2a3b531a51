import LayoutGrid from "lucide-react/icons/layout-grid";
import RotateCw from "lucide-react/icons/rotate-cw";
import { Board, Tack } from "#components/shared/pin.tsx";
import { buttonClass } from "#components/ui/button-style.ts";

/** The page for every address that does not exist (R-404-01..03): a tack that holds nothing. */
export function LostPin() {
  return (
    <section className="site-width lost">
      <Board className="lost-board" aria-hidden="true">
        <span className="lost-outline">
          <span className="lost-scrap" />
          <Tack state="published" />
        </span>
      </Board>
      <div>
        <p className="mb-4 text-sm font-medium text-ink-3">Page Not Found</p>
        <h1 className="display text-d2">Lost This Pin</h1>
        <p className="lead mt-6 max-w-[40ch]">
          The tack is still in the wall, but nothing hangs from it. The address may be old, or have a slip in it.
        </p>
        <a href="/" className={buttonClass({ variant: "primary", size: "lg", className: "mt-8" })}>
          Back to Homepage
        </a>
        <ul className="lost-hints">
          <li>
            <LayoutGrid aria-hidden="true" />
            <h2>
              <a className="lost-link" href="/app">
                Visit Dashboard
              </a>
            </h2>
            <p>Your accounts, drafts and schedule are there.</p>
          </li>
          <li>
            <RotateCw aria-hidden="true" />
            <h2>Try Again Later</h2>
            <p>If a link brought you here today, the page may be back tomorrow.</p>
          </li>
        </ul>
      </div>
    </section>
  );
}
