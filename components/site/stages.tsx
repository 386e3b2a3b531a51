import type { ReactNode } from "react";
import { Pin } from "#components/pins/pin.tsx";
import { PinOutline, PinSheet } from "#components/pins/pin-face.tsx";
import { WallPicture } from "#components/site/wall-picture.tsx";

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
