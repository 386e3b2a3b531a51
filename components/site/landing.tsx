import Link from "next/link";
import type { ReactNode } from "react";
import { Pin, PinOutline, PinSheet } from "#components/shared/pin.tsx";
import { SectionHead } from "#components/site/page-parts.tsx";
import { cn } from "#components/ui/cn.ts";
import { SUPPORT_REPLY_HOURS } from "#lib/core/support.ts";
import { UPTIME_CLAIM } from "#lib/features/health/policy.ts";
import { WallPicture } from "./walls.tsx";

/** Three numbers that hold (R-GEN-04, A-39, A-42): none is an average of anything, and the first can be looked up. */
export function PlainNumbers() {
  return (
    <section className="site-width" aria-label="In numbers">
      <dl
        className={cn(
          "grid grid-cols-3 gap-[clamp(28px,4.6vw,72px)] pt-[clamp(56px,6vw,88px)]",
          "max-[35.0625rem]:grid-cols-[1fr]",
          "[&_dt]:mb-2.5 [&_dt]:font-display [&_dt]:text-[clamp(2.5rem,1.6rem_+_2.6vw,4rem)]/none",
          "[&_dt]:font-[340] [&_dt]:tracking-[-0.03em]",
          "[&_dd]:max-w-[32ch] [&_dd]:text-pretty [&_dd]:text-ink-2",
        )}
      >
        <div>
          <dt className="num">{UPTIME_CLAIM}</dt>
          <dd>
            uptime is what we aim for. What we measured stands on the{" "}
            <Link className="link" href="/status">
              status page
            </Link>
            .
          </dd>
        </div>
        <div>
          <dt className="num">{SUPPORT_REPLY_HOURS} hours</dt>
          <dd>is the longest you wait for an answer from support on business days.</dd>
        </div>
        <div>
          <dt className="num">0 pins</dt>
          <dd>go up that you did not look at and choose yourself.</dd>
        </div>
      </dl>
    </section>
  );
}

const ATTEMPT = [
  { at: "12:00:00", what: "Due. Claimed for publishing." },
  { at: "12:00:01", what: "Sent to the board Small gardens." },
  { at: "12:01:01", what: "No answer in 60 seconds." },
  { at: "12:01:06", what: "Looked on the board. Found it." },
] as const;

const OUTCOME = { at: "12:01:06", what: "Published, not sent again." } as const;

/** The promise that a pin goes up once, with the receipt that shows it. */
export function ReceiptBand({ name }: { name: string }) {
  return (
    <section
      className="mt-[clamp(80px,10vw,150px)] overflow-hidden bg-band text-band-ink"
      aria-labelledby="receipt-title"
    >
      <div
        className={cn(
          "site-width grid",
          "grid-cols-[minmax(0,1.08fr)_minmax(0,1fr)] gap-[clamp(40px,7vw,110px)] items-center",
          "py-[clamp(72px,8.4vw,124px)] max-lg:grid-cols-[1fr]",
        )}
      >
        <div>
          <h2 id="receipt-title" className="display text-d2">
            Every pin goes up once. <em>Only once.</em>
          </h2>
          <p className="mt-[26px] max-w-[46ch] text-lead leading-[1.55] text-pretty text-band-2">
            When Pinterest does not answer, {name} looks at your board before it tries again. Each pin keeps a receipt,
            so you never have to wonder.
          </p>
        </div>
        <div
          className={cn(
            "grid grid-cols-[196px_minmax(0,1fr)] items-center max-md:grid-cols-[1fr]",
            "max-md:[&>:first-child]:relative max-md:[&>:first-child]:z-2 max-md:[&>:first-child]:w-37.5",
            "max-md:[&>:first-child]:mt-0 max-md:[&>:first-child]:-mb-15 max-md:[&>:first-child]:mx-auto",
          )}
        >
          <div className="z-[2]">
            <Pin state="published">
              <WallPicture name="meadow" alt="" widthPx={196} />
            </Pin>
          </div>
          <div
            className={cn(
              "relative -ml-9.5 pt-6 pb-5 pr-6.5 pl-16 rounded-[4px] bg-(--paper-0) text-(--paper-900) text-sm",
              "shadow-[0_20px_50px_-14px_rgb(0_0_0_/_0.5)] max-md:m-0 max-md:pt-21 max-md:pb-4.5 max-md:px-5.5",
              "[&_h3]:mb-3 [&_h3]:italic [&_h3]:font-display [&_h3]:text-[1.375rem]/[1.15] [&_h3]:font-[420]",
              "[&_h3]:tracking-[-0.015em] [&_dl]:grid [&_dl]:grid-cols-[74px_1fr]",
              "[&_dt]:py-[7px] [&_dt]:px-0 [&_dt]:leading-[1.4] [&_dt]:text-(--paper-600) [&_dt]:tabular-nums",
              "[&_dt]:border-t [&_dt]:border-(--paper-200)",
              "[&_dd]:py-[7px] [&_dd]:px-0 [&_dd]:leading-[1.4] [&_dd]:border-t [&_dd]:border-(--paper-200)",
              "[&_dd_b]:font-semibold [&_dd_b]:text-(--green-700)",
            )}
          >
            <h3>A meadow in one square metre</h3>
            <dl>
              {ATTEMPT.map(({ at, what }) => (
                <div key={what} className="contents">
                  <dt>{at}</dt>
                  <dd>{what}</dd>
                </div>
              ))}
              <div className="contents">
                <dt>{OUTCOME.at}</dt>
                <dd>
                  <b>{OUTCOME.what}</b>
                </dd>
              </div>
            </dl>
          </div>
        </div>
      </div>
    </section>
  );
}

