import { Board } from "#components/pins/board.tsx";
import { HungPin } from "#components/site/hung-pin.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";

const AROUND = [
  { poster: "read", x: -140, y: 360, width: 180, className: "max-md:hidden" },
  { poster: "lisbon", x: 40, y: 120, width: 190, className: "max-md:hidden" },
  { poster: "paper", x: 250, y: 330, width: 170, className: "closing-left" },
  { poster: "quilt", x: 1030, y: 350, width: 170, className: "closing-right" },
  { poster: "pasta", x: 1210, y: 90, width: 190, className: "max-md:hidden" },
  { poster: "night", x: 1390, y: 330, width: 180, className: "max-md:hidden" },
] as const;

type ClosingWallProps = { headline: string; words: string };

/** The last invitation, on the wall. */
export function ClosingWall({ headline, words }: ClosingWallProps) {
  return (
    <Board isBleeding className="closing">
      <div className="wall-field" aria-hidden="true">
        {AROUND.map((pin) => (
          <HungPin key={pin.poster} {...pin} />
        ))}
      </div>
      <div className="closing-words">
        <h2 className="display text-d2">{headline}</h2>
        <p className="lead max-w-[36ch]">{words}</p>
        <LinkButton href="/register" variant="primary" size="lg">
          Start free
        </LinkButton>
      </div>
    </Board>
  );
}
