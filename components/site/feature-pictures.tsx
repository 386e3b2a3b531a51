import Lock from "lucide-react/icons/lock";
import Plus from "lucide-react/icons/plus";
import { Board } from "#components/pins/board.tsx";
import { Pin } from "#components/pins/pin.tsx";
import { PinOutline } from "#components/pins/pin-face.tsx";
import { Tack } from "#components/pins/tack.tsx";
import { WallPicture } from "#components/site/wall-picture.tsx";
import { Chip } from "#components/ui/chip.tsx";

const MADE = [
  { keyword: "winter herbs", poster: "herbs" },
  { keyword: "winter baking", poster: "bread" },
  { keyword: "which fir to choose", poster: "fir" },
] as const;

/** A list of keywords, and the drafts it became. */
export function CreatorPicture() {
  return (
    <Board className="feature-board feature-creator">
      <span className="feature-list">
        <Tack state="slip" />
        {MADE.map(({ keyword }) => (
          <span key={keyword}>{keyword}</span>
        ))}
      </span>
      {MADE.map(({ poster }) => (
        <span key={poster} className="feature-pin">
          <Pin state="draft" size="sm">
            <WallPicture name={poster} alt="" widthPx={132} />
          </Pin>
        </span>
      ))}
    </Board>
  );
}

const BOARDS = [
  { name: "Winter kitchen", words: "Bread, soups, slow Sundays", isSecret: false },
  { name: "Balcony garden", words: "Small spaces, herbs, pots", isSecret: false },
  { name: "Cabin weekends", words: "Packing lists and routes", isSecret: false },
  { name: "Spring launch", words: "Not to be seen before March", isSecret: true },
] as const;

/** Four boards as the Board Manager lists them, one of them secret. */
export function BoardsPicture() {
  return (
    <span className="card feature-boards">
      {BOARDS.map(({ name, words, isSecret }) => (
        <span key={name}>
          <b>{name}</b>
          <i>{words}</i>
          <Chip icon={isSecret ? <Lock /> : undefined}>{isSecret ? "Secret" : "Public"}</Chip>
        </span>
      ))}
    </span>
  );
}

const PLACES = ["a", "b", "c", "d"];

/** Places for own pictures: nothing hangs there yet. */
export function ManualPicture() {
  return (
    <Board className="feature-board feature-empty">
      {PLACES.map((place) => (
        <span key={place} className="feature-pin">
          <Pin state="draft" size="sm">
            <PinOutline>
              <Plus />
            </PinOutline>
          </Pin>
        </span>
      ))}
    </Board>
  );
}

const FIGURES = ["Impressions", "Saves", "Pin clicks", "Outbound clicks"];

/** The figures that Pinterest gives, without any number made up. */
export function AnalyticsPicture() {
  return (
    <Board className="feature-board feature-figures">
      <span className="feature-pin">
        <Pin state="published" size="sm">
          <WallPicture name="wreath" alt="" widthPx={132} />
        </Pin>
      </span>
      <span className="feature-slip">
        {FIGURES.map((figure) => (
          <span key={figure}>
            {figure}
            <i />
          </span>
        ))}
      </span>
    </Board>
  );
}