/** The pin that grows: its name in public/pins, and the widest it is shown. */
const PIN = { name: "herbs", widthPx: 240 } as const;

const TITLE = (
  <>
    Winter herbs
    <br />
    for a sill
  </>
);

type Stage = { label: string; words: string; face: ReactNode };

const STAGES: readonly Stage[] = [
  {
    label: "Pending",
    words: "You type a keyword.",
    face: (
      <PinOutline className="text-[1.75rem]">
        winter
        <br />
        herbs
      </PinOutline>
    ),
  },
  {
    label: "Creating Title",
    words: "A title someone would search for.",
    face: (
      <PinSheet>
        <span className="flex flex-col h-full pt-[12%] pb-[13.5%] px-[10%]">
          <span
            className={cn(
              "mt-auto font-display text-[clamp(1.3rem,1.92vw,1.72rem)]/[0.99] font-normal tracking-[-0.024em]",
              "after:inline-block after:w-0.5 after:h-[1em] after:ml-[3px] after:[vertical-align:-0.12em]",
              "after:bg-accent-ink",
            )}
          >
            {TITLE}
          </span>
        </span>
      </PinSheet>
    ),
  },
  {
    label: "Writing Description",
    words: "A description that reads like a person.",
    face: (
      <PinSheet>
        <span className="flex flex-col h-full pt-[12%] pb-[13.5%] px-[10%]">
          <span
            className={cn(
              "after:inline-block after:w-0.5 after:h-[1em] after:ml-[3px] after:[vertical-align:-0.12em]",
              "after:bg-accent-ink text-xs leading-normal text-ink-2",
            )}
          >
            Five pots, one bright window. Which herbs keep growing through January, how often to water them, and
          </span>
          <span className="mt-auto font-display text-[clamp(1.3rem,1.92vw,1.72rem)]/[0.99] font-normal tracking-[-0.024em]">
            {TITLE}
          </span>
        </span>
      </PinSheet>
    ),
  },
  {
    label: "Creating Image",
    words: "An upright picture, made for the feed.",
    face: <WallPicture {...PIN} alt="" developingPercent={60} />,
  },
  {
    label: "Complete",
    words: "A draft, waiting for its tack.",
    face: <WallPicture {...PIN} alt="A finished pin about winter herbs" />,
  },
];

