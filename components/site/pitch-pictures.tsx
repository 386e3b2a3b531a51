import { Pin } from "#components/pins/pin.tsx";
import { PinFace } from "#components/pins/pin-face.tsx";
import type { PinState } from "#components/pins/pin-state.ts";
import { Thread } from "#components/pins/thread.tsx";

type SmallPinProps = { poster: string; state?: PinState; hasTack?: boolean; isSelected?: boolean };

function SmallPin({ poster, state = "published", hasTack = false, isSelected }: SmallPinProps) {
  return (
    <Pin state={state} size="sm" hasTack={hasTack} isSelected={isSelected}>
      <PinFace src={`/posters/${poster}.svg`} alt="" />
    </Pin>
  );
}

const TYPED = ["slow Sunday bread", "pottery at home", "which fir is that"];

/** Three keywords, and the three pins they became. */
export function KeywordPicture() {
  return (
    <>
      <div className="absolute bottom-[22px] left-0 grid w-[min(300px,56%)] gap-2">
        {TYPED.map((keyword) => (
          <span key={keyword} className="input min-h-11 border-line-2 shadow-card">
            <span className="truncate">{keyword}</span>
          </span>
        ))}
      </div>
      <div className="pitch-fan">
        {["bread", "pots", "fir"].map((poster) => (
          <span key={poster}>
            <SmallPin poster={poster} />
          </span>
        ))}
      </div>
    </>
  );
}

const STACK = [
  "lisbon",
  "pots",
  "citrus",
  "read",
  "quilt",
  "eucalypt",
  "pasta",
  "dunes",
  "figs",
  "kitchen",
  "meadow",
  "fir",
];
const LIFT_PX = [0, 10, 4, 16, 6, 12, 0, 14, 4, 10, 2, 0];

/** A dozen drafts, filed like cards in a drawer. */
export function StackPicture() {
  return STACK.map((poster, index) => (
    <span
      key={poster}
      className="absolute w-[132px]"
      style={{
        left: `calc((100% - 132px) * ${(index / (STACK.length - 1)).toFixed(3)})`,
        bottom: LIFT_PX[index],
        zIndex: index,
      }}
    >
      <SmallPin poster={poster} />
    </span>
  ));
}

const CHOICES = [
  { poster: "quilt", place: 1 },
  { poster: "night", place: 2 },
  { poster: "balcony", place: undefined },
  { poster: "wreath", place: 3 },
] as const;

/** Four drafts, three of them chosen. */
export function ChoosePicture() {
  return (
    <div className="absolute inset-x-0 bottom-6 flex justify-between gap-[18px] pl-3 max-md:bottom-1 max-md:pr-2">
      {CHOICES.map(({ poster, place }) => (
        <span key={poster} className="relative block w-[122px]">
          <SmallPin poster={poster} state="draft" isSelected={place !== undefined} />
          <span className="pin-pick num" data-picked={place !== undefined}>
            {place}
          </span>
        </span>
      ))}
    </div>
  );
}

const HOURS = [
  { poster: "bedroom", at: "9:00 AM", x: 70, y: 36 },
  { poster: "swim", at: "10:00 AM", x: 216, y: 54 },
  { poster: "citrus", at: "11:00 AM", x: 362, y: 36 },
  { poster: "pasta", at: "12:00 PM", x: 508, y: 54 },
] as const;

const FIELD_PX = 572;
const EDGES = { from: { x: -30, y: 18 }, to: { x: 600, y: 24 } } as const;

/** Four pins on the thread, an hour apart. */
export function SchedulePicture() {
  return (
    <div className="absolute inset-0">
      <Thread points={[EDGES.from, ...HOURS, EDGES.to]} width={FIELD_PX} height={120} isStretched />
      {HOURS.map(({ poster, at, x, y }) => (
        <span key={poster} className="pitch-hour" style={{ left: `${(x / FIELD_PX) * 100}%`, top: y }}>
          <SmallPin poster={poster} state="scheduled" hasTack />
          <span className="num mt-[9px] block">{at}</span>
        </span>
      ))}
    </div>
  );
}
