import Link from "next/link";
import type { ReactNode } from "react";
import { Pin, PinOutline, PinPaper } from "#components/shared/pin.tsx";
import { SectionHeader } from "#components/site/page-parts.tsx";
import { cn } from "#components/ui/cn.ts";
import { SUPPORT_REPLY_HOURS } from "#lib/core/support.ts";
import { UPTIME_CLAIM } from "#lib/features/health/policy.ts";
import { PosterImage } from "./poster-boards.tsx";

/** Three promises in numbers. */
export function KeyNumbers() {
  return (
    <section className="site-width" aria-label="Key numbers">
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
            is the uptime we aim for. See what we measured on our{" "}
            <Link className="link" href="/status">
              status page
            </Link>
            .
          </dd>
        </div>
        <div>
          <dt className="num">{SUPPORT_REPLY_HOURS} hours</dt>
          <dd>is the longest you’ll wait for a reply from support on business days.</dd>
        </div>
        <div>
          <dt className="num">0 pins</dt>
          <dd>are published without your approval.</dd>
        </div>
      </dl>
    </section>
  );
}

const ATTEMPT = [
  { at: "12:00:00", what: "Due. Publishing started." },
  { at: "12:00:01", what: "Sent to the Small gardens board." },
  { at: "12:01:01", what: "No response for 60 seconds." },
  { at: "12:01:06", what: "Checked the board. Pin found." },
] as const;

const OUTCOME = { at: "12:01:06", what: "Published. Not sent again." } as const;

/** The promise that every pin is published once, with an example of a receipt. */
export function PublishOnceBand({ name }: { name: string }) {
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
            Every pin is published once. <em>Only once.</em>
          </h2>
          <p className="mt-[26px] max-w-[46ch] text-lead leading-[1.55] text-pretty text-band-2">
            If Pinterest doesn’t respond, {name} checks your board before trying again. Every pin has a receipt, so you
            never have to wonder.
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
              <PosterImage name="meadow" alt="" widthPx={196} />
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
            <h3>A meadow in one square yard</h3>
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

/** The example pin in public/pins, and its largest width. */
const PIN = { name: "herbs", widthPx: 240 } as const;

const TITLE = (
  <>
    Winter herbs
    <br />
    for your windowsill
  </>
);

type Stage = { label: string; text: string; face: ReactNode };

const STAGES: readonly Stage[] = [
  {
    label: "Pending",
    text: "You type a keyword.",
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
    text: "A title with the words people search for.",
    face: (
      <PinPaper>
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
      </PinPaper>
    ),
  },
  {
    label: "Writing Description",
    text: "A description that sounds human.",
    face: (
      <PinPaper>
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
      </PinPaper>
    ),
  },
  {
    label: "Creating Image",
    text: "A vertical image, made for the feed.",
    face: <PosterImage {...PIN} alt="" revealPercent={60} />,
  },
  {
    label: "Complete",
    text: "A draft, ready for your review.",
    face: <PosterImage {...PIN} alt="A finished pin about winter herbs" />,
  },
];

/** The five stages of generating a pin. */
export function Stages() {
  return (
    <section id="stages" className={cn("site-width", "pt-[clamp(72px,10vw,148px)]")} aria-labelledby="stages-title">
      <SectionHeader>
        <h2 id="stages-title" className="display text-d2">
          How a pin is made
        </h2>
        <p className="lead">
          Every pin goes through the same five stages. Watch each stage live, and pay only for finished pins.
        </p>
      </SectionHeader>
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
        {STAGES.map(({ label, text, face }, index) => (
          <li key={label}>
            <Pin state="draft" hasTack={index === STAGES.length - 1} className="[--tack-ground:var(--page)]">
              {face}
            </Pin>
            <p className="mt-[18px] text-sm leading-[1.45] text-pretty text-ink-3">
              <b className="block text-ui font-semibold text-ink">{label}</b>
              {text}
            </p>
          </li>
        ))}
      </ol>
    </section>
  );
}

type ScreenImageProps = {
  /** Name of a screenshot in public/screens, made by scripts/site-images.ts. */
  name: string;
  alt: string;
  sizes: string;
};

const WIDTH_PX = 1280;
const HEIGHT_PX = 800;

function Themed({ name, alt, sizes, theme }: ScreenImageProps & { theme: "light" | "dark" }) {
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

/** A screenshot of the product in the visitor's theme. The hidden one is never loaded. */
export function ScreenImage(props: ScreenImageProps) {
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

const SCREENS = [
  {
    name: "posts",
    title: "You approve every pin",
    text: "Every pin is a draft until you select it. Selected pins are numbered in the order they’ll be published, and the bar shows when each one will go out before you confirm.",
    alt: "Generated Posts: a grid of drafts, five of them selected and numbered, with a bar that schedules them an hour apart.",
  },
  {
    name: "creator",
    title: "Watch the whole batch come together",
    text: "Twelve keywords, twelve drafts, each at its own stage. Feel free to close the page: generation continues, and the progress is there when you come back.",
    alt: "The creator at work: some of the twelve pins are finished, the others show their titles, descriptions, and images in progress.",
  },
] as const;

const SIZES = "(min-width: 1440px) 820px, (min-width: 981px) 62vw, 92vw";

/** Two screenshots of the product with a short text each. */
export function ProductScreens() {
  return (
    <section
      className={cn(
        "max-md:[&_img]:h-full max-md:[&_img]:object-cover max-md:[&_img]:object-[62%_0] grid gap-[clamp(56px,7.4vw,112px)]",
        "site-width",
        "pt-[clamp(72px,10vw,148px)]",
      )}
      aria-label="Screenshots"
    >
      {SCREENS.map(({ name, title, text, alt }) => (
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
            <p className="mt-5 max-w-[40ch] text-pretty text-ink-2">{text}</p>
          </div>
          <ScreenImage name={name} alt={alt} sizes={SIZES} />
        </div>
      ))}
    </section>
  );
}
