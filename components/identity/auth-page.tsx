import type { ReactNode } from "react";
import { Board } from "#components/pins/board.tsx";
import { Tack } from "#components/pins/tack.tsx";
import { Thread } from "#components/pins/thread.tsx";
import { HungPin } from "#components/site/hung-pin.tsx";

type WallPin = { poster: string; x: number; y: number; width: number };

type AuthPageProps = {
  title: string;
  words: ReactNode;
  /** Below the form: the way to the other page. */
  aside: ReactNode;
  /** A list of keywords hung first on the thread. */
  keywords?: readonly string[];
  pins: readonly WallPin[];
  children: ReactNode;
};

const LIST = { x: 44, y: 96 } as const;
const LIST_TACK = { x: LIST.x + 92, y: LIST.y } as const;

/** The frame of login and register: the form on paper, a few pins on the wall beside it. */
export function AuthPage({ title, words, aside, keywords, pins, children }: AuthPageProps) {
  const tacks = pins.map(({ x, y, width }) => ({ x: x + width / 2, y }));
  const edge = { x: 900, y: 120 };
  const points = keywords ? [LIST_TACK, ...tacks, edge] : [{ x: -260, y: 60 }, ...tacks, edge];
  return (
    <div className="auth">
      <div className="auth-paper">
        <div className="auth-form">
          <h1 className="screen-title">{title}</h1>
          <p className="mt-2.5 mb-8 text-ink-3">{words}</p>
          {children}
          <p className="mt-7 border-t border-line pt-5 text-sm text-ink-2">{aside}</p>
        </div>
      </div>
      <Board isBleeding className="auth-wall" aria-hidden="true">
        <div className="auth-wall-field">
          <Thread points={points} width={640} height={700} />
          {keywords && (
            <div className="hung keyword-list" style={{ left: LIST.x, top: LIST.y }}>
              <Tack state="slip" />
              <ol>
                {keywords.map((keyword) => (
                  <li key={keyword}>{keyword}</li>
                ))}
              </ol>
            </div>
          )}
          {pins.map((pin) => (
            <HungPin key={pin.poster} {...pin} isEager />
          ))}
        </div>
      </Board>
    </div>
  );
}