/** The five stages that every pin passes, drawn. */
export function Stages() {
  return (
    <section id="stages" className={cn("site-width", "pt-[clamp(72px,10vw,148px)]")} aria-labelledby="stages-title">
      <SectionHead>
        <h2 id="stages-title" className="display text-d2">
          How a pin grows
        </h2>
        <p className="lead">
          Each pin passes the same five stages. You can watch all of them, and you only pay for the ones that finish.
        </p>
      </SectionHead>
      <ol
        className={cn(
          "grid grid-cols-[repeat(5,1fr)] gap-[clamp(14px,2.6vw,40px)]",
          "max-lg:grid-cols-none max-lg:grid-flow-col max-lg:auto-cols-[180px] max-lg:gap-4.5",
          "max-lg:mx-[calc(var(--gutter)_*_-1)] max-lg:py-3 max-lg:px-(--gutter) max-lg:overflow-x-auto",
          "max-lg:[scrollbar-width:none]",
        )}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: on phones the list scrolls sideways and must be reachable by key
        tabIndex={0}
        aria-label="The five stages of a pin"
      >
        {STAGES.map(({ label, words, face }, index) => (
          <li key={label}>
            <Pin state="draft" hasTack={index === STAGES.length - 1} className="[--tack-ground:var(--page)]">
              {face}
            </Pin>
            <p className="mt-[18px] text-sm leading-[1.45] text-pretty text-ink-3">
              <b className="block text-ui font-semibold text-ink">{label}</b>
              {words}
            </p>
          </li>
        ))}
      </ol>
    </section>
  );
}

type ScreenPictureProps = {
  /** Name of a screen in public/screens, which scripts/site-pictures.ts takes. */
  name: string;
  alt: string;
  sizes: string;
};

const WIDTH_PX = 1280;
const HEIGHT_PX = 800;

function Themed({ name, alt, sizes, theme }: ScreenPictureProps & { theme: "light" | "dark" }) {
  const file = `/screens/${name}-${theme}`;
  return (
    <picture className={theme === "light" ? "contents night:hidden" : "hidden night:contents"}>
      <source type="image/avif" srcSet={`${file}-720.avif 720w, ${file}-1440.avif 1440w`} sizes={sizes} />
      <img
        src={`${file}-1440.webp`}
        alt={alt}
        width={WIDTH_PX}
        height={HEIGHT_PX}
        sizes={sizes}
        loading="lazy"
        decoding="async"
      />
    </picture>
  );
}

/** A real screen of the product in the visitor's theme. The other one is not shown, and so never fetched. */
export function ScreenPicture(props: ScreenPictureProps) {
  return (
    <span
      className={cn(
        "block overflow-hidden aspect-1280/800 rounded-card bg-surface shadow-pin",
        "max-md:aspect-[4/4.4] [&_img]:block [&_img]:w-full [&_img]:h-auto",
      )}
    >
      <Themed {...props} theme="light" />
      <Themed {...props} theme="dark" />
    </span>
  );
}

const STORIES = [
  {
    name: "posts",
    title: "Nothing goes up unseen",
    words:
      "Every pin is a draft until you choose it. The number you give it is its place in the order, and the bar shows the hour of each one before you agree.",
    alt: "Generated Posts: a wall of drafts, five of them chosen and numbered, and a bar that schedules them an hour apart.",
  },
  {
    name: "creator",
    title: "Watch the whole batch grow",
    words:
      "Twelve keywords, twelve drafts, each at its own stage. Close the page if you like: the work goes on, and the panel is back when you are.",
    alt: "The creator at work: some pins of a batch of twelve are finished, the others show their titles, descriptions and pictures coming up.",
  },
] as const;

const SIZES = "(min-width: 1440px) 820px, (min-width: 981px) 62vw, 92vw";

/** Two real screens of the product, with the sentence that matters about each. */
export function ScreenStories() {
  return (
    <section
      className={cn(
        "max-md:[&_img]:h-full max-md:[&_img]:object-cover max-md:[&_img]:object-[62%_0] grid gap-[clamp(56px,7.4vw,112px)]",
        "site-width",
        "pt-[clamp(72px,10vw,148px)]",
      )}
      aria-label="The product at work"
    >
      {STORIES.map(({ name, title, words, alt }) => (
        <div
          key={name}
          className={cn(
            "grid grid-cols-[minmax(0,1fr)_minmax(0,2.05fr)] gap-[clamp(28px,4.6vw,72px)] items-end",
            "even:grid-cols-[minmax(0,2.05fr)_minmax(0,1fr)] max-lg:[&:nth-child(n)]:grid-cols-[1fr]",
            "even:[&>:first-child]:order-2 max-lg:even:[&>:first-child]:order-none",
          )}
        >
          <div>
            <h2 className="display text-d3">{title}</h2>
            <p className="mt-5 max-w-[40ch] text-pretty text-ink-2">{words}</p>
          </div>
          <ScreenPicture name={name} alt={alt} sizes={SIZES} />
        </div>
      ))}
    </section>
  );
}
