import Link from "next/link";
import type { ReactNode } from "react";
import { Pin, PinOutline, PinSheet } from "#components/shared/pin.tsx";
import { SUPPORT_REPLY_HOURS } from "#lib/core/support.ts";
import { UPTIME_CLAIM } from "#lib/features/health/policy.ts";
import { WallPicture } from "./walls.tsx";

/** Three numbers that hold (R-GEN-04, A-39, A-42): none is an average of anything, and the first can be looked up. */
export function PlainNumbers() {
  return (
    <section className="site-width" aria-label="In numbers">
      <dl className="plain-numbers">
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
    <section className="receipt-band" aria-labelledby="receipt-title">
      <div className="site-width receipt-layout">
        <div>
          <h2 id="receipt-title" className="display text-d2">
            Every pin goes up once. <em>Only once.</em>
          </h2>
          <p className="mt-[26px] max-w-[46ch] text-lead leading-[1.55] text-pretty text-band-2">
            When Pinterest does not answer, {name} looks at your board before it tries again. Each pin keeps a receipt,
            so you never have to wonder.
          </p>
        </div>
        <div className="receipt">
          <div className="z-[2]">
            <Pin state="published">
              <WallPicture name="meadow" alt="" widthPx={196} />
            </Pin>
          </div>
          <div className="receipt-slip">
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
        <span className="stage-sheet">
          <span className="stage-title caret">{TITLE}</span>
        </span>
      </PinSheet>
    ),
  },
  {
    label: "Writing Description",
    words: "A description that reads like a person.",
    face: (
      <PinSheet>
        <span className="stage-sheet">
          <span className="caret text-xs leading-normal text-ink-2">
            Five pots, one bright window. Which herbs keep growing through January, how often to water them, and
          </span>
          <span className="stage-title">{TITLE}</span>
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
    <section id="stages" className="site-width site-section" aria-labelledby="stages-title">
      <div className="section-head">
        <h2 id="stages-title" className="display text-d2">
          How a pin grows
        </h2>
        <p className="lead">
          Each pin passes the same five stages. You can watch all of them, and you only pay for the ones that finish.
        </p>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: on phones the list scrolls sideways and must be reachable by key */}
      <ol className="stages" tabIndex={0} aria-label="The five stages of a pin">
        {STAGES.map(({ label, words, face }, index) => (
          <li key={label}>
            <Pin state="draft" hasTack={index === STAGES.length - 1} className="stage-pin">
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
    <picture className={`screen-${theme}`}>
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
    <span className="screen-picture">
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
    <section className="site-width site-section screen-stories" aria-label="The product at work">
      {STORIES.map(({ name, title, words, alt }) => (
        <div key={name} className="screen-story">
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
